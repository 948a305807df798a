"""Modules of NumPy's names: its own functions, which know boxes, and which here also take lists of boxes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..boxes import CONSTANT, RULES, has_box
from .shapes import PUT_TOGETHER, array

LISTS = {np.concatenate, np.stack, np.meshgrid, np.select, np.einsum, np.broadcast_arrays, *PUT_TOGETHER}
"""Functions for which a list is not an array."""


def taking_lists(function: Any) -> Any:
    """A NumPy function whose arguments may also be lists with boxes in them."""

    @wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        given = [array(each) if isinstance(each, (list, tuple)) and has_box(each) else each for each in args]
        return function(*given, **options)

    return wrapped


def passing(names: dict[str, Any], module: Any) -> Callable[[str], Any]:
    """The `__getattr__` of a module, given by its names, that has those of one of NumPy."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        found = getattr(module, name)
        if isinstance(found, (type, np.ufunc)) or not callable(found):
            return found
        if (found in RULES or found in CONSTANT) and found not in LISTS:
            found = names[name] = taking_lists(found)
        return found

    return get
