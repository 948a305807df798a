"""Sparse arrays in compressed formats (by rows, columns or blocks), as NumPy arrays of bounds, places and entries.

Lines are rows (or columns, or rows or columns of blocks); `bounds` (batch ..., lines + 1) says where in `plain`
(batch ..., entries) the places of each line begin, which are numbers of columns (or rows). Values are (batch ...,
entries, cell ...).
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from . import positions
from .sparse import order_of

Array: TypeAlias = np.ndarray[Any, Any]


def lines(bounds: Array) -> Array:
    """Number of the line of each entry, of all batches one after the other."""
    count = np.diff(bounds, axis=-1)
    numbers = np.broadcast_to(positions.arange(count.shape[-1]), count.shape)
    return positions.repeat(numbers.reshape(-1), count.reshape(-1))


def bounds_of(counts: Array, dtype: Any = np.int64) -> Array:
    """Bounds of the lines, from the number of entries of each line (batch ..., lines)."""
    bounds = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1), dtype)
    np.cumsum(counts, axis=-1, out=bounds[..., 1:])
    return bounds


def places(bounds: Array, plain: Array, rows: bool, blocks: tuple[int, ...]) -> Array:
    """Indices (dimensions, elements) of the elements of all entries, in the order of the entries.

    Args:
        bounds, plain: the compressed places and the plain ones.
        rows: whether lines are rows.
        blocks: rows and columns of a block; () where entries are not blocks.
    """
    batch, count = bounds.shape[:-1], plain.shape[-1]
    of_batch = positions.repeat(positions.arange(math.prod(batch)), count)
    indices = [*positions.unravel_index(of_batch, batch)] if batch else []
    line, across = lines(bounds), plain.reshape(-1).astype(np.int64, copy=False)
    indices += [line, across] if rows else [across, line]
    if not blocks:
        return np.stack(indices)
    inside = np.indices(blocks, np.int64).reshape(2, -1)
    columns = [positions.repeat(index, inside.shape[1]) for index in indices]
    for at in (0, 1):
        columns[at - 2] = (indices[at - 2][:, None] * blocks[at] + inside[at]).reshape(-1)
    return np.stack(columns)


def compressed(indices: Array, values: Array, shape: tuple[int, ...], rows: bool) -> tuple[Array, Array, Array]:
    """Bounds, plain places and entries of a coalesced array in two sparse dimensions."""
    line, across = indices if rows else indices[::-1]
    if not rows:
        order = order_of(line)
        line, across, values = line[order], across[order], values[order]
    return bounds_of(positions.bincount(line, minlength=shape[0 if rows else 1])), across, values


def in_blocks(indices: Array, values: Array, shape: tuple[int, ...], blocks: tuple[int, int]) -> tuple[Array, Array]:
    """Indices of the blocks and the blocks of an array in two sparse dimensions; `shape` is that of the whole array."""
    across = max(shape[1] // blocks[1], 1)
    keys = indices[0] // blocks[0] * across + indices[1] // blocks[1]
    distinct, where = positions.inverse_of_unique(keys)
    cells = np.zeros((distinct.size, *blocks, *values.shape[1:]), values.dtype)
    cells[where, indices[0] % blocks[0], indices[1] % blocks[1]] = values
    return np.stack(np.divmod(distinct, across)), cells


def of_dense(dense: Array, batches: int, rows: bool, blocks: tuple[int, ...]) -> tuple[Array, Array, Array] | None:
    """Bounds, plain places and entries of the non-zero elements; None if batches differ in their number of entries."""
    cells = cells_of(dense, batches, blocks) if blocks else dense
    if not rows:
        cells = cells.swapaxes(batches, batches + 1)
    filled = (cells != 0).any(axis=tuple(range(batches + 2, cells.ndim)))
    counts = filled.sum(axis=-1, dtype=np.int64)
    batch, per_batch = counts.shape[:-1], counts.reshape(math.prod(counts.shape[:-1]), -1).sum(axis=-1)
    if (per_batch != per_batch[:1]).any():
        return None
    count = int(per_batch[0]) if per_batch.size else 0
    where = positions.nonzero(filled)
    entries = cells[where].reshape(*batch, count, *cells.shape[batches + 2 :])
    return bounds_of(counts), where[-1].reshape(*batch, count), entries


def cells_of(dense: Array, batches: int, blocks: tuple[int, ...]) -> Array:
    """An array (batch ..., rows, columns, ...) as (batch ..., rows and columns of blocks, blocks, ...)."""
    (rows, columns), (high, wide) = dense.shape[batches : batches + 2], blocks
    batch, rest = dense.shape[:batches], dense.shape[batches + 2 :]
    cells = dense.reshape(*batch, rows // high, high, columns // wide, wide, *rest)
    return cells.swapaxes(batches + 1, batches + 2)


ROOM = 1 << 16
"""Number of terms of a product that are formed at once, so that they stay in the cache."""


def product(bounds: Array, plain: Array, values: Array, dense: Array, function: Any = np.add) -> Array:
    """Product of a matrix compressed by rows and a dense one, some rows at a time.

    `function` is the ufunc that reduces the terms; the result is zero where there are none.
    """
    result = np.zeros((bounds.size - 1, dense.shape[1]), dense.dtype)
    step = max(ROOM // max(dense.shape[1], 1), 1)
    ends = positions.arange(step, int(bounds[-1]) + step, step)
    cuts = [0, *np.unique(positions.searchsorted(bounds, ends, "right") - 1).tolist()]
    for begin, end in zip(cuts, [*cuts[1:], bounds.size - 1]):
        part = slice(bounds[begin], bounds[end])
        terms = positions.take(dense, plain[part], axis=0)
        terms *= values[part, None]
        result[begin:end] = reduced(bounds[begin : end + 1] - bounds[begin], terms, function)
    return result


def in_rows(rows: Array, columns: Array, values: Array, count: int) -> tuple[Array, Array, Array]:
    """Bounds, places and values of a matrix from its entries in coordinates; those of a row keep their order."""
    if (rows[1:] < rows[:-1]).any():
        order = order_of(rows)
        rows, columns, values = rows[order], columns[order], values[order]
    return bounds_of(positions.bincount(rows, minlength=count)), columns, values


def reduced(bounds: Array, terms: Array, function: Any) -> Array:
    """Reduce the terms of each line of one batch by a ufunc: (lines, ...); zero for lines without terms."""
    result = np.zeros((bounds.size - 1, *terms.shape[1:]), terms.dtype)
    filled = bounds[1:] > bounds[:-1]
    if filled.any():
        result[filled] = positions.reduceat(function, terms, bounds[:-1][filled], dtype=terms.dtype)
    return result
