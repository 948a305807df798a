"""NumPy, for functions that are differentiated: `import wengert.compat.hips.numpy as np`.

On plain arrays it is NumPy. NumPy's own functions also handle boxes (see `wengert.compat.hips.boxes`); the functions
defined here create arrays from lists with boxes in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _numpy

from ..boxes import RULES, ArrayBox, getval, has_box, tensor_of
from . import decompositions, fft, fourier, linalg, matrices, pointwise, products, random, reductions, shapes
from .matrices import make_diagonal
from .passing import passing
from .shapes import array

__all__ = ["array", "asarray", "c_", "fft", "full", "isscalar", "linalg", "linspace", "make_diagonal", "r_", "random"]


def asarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """`numpy.asarray`; a box stays as it is."""
    if isinstance(a, ArrayBox):
        return a if dtype is None or a.dtype == dtype else a.astype(dtype)
    return array(a, dtype) if has_box(a) else _numpy.asarray(a, dtype, **options)


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """`numpy.full`, also with a box."""
    if not isinstance(fill_value, ArrayBox):
        return _numpy.full(shape, fill_value, dtype, **options)
    return _numpy.broadcast_to(asarray(fill_value, dtype), shape)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **options: Any) -> Any:
    """`numpy.linspace`, also between boxes."""
    if not has_box([start, stop]):
        return _numpy.linspace(start, stop, num, endpoint, **options)
    if options:
        raise TypeError(f"linspace: with boxes the arguments {', '.join(options)} are not supported")
    steps = _numpy.linspace(0.0, 1.0, num, endpoint)
    steps = steps.reshape((-1,) + (1,) * max(_numpy.ndim(start), _numpy.ndim(stop)))
    return start + (stop - start) * steps


def isscalar(element: Any) -> bool:
    """`numpy.isscalar` of a value, or of the value in a box."""
    return _numpy.isscalar(getval(element))


class Joined:
    """`numpy.r_` and `numpy.c_` of arrays, numbers, slices and boxes."""

    def __init__(self, plain: Any, join: Callable[[list[Any]], Any]) -> None:
        self.plain = plain
        self.join = join

    def __getitem__(self, parts: Any) -> Any:
        parts = parts if isinstance(parts, tuple) else (parts,)
        if not any(has_box(part) for part in parts):
            return self.plain[parts]
        return self.join([_numpy.r_[part] if isinstance(part, slice) else array(part) for part in parts])


def in_row(parts: list[Any]) -> Any:
    """Concatenate arrays."""
    return _numpy.concatenate([_numpy.atleast_1d(part) for part in parts])


def in_columns(parts: list[Any]) -> Any:
    """Concatenate vectors as columns."""
    return _numpy.concatenate([part[:, None] if _numpy.ndim(part) == 1 else part for part in parts], axis=-1)


RULE_MODULES = (pointwise, reductions, shapes, products, matrices, decompositions, fourier)
"""Modules with the rules."""
r_, c_ = Joined(_numpy.r_, in_row), Joined(_numpy.c_, in_columns)
RULES[_numpy.linspace] = lambda *args, **options: tensor_of(linspace(*args, **options))


def of_integers(kind: Any) -> Any:
    """Return an integer type that accepts a box; the result has no derivative."""
    return type(kind.__name__, (kind,), {"__new__": lambda cls, *args: kind(*map(getval, args))})


globals().update({name: of_integers(getattr(_numpy, name)) for name in ("int8", "int16", "int32", "int64")})
__getattr__ = passing(globals(), _numpy)
