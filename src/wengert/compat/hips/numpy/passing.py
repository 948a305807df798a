"""Modules with NumPy's names: its own functions, which handle boxes, and here also lists of boxes."""

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
    """Return a NumPy function whose arguments may also be lists with boxes in them."""

    @wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        converted_args = [array(arg) if isinstance(arg, (list, tuple)) and has_box(arg) else arg for arg in args]
        return function(*converted_args, **options)

    return wrapped


def passing(names: dict[str, Any], module: Any) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that has the names of a module of NumPy."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        value = getattr(module, name)
        if isinstance(value, (type, np.ufunc)) or not callable(value):
            return value
        if (value in RULES or value in CONSTANT) and value not in LISTS:
            value = names[name] = taking_lists(value)
        return value

    return get
