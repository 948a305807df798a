"""Operators that move the indices of a sparse tensor, and leave its entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.sparse import kernel
from ..._core.tensor.base import wrap
from ..._core.types.sizes import normalise
from ..._kernels import positions
from ..shapes.join import cat
from ..shapes.views import order_of
from .parts import entries_of, is_sparse, tensor_of


def permuted(self: Any, order: list[int]) -> Any:
    """Permute the dimensions; sparse ones stay before dense ones.

    Raises:
        RuntimeError: if they would not.
    """
    array = self._array_
    dims = len(array.indices)
    lead, rest = order[:dims], order[dims:]
    if lead and max(lead) >= dims:
        first = next(at for at, dim in enumerate(lead) if dim >= dims)
        raise RuntimeError(
            f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {dims}, d0: {first}, "
            f"d1: {lead[first]}"
        )
    values = array.values
    if rest and rest != sorted(rest):
        values = values.permute([0, *[at - dims + 1 for at in rest]])
    shape = tuple(array.shape[at] for at in order)
    coalesced = array.coalesced and (lead == sorted(lead) or array.indices.shape[1] < 2)
    return tensor_of(array.indices[lead], values, shape, coalesced)


@kernel("permute")
def permute_kernel(self: Any, dims: Any) -> Any:
    return permuted(self, order_of(dims, self.ndim))


@kernel("transpose")
def transpose_kernel(self: Any, dim0: int, dim1: int) -> Any:
    order = list(range(self.ndim))
    first, second = normalise(dim0, self.ndim), normalise(dim1, self.ndim)
    order[first], order[second] = order[second], order[first]
    return permuted(self, order)


@kernel("t")
def t_kernel(self: Any) -> Any:
    dims = len(self._array_.indices)
    if dims > 2 or self.ndim > dims:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {dims} sparse and "
            f"{self.ndim - dims} dense dimensions"
        )
    return permuted(self, list(reversed(range(self.ndim))))


@kernel("unsqueeze")
def unsqueeze_kernel(self: Any, dim: int) -> Any:
    array = self._array_
    at, dims = normalise(dim, self.ndim + 1), len(array.indices)
    shape = (*array.shape[:at], 1, *array.shape[at:])
    if at > dims:
        return tensor_of(array.indices, array.values.unsqueeze(at - dims + 1), shape, array.coalesced)
    return tensor_of(np.insert(array.indices, at, 0, axis=0), array.values, shape, array.coalesced)


@kernel("index_select")
def index_select_kernel(self: Any, dim: int, index: Any) -> Any:
    array = self._array_
    at, dims = normalise(dim, self.ndim), len(array.indices)
    wanted = index._array_.reshape(-1)
    shape = (*array.shape[:at], wanted.size, *array.shape[at + 1 :])
    if at >= dims:
        return tensor_of(array.indices, array.values.index_select(at - dims + 1, index), shape, array.coalesced)
    if wanted.size and (wanted.min() < 0 or wanted.max() >= array.shape[at]):
        bad = wanted[(wanted < 0) | (wanted >= array.shape[at])][0]
        raise IndexError(
            f"index_select(): index contains {bad} that is out of range for tensor of size {[*array.shape]} at "
            f"dimension {at}"
        )
    places, entries = entries_of(array)
    order = positions.argsort(places[at])
    known = places[at][order]
    begin = positions.searchsorted(known, wanted, "left")
    count = positions.searchsorted(known, wanted, "right") - begin
    target = positions.repeat(positions.arange(wanted.size), count)
    taken = order[positions.arange(target.size) + positions.repeat(begin + count - positions.cumsum(count), count)]
    result = places[:, taken]
    result[at] = target
    return tensor_of(result, wrap(entries[taken]), shape, result.shape[1] < 2)


@kernel("narrow_copy")
def narrow_copy_kernel(self: Any, dim: int, start: int, length: int) -> Any:
    array = self._array_
    dims = len(array.indices)
    if not 0 <= dim < array.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {array.ndim}.")
    if start < 0 or length < 0 or start + length > array.shape[dim]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {array.shape[dim]})."
        )
    shape = (*array.shape[:dim], length, *array.shape[dim + 1 :])
    if dim >= dims:
        return tensor_of(array.indices, array.values.narrow(dim - dims + 1, start, length), shape, array.coalesced)
    mask = (array.indices[dim] >= start) & (array.indices[dim] < start + length)
    places = array.indices[:, mask]
    places[dim] -= start
    return tensor_of(places, wrap(entries_of(array)[1][mask]), shape, array.coalesced)


@kernel("cat")
def cat_kernel(tensors: Any, dim: int = 0) -> Any:
    for at, part in enumerate(tensors):
        if not is_sparse(part):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {at}.")
    arrays = [part._array_ for part in tensors]
    first = arrays[0]
    at, dims = normalise(dim, first.ndim), len(first.indices)
    for place, part in enumerate(arrays):
        if len(part.indices) != dims or part.ndim != first.ndim:
            raise RuntimeError("cat: all sparse tensors must have the same number of sparse and of dense dimensions")
        if any(part.shape[other] != first.shape[other] for other in range(first.ndim) if other != at):
            raise RuntimeError(
                f"All tensors must have the same shape: {[*first.shape]} (except in the concatenating dimension), but "
                f"found shape: {[*part.shape]} at position {place}."
            )
    starts = positions.cumsum([0, *[part.shape[at] for part in arrays]])
    shape = (*first.shape[:at], int(starts[-1]), *first.shape[at + 1 :])
    if at >= dims:
        return side_by_side(arrays, starts, at - dims, shape)
    axes = positions.arange(dims)[:, None]
    moved = [part.indices + np.where(axes == at, start, 0) for part, start in zip(arrays, starts)]
    values = cat(tuple(part.values for part in arrays), 0)
    return tensor_of(np.concatenate(moved, axis=1), values, shape, False)


def side_by_side(arrays: Any, starts: Any, at: int, shape: Any) -> Any:
    """Concatenate sparse tensors along a dense dimension: each entry is extended by zeros."""
    dense = shape[len(shape) - arrays[0].values.ndim + 1 :]
    values = []
    for array, start, stop in zip(arrays, starts, starts[1:]):
        entries = array.values.new_zeros((array.indices.shape[1], *dense))
        entries.narrow(at + 1, int(start), int(stop - start)).copy_(array.values)
        values.append(entries)
    return tensor_of(np.concatenate([part.indices for part in arrays], axis=1), cat(tuple(values), 0), shape, False)


@kernel("unbind")
def unbind_kernel(self: Any, dim: int = 0) -> Any:
    dim = normalise(dim, self.ndim)
    return tuple(self.select(dim, at) for at in range(self.shape[dim]))


@kernel("stack")
def stack_kernel(tensors: Any, dim: int = 0) -> Any:
    return cat(tuple(tensor.unsqueeze(dim) for tensor in tensors), dim)
