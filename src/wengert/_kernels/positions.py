"""Positions in arrays: int64 wherever a tensor shows them, NumPy's own index dtype where NumPy takes them.

NumPy counts with `intp`, which is int32 where pointers have 32 bits (WebAssembly, armv7). There its functions return
positions and counts as int32, and those that take some refuse int64, or keep the lower half of each number. The
functions here return int64 and take int64 on all platforms; kernels and operators use them in place of NumPy's, which
`tests/platforms` checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

WIDE = np.dtype(np.int64)


def as_int64(positions: Any) -> Array:
    """Positions or counts as int64; no copy if they are int64."""
    return np.asarray(positions).astype(WIDE, copy=False)


def as_intp(index: Array) -> Array:
    """Convert integers to NumPy's index dtype; masks and arrays of that dtype are returned as they are.

    Raises:
        IndexError: if an index does not fit into NumPy's index dtype.
    """
    dtype = index.dtype
    if dtype == np.intp or dtype.kind == "b":
        return index
    converted = index.astype(np.intp)
    if dtype.kind in "iu" and dtype.itemsize >= converted.dtype.itemsize and (converted != index).any():
        raise IndexError(f"index {index[converted != index].reshape(-1)[0]} is out of bounds")
    return converted


def arange(*bounds: int) -> Array:
    """`np.arange` of integers."""
    return np.arange(*bounds, dtype=WIDE)


def argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """`np.argmax`."""
    return as_int64(np.argmax(x, axis=axis, keepdims=keepdims))


def argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """`np.argmin`."""
    return as_int64(np.argmin(x, axis=axis, keepdims=keepdims))


def argsort(x: Array, axis: int = -1) -> Array:
    """`np.argsort`; equal elements keep their order."""
    return as_int64(np.argsort(x, axis=axis, kind="stable"))


def lexsort(keys: Any) -> Array:
    """`np.lexsort`."""
    return as_int64(np.lexsort(keys))


def nonzero(x: Array) -> tuple[Array, ...]:
    """`np.nonzero`."""
    return tuple([as_int64(places) for places in np.nonzero(x)])


def flatnonzero(x: Array) -> Array:
    """`np.flatnonzero`."""
    return as_int64(np.flatnonzero(x))


def searchsorted(x: Array, values: Any, side: Any = "left") -> Array:
    """`np.searchsorted`."""
    return as_int64(np.searchsorted(x, values, side))


def inverse_of_unique(x: Array) -> tuple[Array, Array]:
    """`np.unique` of a vector: its distinct elements, sorted, and the index of the one at each place."""
    distinct, inverse = np.unique(x, return_inverse=True)
    return distinct, as_int64(inverse).reshape(-1)


def bincount(x: Array, minlength: int = 0) -> Array:
    """`np.bincount` without weights."""
    return as_int64(np.bincount(as_intp(x), minlength=minlength))


def weighted_bincount(x: Array, weights: Array, minlength: int = 0) -> Array:
    """`np.bincount` with weights: float64."""
    return np.bincount(as_intp(x), weights, minlength)


def cumsum(counts: Any, axis: int | None = None) -> Array:
    """`np.cumsum` of integers or bools."""
    return np.cumsum(counts, axis=axis, dtype=WIDE)


def take(x: Array, index: Array, axis: int | None = None) -> Array:
    """`np.take`."""
    return np.take(x, as_intp(index), axis=axis)


def repeat(x: Array, counts: Any, axis: int | None = None) -> Array:
    """`np.repeat`: `counts` is a number, or an array of them."""
    return np.repeat(x, as_intp(counts) if isinstance(counts, np.ndarray) else counts, axis=axis)


def reduceat(function: Any, x: Array, starts: Array, axis: int = 0, dtype: Any = None) -> Array:
    """`function.reduceat`."""
    return function.reduceat(x, as_intp(starts), axis=axis, dtype=dtype)


def unravel_index(index: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """`np.unravel_index`."""
    return tuple([as_int64(places) for places in np.unravel_index(as_intp(index), shape)])
