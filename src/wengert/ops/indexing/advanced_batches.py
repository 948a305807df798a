"""Batching rules of masks and index arrays.

If the index arrays are the same for all members, the batch is one more dimension that no index array stands for;
otherwise the numbers of the members are one more index array. A mask with separate values for each member selects
different numbers of elements, so it only supports writing, with values that are not counted by it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import batch_errors
from ..._core.operators.batch_rules import singled, with_batch
from ..._core.types.sizes import broadcast
from .batches import filled_where, not_flat, numbers, vector_of_members
from .indexed import width


def is_mask(index: Any) -> bool:
    """Return whether an index tensor is a mask."""
    return index._array_.dtype == np.bool_


class Places:
    """Index arrays of the members of a batch.

    Attributes:
        indices: the index arrays, None for a whole dimension; those that differ have the batch in front.
        on: which of them differ between members; `differ`: whether any does.
        alone: whether there is one index array.
        neighbours: whether the index arrays stand for neighbouring dimensions.
        depth: number of dimensions of a result that stand for them.
        front: number of dimensions of a member's result before these; they come first if they are not neighbours.
        covered: number of dimensions of a member that the index arrays stand for.
    """

    def __init__(self, name: str, indices: Any, carried: Any) -> None:
        self.indices, self.on = singled(list(indices), list(carried))
        self.differ = any(self.on)
        at = [place for place, array in enumerate(self.indices) if array is not None]
        if any(on and is_mask(self.indices[place]) for place, on in enumerate(self.on)):
            raise RuntimeError(batch_errors.by_mask(name))
        self.alone = len(at) == 1
        self.neighbours = not at or at[-1] - at[0] == len(at) - 1
        self.front = at[0] if at and self.neighbours else 0
        depths = [1 if is_mask(self.indices[place]) else self.indices[place].ndim - self.on[place] for place in at]
        self.depth = max(depths, default=0)
        self.covered = sum([width(self.indices[place]._array_) for place in at])

    def of_whole(self, size: int, in_front: bool) -> tuple[Any, ...]:
        """Return the index arrays of the tensor with all members, which has the batch in front, or not at all."""
        if not self.differ:
            return (None, *self.indices) if in_front else tuple(self.indices)
        whole: list[Any] = [numbers(size, self.depth)] if in_front else []
        for array, on in zip(self.indices, self.on):
            if on:
                array = array.reshape((size, *(1,) * (self.depth + 1 - array.ndim), *array.shape[1:]))
            if array is not None and is_mask(array):
                whole += array.nonzero(as_tuple=True)
            else:
                whole.append(array)
        return tuple(whole)

    def order(self, ndim: int) -> list[int]:
        """Return the permutation from results with `of_whole` to the members' results, with the batch in front."""
        places = list(range(ndim))
        if not self.differ:
            return places if self.neighbours else [self.depth, *places[: self.depth], *places[self.depth + 1 :]]
        behind = 1 + self.depth
        return [0, *places[behind : behind + self.front], *places[1:behind], *places[behind + self.front :]]

    def from_whole(self, result: Any) -> Any:
        """Move the batch of a result with `of_whole` to the front."""
        order = self.order(result.ndim)
        return result if order == list(range(result.ndim)) else result.permute(order)

    def to_whole(self, value: Any) -> Any:
        """Move the batch of a value from the front to its place in `of_whole`."""
        order = self.order(value.ndim)
        if order == list(range(value.ndim)):
            return value
        return value.permute([order.index(at) for at in range(value.ndim)])


def indexed(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index`."""
    (self,), (on_self,) = singled(args[:1], carried[:1])
    places = Places("index", args[1], carried[1])
    if not on_self and not places.differ:
        return with_batch(op.call((self, tuple(places.indices))), False, size)
    result = op.call((self, places.of_whole(size, on_self)))
    return (places.from_whole(result) if on_self else result.movedim(places.front, 0)).contiguous()


def indexed_backward(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index_backward`."""
    grad = with_batch(args[0], carried[0], size)
    places = Places("index", args[2], carried[2])
    if places.differ and places.alone:
        return one_index_backward(op, size, places, grad, args[1])
    return op.call((places.to_whole(grad), (size, *args[1]), places.of_whole(size, True)))


def one_index_backward(op: Any, size: int, places: Places, grad: Any, shape: Any) -> Any:
    """`indexed_backward` of one index array: all members concatenated along the dimension that it stands for."""
    dim = places.front
    rest = (*shape[:dim], *shape[dim + 1 :])
    index = places.indices[dim]
    count = math.prod(index.shape[1:])
    rows = places.to_whole(grad).reshape((size * count, *rest))
    where = vector_of_members(size, index.reshape((size, count)), shape[dim], True)
    result = op.call((rows, (size * shape[dim], *rest), (where,)))
    return result.reshape((size, shape[dim], *rest)).movedim(1, dim + 1).contiguous()


def index_written(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `index_put`."""
    self, indices, values, accumulate = args
    self = with_batch(self, carried[0], size)
    (values,), (on_values,) = singled([values], [carried[2]])
    mask = mask_of(indices, carried[1])
    if mask is not None:
        return written_where(self, mask, len(indices) - 1, values, on_values, accumulate)
    places = Places("index_put", indices, carried[1])
    if not accumulate and values.dtype is not self.dtype and is_single(values, on_values) and is_only_mask(indices):
        values = values.to(self.dtype)
    source = with_dimensions(values, on_values, self.ndim - 1 - places.covered + places.depth)
    return op.call((self, places.of_whole(size, True), places.to_whole(source), accumulate))


def with_dimensions(values: Any, on: bool, ndim: int) -> Any:
    """Give values, the batch (or a dimension of length 1) in front, as many dimensions as the part of a member that
    they are written to.

    Raises:
        RuntimeError: if there are more dimensions, whose length is not 1.
    """
    shape = list(values.shape[on:])
    while len(shape) > ndim and shape[0] == 1:
        del shape[0]
    if len(shape) > ndim:
        raise RuntimeError("the values have too many dimensions")
    return values.reshape((values.shape[0] if on else 1, *(1,) * (ndim - len(shape)), *shape))


def is_single(values: Any, on: bool) -> bool:
    """Return whether there is one value for each member."""
    return math.prod(values.shape[on:]) == 1


def is_only_mask(indices: Any) -> bool:
    """Return whether there is one index array, which is a mask."""
    return (
        bool(indices)
        and indices[-1] is not None
        and is_mask(indices[-1])
        and not any(map(is_index_array, indices[:-1]))
    )


def is_index_array(index: Any) -> bool:
    """Return whether there is an index array."""
    return index is not None


def mask_of(indices: Any, carried: Any) -> Any:
    """Return the one mask among index arrays, if it differs between members; otherwise None."""
    return indices[-1] if is_only_mask(indices) and carried[-1] else None


def written_where(self: Any, mask: Any, front: int, values: Any, on_values: bool, accumulate: bool) -> Any:
    """`index_put` with a mask that stands for the dimensions of a member from `front`.

    Raises:
        RuntimeError: if there is one value for each element where the mask holds.
        IndexError: if the mask has another shape.
    """
    depth, ndim = mask.ndim - 1, self.ndim - 1
    if mask.shape[1:] != self.shape[1 + front : 1 + front + depth]:
        raise IndexError("the mask does not fit")
    source = with_dimensions(values, on_values, ndim - depth + 1)
    if source.shape[1 + front] != 1:
        raise RuntimeError(batch_errors.by_mask("index_put"))
    if source.dtype is not self.dtype:
        if accumulate or not is_single(values, on_values):
            raise RuntimeError("the dtypes differ")
        source = source.to(self.dtype)
    source = source.reshape((*source.shape[: 1 + front], *(1,) * depth, *source.shape[2 + front :]))
    result = (self + source if accumulate else source).where(spread_over(mask, front, ndim), self)
    if result.shape != self.shape:
        raise RuntimeError("the values do not fit")
    return result


def masked_gradient(grad: Any, mask: Any, front: int) -> Any:
    """Gradient of values written under a mask that may differ between members: summed over the dimensions that it
    stands for, one of which remains.
    """
    depth = mask.ndim
    part = grad.where(mask.reshape((*mask.shape, *(1,) * (grad.ndim - front - depth))), 0)
    dims = list(range(front, front + depth))
    return part.sum(dims, keepdim=True).squeeze(dims[1:]) if dims else part.unsqueeze(front)


def spread_over(mask: Any, front: int, ndim: int) -> Any:
    """Reshape a mask, the batch in front, so that it broadcasts to all members."""
    size, *shape = mask.shape
    return mask.reshape((size, *(1,) * front, *shape, *(1,) * (ndim - front - len(shape))))


def mask_filled(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `masked_fill`."""
    (self, mask, value), (on_self, on_mask, on_value) = singled(args, carried)
    depth = max(self.ndim - on_self, mask.ndim - on_mask)
    return filled_where(behind(self, on_self, depth), behind(mask, on_mask, depth), value, on_value, depth)


def behind(value: Any, on: bool, depth: int) -> Any:
    """Return a tensor whose members have at least `depth` dimensions."""
    if not on or value.ndim > depth:
        return value
    return value.reshape((value.shape[0], *(1,) * (depth + 1 - value.ndim), *value.shape[1:]))


def mask_selected(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `masked_select`; a mask that differs between members is refused."""
    (self, mask), (_, on_mask) = singled(args, carried)
    if on_mask:
        raise RuntimeError(batch_errors.dynamic("masked_select"))
    if not is_mask(mask):
        raise RuntimeError("the mask is none")
    common = broadcast(self.shape[1:], mask.shape)
    tensor = not_flat(behind(self, True, len(common)).expand((size, *common)))
    return tensor[:, mask.expand(common or (1,))]


def mask_selected_backward(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `masked_select_backward`."""
    (grad, shape, mask), (_, _, on_mask) = singled(args, carried)
    if on_mask:
        raise RuntimeError(batch_errors.dynamic("masked_select"))
    deeper = max(mask.ndim - len(shape), 0)
    return op.call((grad.reshape(math.prod(grad.shape)), (size, *(1,) * deeper, *shape), mask))


def mask_scattered(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `masked_scatter`: elements of the source are selected by the number of true ones before each."""
    (self, mask, source), (on_self, on_mask, on_source) = singled(args, carried)
    if self.dtype is not source.dtype or not is_mask(mask):
        raise RuntimeError("the dtypes do not fit")
    common = broadcast(self.shape[on_self:], mask.shape[on_mask:])
    where = count_before(mask, on_mask, common)
    flat = source.reshape((source.shape[0] if on_source else 1, math.prod(source.shape[on_source:])))
    if on_source or where.shape[0] != 1:
        flat, where = with_rows(flat, size), with_rows(where, size)
    picked = flat.gather(1, where).reshape((where.shape[0], *common))
    result = picked.where(behind(mask, on_mask, len(common)), behind(self, on_self, len(common)))
    return result.expand((size, *common))


def with_rows(flat: Any, size: int) -> Any:
    """Return a row for each member."""
    return flat.expand((size, flat.shape[1]))


def count_before(mask: Any, on: bool, shape: Any) -> Any:
    """Number of true elements of a mask, expanded to a shape, before each element: for each member, or for all."""
    rows = mask.shape[0] if on else 1
    full = behind(mask, on, len(shape)).expand((rows, *shape)).reshape((rows, math.prod(shape)))
    return (full.cumsum(1) - 1).clamp(0)


def mask_scattered_backward(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `masked_scatter_backward`."""
    grad, mask, shape = args
    grad, mask = with_batch(grad, carried[0], size), with_batch(mask, carried[1], size)
    common = grad.shape[1:]
    part = grad.where(behind(mask, True, len(common)), 0).reshape((size, math.prod(common)))
    zeros = grad.new_zeros((size, math.prod(shape)))
    return zeros.scatter_add(1, count_before(mask, True, common), part).reshape((size, *shape))
