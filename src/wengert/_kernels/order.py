"""Sorting, selection by rank, and running extremes. NaN counts as larger than all numbers, as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import positions
from .exponentials import complex_logaddexp

Array = Any

FEW = 64
"""Number of elements up to which sorting all of them takes no longer than selecting some."""


def part(axis: int, start: int | None, stop: int | None) -> Any:
    """Index of NumPy for a slice along `axis`."""
    return (*(slice(None),) * axis, slice(start, stop))


def along(x: Array, places: Array, axis: int) -> Array:
    """The elements of `x` at `places` along `axis`; faster than `take_along_axis` for a vector."""
    return x[places] if x.ndim == 1 else np.take_along_axis(x, places, axis)


def sorted_places(x: Array, axis: int, descending: bool = False) -> Array:
    """int64 indices along `axis` that sort `x`, real; equal elements keep their order."""
    if not descending:
        return positions.argsort(x, axis)
    turned = (*(slice(None),) * (axis % x.ndim), slice(None, None, -1))
    backward = positions.argsort(x[turned], axis)
    return x.shape[axis] - 1 - backward[turned]


def top_places(x: Array, count: int, axis: int, largest: bool) -> Array:
    """int64 indices along `axis` of the `count` largest or smallest elements of `x`, real, the most extreme first.

    Equal elements keep their order.
    """
    length = x.shape[axis]
    if length <= FEW or not 0 < count < length or not x.size:
        return sorted_places(x, axis, largest)[part(axis, 0, count)]
    rows = np.moveaxis(x, axis, -1)
    rank = length - count if largest else count - 1
    last = np.partition(rows, rank, -1)[..., rank, None]
    better, equal = rows > last if largest else rows < last, rows == last
    if x.dtype.kind not in "iub":
        nans, beyond = np.isnan(rows), np.isnan(last)
        better |= nans & ~beyond if largest else ~nans & beyond
        equal |= nans & beyond
    room = count - better.sum(-1, np.int64, keepdims=True)
    better |= equal & (positions.cumsum(equal, -1) <= room)  # of those that equal the last one, the first
    chosen = positions.nonzero(better)[-1].reshape(*rows.shape[:-1], count)
    order = sorted_places(np.take_along_axis(rows, chosen, -1), -1, largest)
    return np.moveaxis(np.take_along_axis(chosen, order, -1), -1, axis)


def first_equal(x: Array, values: Array, axis: int) -> Array:
    """int64 index along `axis` of the first element of `x` that equals `values` (length 1 there); NaN equals NaN."""
    hits = x == values
    if x.dtype.kind not in "iub" and np.isnan(values).any():
        hits |= np.isnan(x) & np.isnan(values)
    return positions.argmax(hits, axis, keepdims=True)


def ranked(x: Array, rank: int, axis: int) -> tuple[Array, Array]:
    """The element of `rank` (0: the smallest) along `axis`, which is kept, and its first index."""
    ordered = x.copy()
    ordered.partition(rank, axis)
    values = ordered[part(axis, rank, rank + 1)]
    return values, first_equal(x, values, axis)


def median(x: Array, axis: int) -> tuple[Array, Array]:
    """The lower median along `axis`, which is kept, and its first index; NaN where there is one."""
    values, places = ranked(x, (x.shape[axis] - 1) // 2, axis)
    if x.dtype.kind in "iub":
        return values, places
    if not np.isnan(x.max()):
        return values, places
    nans = np.isnan(x)
    has_nan = nans.any(axis, keepdims=True)
    return np.where(has_nan, x.dtype.type(np.nan), values), np.where(
        has_nan, positions.argmax(nans, axis, keepdims=True), places
    )


def nanmedian(x: Array, axis: int) -> tuple[Array, Array]:
    """`median` of all that is not NaN; NaN where there is nothing else."""
    if x.dtype.kind in "iub":
        return median(x, axis)
    count = x.shape[axis] - np.isnan(x).sum(axis, np.int64, keepdims=True)
    values = along(np.sort(x, axis), np.maximum(count - 1, 0) // 2, axis)
    return values, first_equal(x, values, axis)


def mode(x: Array, axis: int) -> tuple[Array, Array]:
    """The most frequent element along `axis`, which is kept, the smallest of several, and its last index."""
    order = sorted_places(x, axis)
    ordered = along(x, order, axis)
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    counter = positions.arange(x.shape[axis]).reshape(shape)
    begins = np.ones(x.shape, np.bool_)
    behind = part(axis, 1, None)
    begins[behind] = ordered[behind] != ordered[part(axis, None, -1)]
    length = counter - np.maximum.accumulate(np.where(begins, counter, 0), axis)
    last = positions.argmax(length, axis, keepdims=True)  # the first run of the greatest length ends here
    return along(ordered, last, axis), along(order, last, axis)


def running_extreme(x: Array, axis: int, largest: bool) -> tuple[Array, Array]:
    """The largest (or smallest) elements so far along `axis`, and their int64 indices, the last of equals; NaN wins."""
    values = (np.maximum if largest else np.minimum).accumulate(x, axis)
    met = x == values
    if x.dtype.kind not in "iub":
        met |= np.isnan(x)
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    return values, np.maximum.accumulate(np.where(met, positions.arange(x.shape[axis]).reshape(shape), 0), axis)


def log_cumulative_sum(x: Array, axis: int) -> Array:
    """log(cumsum(exp(x))) along `axis`, computed so that nothing overflows; real or complex."""
    if x.dtype.kind != "c":
        return np.logaddexp.accumulate(x, axis)
    result = np.moveaxis(x.copy(), axis, 0)
    result[np.isnan(result)] = complex(np.nan, np.nan)
    result[np.isneginf(result.real)] = -np.inf
    for at in range(1, len(result)):
        result[at] = complex_logaddexp(result[at], result[at - 1])
    return np.moveaxis(result, 0, axis)


def insertion_places(edges: Array, values: Array, right: bool) -> Array:
    """int64 indices at which `values` keep `edges` sorted, along the last axis.

    Args:
        edges: sorted along its last axis; one-dimensional, or of the shape of `values` but for that axis.
        values: what to place; NaN goes to the end.
        right: behind equal elements, not before them.
    """
    length = edges.shape[-1]
    if edges.ndim == 1 and not (length and edges.dtype.kind == "f" and np.isnan(edges[-1])):
        places = positions.searchsorted(edges, values, "right" if right else "left")
        return np.where(np.isnan(values), length, places) if values.dtype.kind == "f" else places
    low = np.zeros(values.shape, np.int64)
    high = np.full(values.shape, length, np.int64)
    rows = np.broadcast_to(edges, (*values.shape[:-1], length))
    for _ in range(length.bit_length()):
        middle = (low + high) // 2
        probe = np.take_along_axis(rows, np.minimum(middle, length - 1), -1)
        beyond = ~(probe > values if right else probe >= values) & (low < high)
        low, high = np.where(beyond, middle + 1, low), np.where(beyond, high, middle)
    return low
