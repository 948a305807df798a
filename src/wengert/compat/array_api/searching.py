"""Functions of `wengert.array_api` for searching, sorting and unique elements."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE
from .elementwise import Operand
from .operands import axes_of, on_arrays, promoted

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the largest element along a dimension; of all elements if `axis` is None."""
    if x.dtype in WIDE:
        return on_arrays(np.argmax, x, axis=axis, keepdims=keepdims)
    return wg.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the smallest element along a dimension; of all elements if `axis` is None."""
    if x.dtype in WIDE:
        return on_arrays(np.argmin, x, axis=axis, keepdims=keepdims)
    return wg.argmin(x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Number of elements along dimensions that are not zero."""
    axes = axes_of(x, axis)
    counted = (x != 0).to(wg.int64)
    return wg.sum(counted, dim=axes, keepdim=keepdims) if axes else counted


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Indices of elements that are not zero, one array for each dimension.

    Raises:
        ValueError: if `x` is 0-dim.
    """
    if not x.ndim:
        raise ValueError("nonzero: a 0-dim array has no indices")
    return wg.nonzero(x, as_tuple=True)


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Indices where elements of `x2` would be inserted into a sorted array.

    Args:
        x1: a 1-dim array in ascending order, possibly after `sorter`.
        side: "left" for the first suitable index, "right" for the last one.
        sorter: indices that put `x1` in ascending order.
    """
    x1, x2 = promoted("searchsorted", x1, x2)
    if x1.dtype in WIDE:
        return on_arrays(np.searchsorted, x1, x2, side=side, sorter=None if sorter is None else sorter.numpy())
    return wg.searchsorted(x1, x2, side=side, sorter=None if sorter is None else sorter.to(wg.int64))


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """Elements of `x1` where the condition is true, of `x2` elsewhere."""
    x1, x2 = promoted("where", x1, x2)
    return wg.where(condition, x1, x2)


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Indices that sort the elements along a dimension."""
    return wg.sort(x, dim=axis, descending=descending, stable=stable).indices


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Sort the elements along a dimension."""
    return wg.sort(x, dim=axis, descending=descending, stable=stable).values


def distinct(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return unique values, the index of each element among them, and their counts; every NaN is unique."""
    if not x.is_complex():
        return wg.unique(x, return_inverse=True, return_counts=True)
    values = x.detach().resolve_conj()
    return on_arrays(np.unique, values, return_inverse=True, return_counts=True, equal_nan=False)


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return unique values, the index of their first occurrence, the index of each element among them, and counts."""
    values, inverse, counts = distinct(x)
    order = wg.argsort(inverse.reshape(-1), stable=True)
    starts = wg.cumsum(counts, 0) - counts
    return UniqueAll(values, order[starts], inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return unique values and their counts."""
    values, _, counts = distinct(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return unique values, and the index of each element among them."""
    values, inverse, _ = distinct(x)
    return UniqueInverse(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """Return unique values."""
    return distinct(x)[0]
