"""Sparse arrays in coordinates, as NumPy arrays of places and of entries."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from . import positions

Array: TypeAlias = np.ndarray[Any, Any]


def numbers(indices: Array, lengths: tuple[int, ...]) -> Array:
    """The places (dimensions, entries) counted row by row."""
    result = np.zeros(indices.shape[1], np.int64)
    for at, length in enumerate(lengths):
        result = result * length + indices[at]
    return result


def places(remaining: Array, lengths: tuple[int, ...]) -> Array:
    """The inverse of `numbers`."""
    result = np.empty((len(lengths), remaining.size), np.int64)
    for at in reversed(range(len(lengths))):
        remaining, result[at] = np.divmod(remaining, max(lengths[at], 1))
    return result


def order_of(keys: Array) -> Array:
    """Indices that sort non-negative keys; equal ones keep their order.

    Many are sorted by sixteen bits at a time, for which NumPy counts and does not compare.
    """
    if keys.size < FEW or (keys[1:] >= keys[:-1]).all():
        return positions.argsort(keys)
    order = positions.argsort(keys.astype(np.uint16))
    for shift in range(16, int(keys.max()).bit_length(), 16):
        order = order[positions.argsort((keys >> shift).astype(np.uint16)[order])]
    return order


FEW = 256
"""Number of keys up to which sorting by comparison is quicker."""


def groups(keys: Array) -> tuple[Array, Array]:
    """Indices that sort keys, and the start of each distinct key among the sorted ones."""
    order = order_of(keys)
    known = keys[order]
    return order, positions.flatnonzero(np.concatenate([np.ones(min(known.size, 1), bool), known[1:] != known[:-1]]))


def summed(values: Array, order: Array, starts: Array) -> Array:
    """The sums of the entries of each group."""
    if not starts.size:
        return values[:0]
    if starts.size == order.size:
        return values[order]
    return positions.reduceat(np.add, values[order], starts, dtype=values.dtype)


def coalesced(indices: Array, values: Array, lengths: tuple[int, ...]) -> tuple[Array, Array]:
    """Each place once, in order, with the sum of its entries."""
    keys = numbers(indices, lengths)
    order, starts = groups(keys)
    return indices[:, order[starts]], summed(values, order, starts)


def merged(indices: Array, values: Array, count: int, lengths: tuple[int, ...]) -> tuple[Array, Array]:
    """The sum of two arrays, the first of `count` entries: at each place the first entries meet, then the second ones.

    So the sum has no more entries than necessary, if in both the places are in order; otherwise all stay.
    """
    keys = numbers(indices, lengths)
    if (np.diff(keys[:count]) < 0).any() or (np.diff(keys[count:]) < 0).any():
        return indices, values
    ranks = np.empty(keys.size, np.int64)
    for part in (slice(None, count), slice(count, None)):
        keys_of_part = keys[part]
        ranks[part] = positions.arange(keys_of_part.size) - positions.searchsorted(keys_of_part, keys_of_part, "left")
    order = positions.lexsort((ranks, keys))
    known, rank = keys[order], ranks[order]
    fresh = (known[1:] != known[:-1]) | (rank[1:] != rank[:-1])
    starts = positions.flatnonzero(np.concatenate([np.ones(min(known.size, 1), bool), fresh]))
    return indices[:, order[starts]], summed(values, order, starts)


def dense(indices: Array, values: Array, shape: tuple[int, ...]) -> Array:
    """The whole array: zeros, and sums of entries."""
    result = np.zeros(shape, values.dtype)
    add_at(result, indices, values)
    return result


def add_at(target: Array, indices: Array, values: Array) -> None:
    """Add entries to the elements of an array at their places."""
    lead = target.shape[: len(indices)]
    if not lead:
        target += values.sum(axis=0, dtype=values.dtype)
        return
    order, starts = groups(numbers(indices, lead))
    where = tuple(indices[:, order[starts]])
    target[where] += summed(values, order, starts)


def row_sums(rows: Array, values: Array, count: int) -> Array:
    """Sums (count, ...) of the values of each row, added one after the other."""
    sums = np.zeros((count, *values.shape[1:]), values.dtype)
    order, starts = groups(rows)
    sums[rows[order[starts]]] = summed(values, order, starts)
    return sums


def read(array: Array, indices: Array) -> Array:
    """The elements of a dense array at some places."""
    if not len(indices):
        return np.broadcast_to(array, (indices.shape[1], *array.shape)).copy()
    return array[tuple(indices)]


def looked_up(indices: Array, values: Array, wanted: Array, lengths: tuple[int, ...]) -> Array:
    """The entries of a coalesced array at other places; zeros where there is none."""
    known, wanted_numbers = numbers(indices, lengths), numbers(wanted, lengths)
    entries = np.zeros((wanted_numbers.size, *values.shape[1:]), values.dtype)
    if known.size:
        at = np.minimum(positions.searchsorted(known, wanted_numbers), known.size - 1)
        hit = known[at] == wanted_numbers
        entries[hit] = values[at[hit]]
    return entries


def product(first: tuple[Array, Array], second: tuple[Array, Array], rows: int, columns: int) -> tuple[Array, Array]:
    """The product of two sparse matrices, each (indices, values), the second coalesced: places in order, and sums."""
    (places1, values1), (places2, values2) = first, second
    begin, count = runs(places2[0], places1[1])
    right = positions.arange(count.sum()) - positions.repeat(positions.cumsum(count) - count - begin, count)
    keys = positions.repeat(places1[0] * columns, count) + places2[1][right]
    order, starts = groups(keys)
    met = places(keys[order[starts]], (rows, columns))
    return met, summed(positions.repeat(values1, count) * values2[right], order, starts)


def runs(lines: Array, wanted: Array) -> tuple[Array, Array]:
    """Start of each wanted number in a sorted array, and how often it occurs."""
    highest = max(lines.max(initial=0), wanted.max(initial=0))
    if highest > 4 * (lines.size + wanted.size):
        begin = positions.searchsorted(lines, wanted, "left")
        return begin, positions.searchsorted(lines, wanted, "right") - begin
    count = positions.bincount(lines, minlength=highest + 1)
    return (positions.cumsum(count) - count)[wanted], count[wanted]
