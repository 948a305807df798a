"""Batching rules of operators at indices along a dimension.

Indices are checked for each member: they never reach into another one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import batch_errors
from ..._core.cards.card import INTEGERS, Index, op
from ..._core.operators.batch_rules import full, shifted, singled, with_batch
from ..._core.tensor import batches
from ..._core.tensor.base import wrap
from ..._kernels import positions
from .index import check_range


def numbers(size: int, dims: int = 1) -> Any:
    """Return the numbers of the members, followed by `dims` dimensions, as the index array of the batch."""
    return wrap(positions.arange(size).reshape((size, *(1,) * dims)))


def elements(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of operators with an index for each element: `gather`, `scatter` and the like."""
    operands = full(args, carried, size)
    at, index = op.names.index("dim"), operands[op.names.index("index")]
    shape = index.shape if op.name == "gather" else operands[0].shape
    operands[at] = shifted(operands[at], operands[0].ndim - 1)
    for place in op.tensor_slots:
        operands[place] = not_flat(operands[place])
    return op.call(tuple(operands)).reshape(shape)


def not_flat(value: Any) -> Any:
    """Return members without dimensions as vectors of one element."""
    return value.unsqueeze(1) if getattr(value, "ndim", 0) == 1 else value


def gathered_backward(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `gather_backward`."""
    grad, shape, dim, index = full(args, carried, size)
    room = (size, *(tuple(shape) or (1,)))
    return op.call((not_flat(grad), room, shifted(dim, len(shape)), not_flat(index))).reshape((size, *shape))


@op(dtypes=INTEGERS, why="indices", public="hidden")
def places_of_members(index: Index, length: int, wraps: bool) -> Any:
    """Return the indices of all members, concatenated, in a dimension that concatenates the members.

    Args:
        index: (size, n), the indices of each member.
        length: length of the dimension of a member.
        wraps: negative indices count from the end; otherwise they are refused.

    Raises:
        IndexError: if an index is out of range.
    """
    places = np.array(index, np.int64)  # a copy, which no other thread can change
    outside = places[(places >= length) | (places < (-length if wraps else 0))]
    if outside.size:
        raise IndexError(f"index {outside[0]} is out of bounds for a dimension of size {length}")
    places[places < 0] += length
    return (places + positions.arange(len(places))[:, None] * length).reshape(-1)


@places_of_members.batched
def places_of_members_batched(index: Any, length: int, wraps: bool) -> Any:
    outer, inner, count = index.shape
    row = index.movedim(1, 0).reshape((inner, outer * count))
    result = places_of_members.call((row, length, wraps)).reshape((inner, outer, count))
    return result.movedim(1, 0).reshape((outer, inner * count))


def vector_of_members(size: int, index: Any, length: int, wraps: bool = False) -> Any:
    """`places_of_members` of an index that is a vector, or a single number, for each member.

    Raises:
        IndexError: if `index` has more dimensions, or is out of range.
        RuntimeError: if the dtype is not an index's.
    """
    if index.ndim > 2:
        raise IndexError("the index must be a vector, or a single number")
    if index._array_.dtype not in (np.int64, np.int32):
        raise RuntimeError("the index must be int64 or int32")
    return places_of_members.call((index.reshape((size, math.prod(index.shape[1:]))), length, wraps))


def folded(whole: Any, dim: int) -> Any:
    """Concatenate all members along a dimension, which comes first."""
    moved = whole.movedim(dim, 1)
    size, length, *rest = moved.shape
    return moved.reshape((size * length, *rest))


def unfolded(value: Any, size: int, dim: int, length: int) -> Any:
    """Undo `folded`: the batch in front, and `length` slices along a dimension."""
    return value.reshape((size, length, *value.shape[1:])).movedim(1, dim).contiguous()


def selected(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index_select`."""
    (self, dim, index), (on_self, _, on_index) = singled(args, carried)
    ndim, at = self.ndim - on_self, shifted(dim, self.ndim - on_self)
    if index.ndim - on_index > 1:
        raise IndexError("the index must be a vector, or a single number")
    shape = self.shape[on_self:]
    count = math.prod(index.shape[on_index:])
    result = (size, *shape[: at - 1], count, *shape[at:]) if ndim else (size,)
    if not on_self:
        picked = op.call((self if ndim else self.reshape(1), at - 1, index.reshape(size * count)))
        if not ndim:
            return picked.reshape(result)
        return picked.reshape((*shape[: at - 1], size, count, *shape[at:])).movedim(at - 1, 0)
    whole = not_flat(self)
    if not on_index:
        return op.call((whole, at, index)).reshape(result)
    picked = op.call((folded(whole, at), 0, vector_of_members(size, index, whole.shape[at])))
    return unfolded(picked, size, at, count).reshape(result)


def selected_backward(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index_select_backward`."""
    (grad, shape, dim, index), (on_grad, _, _, on_index) = singled(args, carried)
    grad = with_batch(grad, on_grad, size)
    if not shape:
        return grad.reshape(size)
    at, room = shifted(dim, len(shape)), (size, *shape)
    if not on_index:
        return op.call((grad, room, at, index))
    rows = folded(grad, at)
    result = op.call((rows, (size * room[at], *rows.shape[1:]), 0, vector_of_members(size, index, room[at])))
    return unfolded(result, size, at, room[at])


def written(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of operators that write slices: `index_add`, `index_copy`, `index_reduce`."""
    at_dim, at_index, at_source = (op.names.index(name) for name in ("dim", "index", "source"))
    operands, on = singled(args, carried)
    self, source = (with_batch(operands[at], on[at], size) for at in (0, at_source))
    dim, shape = shifted(operands[at_dim], self.ndim - 1), self.shape
    self, source, index = not_flat(self), not_flat(source), operands[at_index]
    if self.ndim != source.ndim:
        raise RuntimeError("self and source have different numbers of dimensions")
    if not on[at_index]:
        operands[0], operands[at_dim], operands[at_source] = self, dim, source
        return op.call(tuple(operands)).reshape(shape)
    check_slices(self, dim, index, source)
    if op.name == "index_copy":
        check_places(index)
        check_range(index._array_, self.shape[dim], dim - 1, low=False, name="index_copy_(): ")
    operands[0], operands[at_dim], operands[at_source] = folded(self, dim), 0, folded(source, dim)
    operands[at_index] = vector_of_members(size, index, self.shape[dim], op.name == "index_copy")
    return unfolded(op.call(tuple(operands)), size, dim, self.shape[dim]).reshape(shape)


def check_slices(self: Any, dim: int, index: Any, source: Any) -> None:
    """Refuse a source without one slice for each index.

    Raises:
        RuntimeError: if the number of slices, or their shape, does not fit.
    """
    count = math.prod(index.shape[1:])
    if index.ndim > 2 or source.shape != (*self.shape[:dim], count, *self.shape[dim + 1 :]):
        raise RuntimeError("the slices do not fit")


def check_places(index: Any) -> None:
    """Refuse indices that are not int64, if an operator that accepts others does the work.

    Raises:
        RuntimeError: if the dtype is not int64.
    """
    if index._array_.dtype != np.int64:
        raise RuntimeError("int64 is wanted")


def filled(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index_fill`: by a mask if the value differs between members."""
    (self, dim, index, value), (on_self, _, on_index, on_value) = singled(args, carried)
    self = with_batch(self, on_self, size)
    dim, shape = shifted(dim, self.ndim - 1), self.shape
    self = not_flat(self)
    if not on_index and not on_value:
        return op.call((self, dim, index, value)).reshape(shape)
    check_places(index)
    length, rows = self.shape[dim], size if on_index else 1
    places = vector_of_members(rows, index if on_index else index.unsqueeze(0), length, True)
    if not on_value:
        return unfolded(op.call((folded(self, dim), 0, places, value)), size, dim, length).reshape(shape)
    mask = op.call((wrap(np.zeros(rows * length, np.bool_)), 0, places, True))
    mask = mask.reshape((rows, *(1,) * (dim - 1), length, *(1,) * (self.ndim - dim - 1)))
    return filled_where(self, mask, value, on_value, self.ndim - 1).reshape(shape)


def filled_where(self: Any, mask: Any, value: Any, on_value: bool, depth: int) -> Any:
    """`masked_fill` with a value that may have one element for each member, which has `depth` dimensions."""
    if not on_value:
        return self.masked_fill(mask, value)
    if value.ndim != 1 or mask._array_.dtype != np.bool_:
        raise RuntimeError("the value does not fit")
    if value.is_complex() and not self.is_complex():
        if all_members(value).imag.any():
            raise RuntimeError("the value is not real")
        value = value.real
    return value.to(self.dtype).reshape((value.shape[0], *(1,) * depth)).where(mask, self)


def all_members(tensor: Any) -> Any:
    """Return the values of a tensor for all members of all its batches."""
    while batches.is_batched(tensor):
        tensor = tensor._array_.whole
    return tensor._array_


def taken(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `take`."""
    (self, index), (on_self, on_index) = singled(args, carried)
    if not on_self:
        return op.call((self, index))
    check_places(index)
    flat = self.reshape((size, math.prod(self.shape[1:])))
    count = math.prod(index.shape[on_index:])
    if on_index:
        return flat[numbers(size), index.reshape((size, count))].reshape(index.shape)
    return flat[:, index.reshape(count)].reshape((size, *index.shape))


def put_in(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `put`."""
    (self, index, source, accumulate), (on_self, on_index, on_source, _) = singled(args, carried)
    self = with_batch(self, on_self, size)
    check_places(index)
    count, room = math.prod(index.shape[on_index:]), math.prod(self.shape[1:])
    if math.prod(source.shape[on_source:]) != count:
        raise IndexError("source and index have different numbers of elements")
    where = (numbers(size), index.reshape((size, count))) if on_index else (None, index.reshape(count))
    flat_source = source.reshape((*source.shape[:on_source], count))
    return self.reshape((size, room)).index_put(where, flat_source, accumulate).reshape(self.shape)


def diagonal_filled(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `fill_diagonal`."""
    self, fill_value, again = args
    mask = op.call((wrap(np.zeros(self.shape[1:], np.bool_)), True, again))
    return self.masked_fill(mask, fill_value)


def nonzero_refused(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of the operator that `nonzero` and `argwhere` call.

    Raises:
        RuntimeError: always; the number of elements would differ between members.
    """
    raise RuntimeError(batch_errors.dynamic("nonzero"))
