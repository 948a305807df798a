"""NumPy, for functions that are differentiated: `import wengert.compat.hips.numpy as np`.

On plain arrays it is NumPy. NumPy's own functions also know what to do with boxes (see `wengert.compat.hips.boxes`);
what stands here beside them are those that make arrays of lists with boxes in them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as _numpy

from ..boxes import CONSTANT, RULES, ArrayBox, getval, has_box, tensor_of
from . import fft, fourier, linalg, matrices, pointwise, products, random, reductions, shapes
from .shapes import array

__all__ = ["array", "asarray", "c_", "fft", "full", "isscalar", "linalg", "linspace", "r_", "random"]


def asarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """`numpy.asarray`; a box stays as it is."""
    if isinstance(a, ArrayBox):
        return a if dtype is None or a.dtype == dtype else a.astype(dtype)
    return array(a, dtype) if has_box(a) else _numpy.asarray(a, dtype, **options)


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """`numpy.full`, also of a box."""
    if not isinstance(fill_value, ArrayBox):
        return _numpy.full(shape, fill_value, dtype, **options)
    return _numpy.broadcast_to(asarray(fill_value, dtype), shape)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **options: Any) -> Any:
    """`numpy.linspace`, also between boxes."""
    if not has_box([start, stop]):
        return _numpy.linspace(start, stop, num, endpoint, **options)
    if options:
        raise TypeError(f"linspace: between boxes there are no arguments {', '.join(options)}")
    steps = _numpy.linspace(0.0, 1.0, num, endpoint)
    steps = steps.reshape((-1,) + (1,) * max(_numpy.ndim(start), _numpy.ndim(stop)))
    return start + (stop - start) * steps


def isscalar(element: Any) -> bool:
    """`numpy.isscalar` of a value, or of that of a box."""
    return _numpy.isscalar(getval(element))


class Joined:
    """`numpy.r_` and `numpy.c_` of arrays, numbers, slices and boxes."""

    def __init__(self, plain: Any, join: Callable[[list[Any]], Any]) -> None:
        self.plain = plain
        self.join = join

    def __getitem__(self, parts: Any) -> Any:
        parts = parts if isinstance(parts, tuple) else (parts,)
        if not any(has_box(each) for each in parts):
            return self.plain[parts]
        return self.join([_numpy.r_[each] if isinstance(each, slice) else array(each) for each in parts])


def in_row(parts: list[Any]) -> Any:
    """Arrays one after the other."""
    return _numpy.concatenate([_numpy.atleast_1d(each) for each in parts])


def in_columns(parts: list[Any]) -> Any:
    """Vectors as columns, side by side."""
    return _numpy.concatenate([each[:, None] if _numpy.ndim(each) == 1 else each for each in parts], axis=-1)


RULE_MODULES = (pointwise, reductions, shapes, products, matrices, fourier)
"""Where the rules are."""
r_, c_ = Joined(_numpy.r_, in_row), Joined(_numpy.c_, in_columns)
RULES[_numpy.linspace] = lambda *args, **options: tensor_of(linspace(*args, **options))
LISTS = {_numpy.concatenate, _numpy.stack, _numpy.meshgrid, _numpy.select, _numpy.einsum, _numpy.broadcast_arrays}
"""Functions for which a list is not an array."""


def taking_lists(function: Any) -> Any:
    """A NumPy function whose first argument may also be a list with boxes in it."""

    @wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        if args and isinstance(args[0], (list, tuple)) and has_box(args[0]):
            args = (array(args[0]), *args[1:])
        return function(*args, **options)

    return wrapped


def __getattr__(name: str) -> Any:
    """NumPy's; functions with a derivative also take lists of boxes."""
    found = getattr(_numpy, name)
    lists = found in LISTS or found in shapes.PUT_TOGETHER if callable(found) else True
    if lists or isinstance(found, (type, _numpy.ufunc)) or not (found in RULES or found in CONSTANT):
        return found
    found = globals()[name] = taking_lists(found)
    return found
