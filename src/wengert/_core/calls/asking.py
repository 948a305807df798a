"""Objects other than tensors that have a `__torch_function__`, and the function of the package that calls it.

The functions below the public one raise an error if they receive such an object. The public function catches that
error and calls the object's `__torch_function__` with itself. So calls with tensors alone do not look for such objects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from ..tensor.base import Tensor

PACKAGE = __name__.partition(".")[0]
ASKING: set[CodeType] = set()
"""The code of functions that ask their arguments when they fail."""
GATHERING = (4, 8)
"""The flags of code with `*args`, and with `**kwargs`."""


def asks_itself(name: str) -> Callable[[Any], Any]:
    """Decorate a method of that name: if it fails, `__torch_function__` is asked (`asked_or_raised`)."""

    def decorate(function: Any) -> Any:
        ASKING.add(function.__code__)
        function.__name__ = function.__qualname__ = name
        return function

    return decorate


def may_answer(value: Any) -> bool:
    """Return whether a value other than a tensor has a `__torch_function__`."""
    return not isinstance(value, Tensor) and hasattr(type(value), "__torch_function__")


def inner_values(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values and the items of containers among them; a container is entered once, since it may hold itself."""
    waiting, entered = [iter(values)], set()
    while waiting:
        for value in waiting[-1]:
            yield value
            if isinstance(value, (dict, list, tuple)) and id(value) not in entered:
                entered.add(id(value))
                waiting.append(iter(value.values() if isinstance(value, dict) else value))
                break
        else:
            waiting.pop()


def stranger_in(values: Iterable[Any]) -> Any:
    """Return the first value, also in lists and tuples, for which `may_answer` is true; None if there is none."""
    return next((value for value in inner_values(values) if may_answer(value)), None)


def is_asked_outside(value: Any, frame: FrameType | None) -> bool:
    """Return whether a caller further out is a function of the package that received the value, and will ask it.

    Args:
        value: an object for which `may_answer` is true.
        frame: that of the caller, where the search outwards begins; a frame of the program ends it.
    """
    while frame is not None and is_of_package(frame):
        if frame.f_code in ASKING and is_among_arguments(frame, value):
            return True
        frame = frame.f_back
    return False


def is_of_package(frame: FrameType) -> bool:
    """Return whether a frame is of a function of the package."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE


def is_among_arguments(frame: FrameType, value: Any) -> bool:
    """Return whether a value is among the arguments of a function, or in a list, tuple or dictionary there."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in GATHERING)
    return is_in(value, [frame.f_locals[name] for name in code.co_varnames[:count] if name in frame.f_locals])


def is_in(value: Any, values: Iterable[Any]) -> bool:
    """Return whether a value is one of others, or in a list, tuple or dictionary among them."""
    return any(other is value for other in inner_values(values))


def caller(depth: int) -> FrameType:
    """Return the frame of the calling function, `depth` calls further out."""
    return sys._getframe(depth + 1)
