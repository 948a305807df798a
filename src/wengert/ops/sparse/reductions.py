"""Sums over dimensions of sparse tensors, and softmax over entries."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core import sparse_errors
from ..._core.calls.sparse import kernel, takes_sparse
from ..._core.cards.arguments import check_tensors, integers
from ..._core.cards.card import FLOATS, NUMBERS, Array, find
from ..._core.tensor.base import wrap
from ..._core.tensor.coordinates import Coordinates
from ..._core.types.sizes import normalise
from ..._kernels import positions, sparse as kernels
from .compressed import is_compressed
from .entries import entries_at, packed
from .parts import coo, entries_of, in_order, is_sparse, of_sparse, sparse_lengths, with_values
from .reading import coalesce, values


@kernel("sum")
def sum_kernel(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self._array_
    if dim is None or dim == () or dim == []:
        return array.values.sum(dtype=dtype)
    entries = array.values if dtype is None else array.values.to(dtype)
    dims = dims_of(dim, self.ndim)
    result = wrap(summed_over(with_values(array, entries)._array_, dims))
    for axis in dims if keepdim else ():
        result = result.unsqueeze(axis)
    return result


@kernel("any")
def any_kernel(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        return NotImplemented
    return in_order(self._array_).values.any()


@kernel("linalg_vector_norm")
def norm_kernel(self: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if dim is not None or keepdim:
        return NotImplemented
    card: Any = find("linalg_vector_norm")
    return card.call((in_order(self._array_).values, ord, None, False, dtype))


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return dimensions counted from the front."""
    values = (int(dim),) if isinstance(dim, (int, np.integer)) else integers("sum", "dim", dim)
    return tuple(sorted({normalise(value, ndim) for value in values}))


def summed_over(array: Coordinates, dims: tuple[int, ...]) -> Any:
    """Sum over some dimensions: sparse unless all sparse ones are summed over."""
    lead = len(array.indices)
    places, entries = entries_of(array)
    inside = tuple(at - lead + 1 for at in dims if at >= lead)
    if inside:
        entries = entries.sum(axis=inside)
    remaining = [at for at in range(lead) if at not in dims]
    shape = tuple(length for at, length in enumerate(array.shape) if at not in dims)
    if not remaining:
        return entries.sum(axis=0)
    return in_order(coo(places[remaining], entries, shape, len(remaining) == lead and array.coalesced))


@takes_sparse
@of_sparse(dtypes=NUMBERS, linear="self", name="_sparse_sum", node="SparseSumBackward0")
def summed(self: Array, dims: Any) -> Any:
    """Sum over some dimensions.

    Args:
        self: sparse tensor.
        dims: the dimensions, counted from the front, ascending.
    """
    return summed_over(self, dims)


@summed.vjp("self")
def summed_vjp(grad: Any, self: Any, dims: Any) -> Any:
    result = in_order(self._array_)
    lead = len(result.indices)
    remaining = [at for at in range(lead) if at not in dims]
    if remaining:
        entries = entries_at(grad, wrap(result.indices[remaining]))
    else:
        entries = grad.unsqueeze(0).expand(result.indices.shape[1], *grad.shape)
    for at in dims:
        if at >= lead:
            entries = entries.unsqueeze(at - lead + 1)
    return packed.call((wrap(result.indices), entries.expand(result.values.shape), self.shape, False))


def sparse_sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Sum of a sparse tensor, whose gradient has its indices: `torch.sparse.sum`.

    Args:
        input: sparse tensor.
        dim: the dimension or dimensions; all by default.
        dtype: dtype of the result.

    Returns:
        A new tensor, dense if all sparse dimensions are summed over.

    Raises:
        TypeError: if `input` is not a tensor.
    """
    check_tensors("_sparse_sum", input=input)
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        return values(coalesce(input)).sum()
    return summed.call((coalesce(input), dims_of(dim, input.ndim)))


def grouped(indices: Any, lengths: tuple[int, ...], dim: int) -> Any:
    """Return the number of each entry's line along `dim`."""
    rest = [at for at in range(len(lengths)) if at != dim]
    keys = kernels.numbers(indices[rest], tuple(lengths[at] for at in rest))
    return positions.inverse_of_unique(keys)[1]


def lines(array: Coordinates, dim: int) -> tuple[Any, int]:
    """Return the lines of the entries, and their number."""
    result = grouped(array.indices, sparse_lengths(array), dim)
    return result, int(result.max()) + 1 if result.size else 0


def shifted_exponentials(array: Coordinates, dim: int) -> tuple[Any, Any]:
    """Entries minus the largest of their line, and the sums of their exponentials, of a coalesced array."""
    entries = array.values._array_
    if dim >= len(array.indices):
        axis = dim - len(array.indices) + 1
        shifted = entries - entries.max(axis=axis, keepdims=True)
        return shifted, np.exp(shifted).sum(axis=axis, keepdims=True)
    line, count = lines(array, dim)
    most = np.full((count, *entries.shape[1:]), -np.inf, entries.dtype)
    np.maximum.at(most, line, entries)
    shifted = entries - most[line]
    return shifted, kernels.row_sums(line, np.exp(shifted), count)[line]


softmax_like = partial(of_sparse, dtypes=FLOATS)
"""Card decorator for functions along lines of entries."""


@takes_sparse
@softmax_like(name="_sparse_softmax", node="SparseSoftmaxBackward0")
def softmax(self: Array, dim: int) -> Any:
    """Softmax of entries along a dimension: missing ones count as minus infinity."""
    result = in_order(self)
    shifted, total = shifted_exponentials(result, dim)
    return coo(result.indices, np.exp(shifted) / total, self.shape, True)


@softmax.vjp("self")
def softmax_vjp(grad: Any, out: Any, dim: int) -> Any:
    places, shares = wrap(out._array_.indices), values(out)
    grad_entries = entries_at(grad, places) * shares
    return packed.call((places, grad_entries - shares * line_sums(out._array_, grad_entries, dim), out.shape, False))


@softmax.jvp("self")
def softmax_jvp(tangent: Any, out: Any, dim: int) -> Any:
    return softmax_vjp(tangent, out, dim)


@takes_sparse
@softmax_like(name="_sparse_log_softmax", node="SparseLogSoftmaxBackward0")
def log_softmax(self: Array, dim: int) -> Any:
    """Logarithm of `softmax`."""
    result = in_order(self)
    shifted, total = shifted_exponentials(result, dim)
    return coo(result.indices, shifted - np.log(total), self.shape, True)


@log_softmax.vjp("self")
def log_softmax_vjp(grad: Any, out: Any, dim: int) -> Any:
    places, shares = wrap(out._array_.indices), values(out).exp()
    grad_entries = entries_at(grad, places)
    return packed.call((places, grad_entries - shares * line_sums(out._array_, grad_entries, dim), out.shape, False))


@log_softmax.jvp("self")
def log_softmax_jvp(tangent: Any, out: Any, dim: int) -> Any:
    places, shares = wrap(out._array_.indices), values(out).exp()
    tangent_entries = entries_at(tangent, places)
    return packed.call(
        (places, tangent_entries - line_sums(out._array_, tangent_entries * shares, dim), out.shape, True)
    )


def line_sums(array: Coordinates, entries: Any, dim: int) -> Any:
    """Return the sum of each entry's line."""
    if dim >= len(array.indices):
        return entries.sum(dim - len(array.indices) + 1, keepdim=True)
    line, count = lines(array, dim)
    where = wrap(line)
    return entries.new_zeros((count, *entries.shape[1:])).index_add(0, where, entries).index_select(0, where)


def sparse_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Softmax of entries along a dimension: `torch.sparse.softmax`."""
    return along_lines(softmax, input, dim, dtype)


def sparse_log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Logarithm of the softmax of entries along a dimension: `torch.sparse.log_softmax`."""
    return along_lines(log_softmax, input, dim, dtype)


def along_lines(card: Any, input: Any, dim: int, dtype: Any) -> Any:
    """Apply a card to a sparse tensor.

    Raises:
        NotImplementedError: if the tensor is dense.
    """
    if not is_sparse(input) or is_compressed(input):
        kind = "CPU" if not is_sparse(input) else f"{input.layout.title}CPU"
        raise NotImplementedError(sparse_errors.no_kernel(card.name, kind))
    return card.call((input if dtype is None else input.to(dtype), normalise(dim, input.ndim)))
