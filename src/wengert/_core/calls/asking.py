"""Who asks what is no tensor and has a `__torch_function__`: the outermost function of the package that was given it.

What a function calls fails if it is given such a value. It is asked when that error comes to the function that the
program has called, which tells its own name. So calls with tensors alone do not look for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

from ..tensor.base import Tensor

PACKAGE = __name__.partition(".")[0]
ASKING: set[CodeType] = set()
"""The code of functions that ask their arguments, which are called `args` and `kwargs`, when they fail."""


def may_answer(value: Any) -> bool:
    """Whether a value is no tensor and has a `__torch_function__`."""
    return not isinstance(value, Tensor) and hasattr(type(value), "__torch_function__")


def has_stranger(values: Iterable[Any]) -> bool:
    """Whether one of the values, or what is in lists and tuples of them, is no tensor and may answer."""
    for value in values:
        if has_stranger(value) if isinstance(value, (tuple, list)) else may_answer(value):
            return True
    return False


def is_asked_outside(value: Any, frame: FrameType | None) -> bool:
    """Whether a function of the package that was given a value, and will ask it, has called.

    Args:
        value: what is no tensor.
        frame: that of the caller, from which those outside are looked at; a frame of the program ends the search.
    """
    while frame is not None and is_of_package(frame):
        if frame.f_code in ASKING and was_given(frame, value):
            return True
        frame = frame.f_back
    return False


def is_of_package(frame: FrameType) -> bool:
    """Whether a frame is of a function of the package."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE


def was_given(frame: FrameType, value: Any) -> bool:
    """Whether a value is among the arguments of a function that asks, or in a list or tuple there."""
    given = frame.f_locals
    return is_in(value, given.get("args", ())) or is_in(value, given.get("kwargs", {}).values())


def is_in(value: Any, values: Iterable[Any]) -> bool:
    """Whether a value is one of others, or in a list or tuple among them."""
    return any(is_in(value, each) if isinstance(each, (tuple, list)) else each is value for each in values)


def caller(depth: int) -> FrameType:
    """The frame of the function that has called, `depth` calls further out."""
    return sys._getframe(depth + 1)
