"""Reading and adding at indices, in NumPy.

Index arrays are integers; the caller has refused what torch refuses. An index that is out of range raises IndexError.
Where NumPy checks an index array first and then reads it again, it gets a copy (`private`) that no other thread can
rewrite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import positions
from .results import Array, as_array


def private(index: Array) -> Array:
    """A copy of an index array or mask, of NumPy's own index dtype: what NumPy checks is what it then uses."""
    copied = np.array(index, order="C")
    return positions.as_intp(copied)


def along_axis(x: Array, axis: int, index: Array) -> tuple[Array, ...]:
    """Index arrays for `gather` and `scatter_add`: `index` along `axis`, its own places along the others."""
    places = np.ogrid[tuple(slice(size) for size in index.shape)]
    parts = list(places)
    parts[axis % x.ndim] = private(index)
    return tuple(parts)


def gather(x: Array, axis: int, index: Array) -> Array:
    """Elements of `x` picked along `axis`.

    Args:
        x: any dtype.
        axis: along which `index` counts.
        index: integers, as many axes as `x`, no longer than `x` along the others.

    Returns:
        A new array of the shape of `index`.
    """
    if x.ndim == 0 or index.ndim == 0:
        return as_array(positions.take(x.reshape(-1), index.reshape(-1)).reshape(index.shape))
    return x[along_axis(x, axis, index)]


def scatter_add(x: Array, axis: int, index: Array, source: Array) -> Array:
    """A copy of `x` with elements of `source` added along `axis` where `index` says.

    Args:
        x: any dtype.
        axis: along which `index` counts.
        index: integers, as many axes as `x`, no longer than `source` along any.
        source: dtype of `x`.

    Returns:
        A new array like `x`.
    """
    result = x.copy()
    if index.size == 0:
        return result
    if x.ndim == 0:
        np.add.at(result.reshape(-1), private(index).reshape(-1), source.reshape(-1)[: index.size])
        return result
    used = source[tuple(slice(size) for size in index.shape)] if source.ndim else source.reshape(1)
    np.add.at(result, along_axis(x, axis, np.atleast_1d(index)), used)
    return result


def index_select(x: Array, axis: int, index: Array) -> Array:
    """Slices of `x` along `axis`, in the order of `index` (0 or 1 axes)."""
    if x.ndim == 0:
        return as_array(positions.take(x.reshape(-1), index.reshape(-1)).reshape(()))
    return as_array(positions.take(x, index.reshape(-1), axis=axis))


def index_add(x: Array, axis: int, index: Array, source: Array, alpha: Any = 1) -> Array:
    """A copy of `x` with `alpha` times the slices of `source` added along `axis` where `index` says.

    Args:
        x: any dtype.
        axis: along which `index` counts.
        index: integers, (n,) or 0-dim.
        source: like `x`, but of length n along `axis`.
        alpha: a Python number.

    Returns:
        A new array like `x`.
    """
    result = x.copy()
    scaled = source if alpha == 1 else source * x.dtype.type(alpha)
    if x.ndim == 0:
        np.add.at(result.reshape(-1), private(index).reshape(-1), scaled.reshape(-1))
        return result
    np.add.at(np.moveaxis(result, axis, 0), private(index).reshape(-1), np.moveaxis(np.atleast_1d(scaled), axis, 0))
    return result


def index_put_add(x: Array, indices: Any, values: Array) -> Array:
    """A copy of `x` with `values` added at `indices`; repeated places add up.

    Args:
        x: any dtype.
        indices: an index of NumPy.
        values: broadcasts to the indexed shape.

    Returns:
        A new array like `x`.
    """
    result = x.copy()
    np.add.at(result, private_places(indices), values)
    return result


def private_places(indices: Any) -> Any:
    """Copy the index arrays of an index of NumPy by `private`."""
    if isinstance(indices, tuple):
        return tuple([private_places(part) for part in indices])
    return private(indices) if isinstance(indices, np.ndarray) else indices


def masked_fill(x: Array, mask: Array, value: Any) -> Array:
    """`x`, broadcast with the bool `mask`, with `value` where the mask holds."""
    return as_array(np.where(mask, x.dtype.type(value), x))


def embedding(weight: Array, indices: Array) -> Array:
    """Rows of `weight` (rows, width): indices (...) select (..., width)."""
    return positions.take(weight, indices, axis=0)


def embedding_backward(grad: Array, indices: Array, rows: int, padding_idx: int = -1) -> Array:
    """Gradient of the table of `embedding`.

    Args:
        grad: (..., width).
        indices: integers (...).
        rows: of the table.
        padding_idx: a row that gets no gradient; -1 for none.

    Returns:
        (rows, width), new: for each row the sum of the gradients of its uses.
    """
    width = grad.shape[-1]
    result = np.zeros((rows, width), grad.dtype)
    flat, grads = private(indices).reshape(-1), grad.reshape(indices.size, width)
    if padding_idx >= 0:
        used = flat != padding_idx
        flat, grads = flat[used], grads[used]
    np.add.at(result, flat, grads)
    return result
