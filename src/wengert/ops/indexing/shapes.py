"""The shapes of what is picked from tensors and written to parts of them; the values of indices are not looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import ALL, FLOATS
from ..._core.door import is_row_major
from ..._core.tensor.meta_array import NeedsValues
from ..._core.types.sizes import broadcast, check_room
from ..create.factory import refuse_dtype
from ..shape_rules import INT64, by_values, common_shape, shape_of, shape_of_argument, with_length
from .advanced import (
    check_kinds,
    check_mask_dtype,
    check_mask_fill,
    index,
    index_backward,
    index_put,
    is_mask,
    masked_fill,
    masked_select,
    masked_select_backward,
    mismatch,
)
from .embedding import (
    check_classes,
    check_indices,
    embedding_dense_backward,
    embedding_dense_gather,
    embedding_sparse,
    embedding_table,
    refuse_sparse,
    refuse_table,
    unit_vectors,
)
from .embedding_bag import bags_of_rows, check_last, check_lookup
from .index import (
    check_gather,
    check_selection,
    check_taken,
    gather,
    gather_backward,
    index_select,
    index_select_backward,
    nonzero_positions,
    take,
)
from .index_write import check_index_add, check_index_copy, check_index_fill, index_add, index_copy, index_fill
from .indexed import refuse_places, refuse_types, strides_of_indexed
from .positions import nonzero_static
from .put import (
    check_diagonal,
    check_put,
    check_under_mask,
    fill_diagonal,
    masked_scatter,
    masked_scatter_backward,
    put,
)
from .scatter import check_scatter, check_scattered, scatter, scatter_add
from .scatter_reduce import check_reduced, check_slices, index_reduce, scatter_reduce

shape_of(gather_backward, index_backward, index_select_backward)(shape_of_argument)
by_values("there are as many rows as elements that are not zero", nonzero_positions)


@gather.shape
def gather_shape(self: Any, dim: int, index: Any, sparse_grad: bool) -> Any:
    check_gather(self, dim, index)
    return index.shape, self.dtype


@index_select.shape
def index_select_shape(self: Any, dim: int, index: Any) -> Any:
    check_selection(self, dim, index)
    return with_length(self.shape, dim, index.size) if self.ndim else (), self.dtype


@take.shape
def take_shape(self: Any, index: Any) -> Any:
    check_taken(index)
    return index.shape, self.dtype


def indexed(array: Any, indices: Any) -> tuple[int, ...]:
    """The shape of the elements at index arrays; None stands for a whole dimension.

    Raises:
        IndexError: if they do not fit.
        NeedsValues: if there is a mask among them.
    """
    refuse_types(array.shape, indices)
    places = [at for at, index in enumerate(indices) if index is not None]
    masked = any(indices[at].dtype == np.bool_ for at in places)
    if not masked or len(places) == 1:
        refuse_places(array.shape, indices)
    if masked:
        raise NeedsValues("there are as many elements as the mask has true ones")
    if not places:
        return array.shape
    kept = [length for at, length in enumerate(array.shape) if at not in places]
    front = places[0] if places[-1] - places[0] == len(places) - 1 else 0
    common = common_shape(*[indices[at] for at in places])
    return (*kept[:front], *common, *kept[front:])


@index.shape
def index_shape(self: Any, indices: Any) -> Any:
    shape = indexed(self, indices)
    if is_row_major(self) and all(index is None or is_row_major(index) for index in indices):
        return shape, self.dtype
    return shape, self.dtype, strides_of_indexed(self, indices, shape)


@index_put.shape
def index_put_shape(self: Any, indices: Any, values: Any, accumulate: bool) -> Any:
    if values.size == 1 and not accumulate and is_mask(indices, self.shape):
        return self.shape, self.dtype
    check_kinds(self, indices, values)
    try:
        wanted = indexed(self, indices)
    except NeedsValues:  # the shape of the result does not
        return self.shape, self.dtype
    lead = values.ndim - len(wanted)
    if any(length != 1 for length in values.shape[: max(lead, 0)]) or any(
        size not in (1, length) for size, length in zip(values.shape[::-1], wanted[::-1])
    ):
        raise mismatch(values.shape, wanted)
    return self.shape, self.dtype


@masked_fill.shape
def masked_fill_shape(self: Any, mask: Any, value: Any) -> Any:
    check_mask_fill(self, mask, value)
    return broadcast(mask.shape, self.shape), self.dtype


@masked_select.shape
def masked_select_shape(self: Any, mask: Any) -> Any:
    check_mask_dtype(mask)
    broadcast(mask.shape, self.shape)
    raise NeedsValues("there are as many elements as the mask has true ones")


@masked_select_backward.shape
def masked_select_backward_shape(grad: Any, shape: Any, mask: Any) -> Any:
    return broadcast(tuple(shape), mask.shape), grad.dtype


@masked_scatter.shape
def masked_scatter_shape(self: Any, mask: Any, source: Any) -> Any:
    check_under_mask(self, mask, source)
    return broadcast(self.shape, mask.shape), self.dtype


@masked_scatter_backward.shape
def masked_scatter_backward_shape(grad: Any, mask: Any, shape: Any) -> Any:
    return tuple(shape), grad.dtype


@put.shape
def put_shape(self: Any, index: Any, source: Any, accumulate: bool) -> Any:
    check_put(self, index, source)
    return self.shape, self.dtype


@fill_diagonal.shape
def fill_diagonal_shape(self: Any, fill_value: Any, wrap: bool) -> Any:
    check_diagonal(self, fill_value)
    return self.shape, self.dtype


@index_add.shape
def index_add_shape(self: Any, dim: int, index: Any, source: Any, alpha: Any) -> Any:
    check_index_add(self, dim, index, source)
    return self.shape, self.dtype


@index_copy.shape
def index_copy_shape(self: Any, dim: int, index: Any, source: Any) -> Any:
    check_index_copy(self, dim, index, source)
    return self.shape, self.dtype


@index_fill.shape
def index_fill_shape(self: Any, dim: int, index: Any, value: Any) -> Any:
    check_index_fill(self, dim, index, value)
    return self.shape, self.dtype


@index_reduce.shape
def index_reduce_shape(self: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool) -> Any:
    check_slices(self, dim, index, source, reduce)
    return self.shape, self.dtype


@scatter.shape
def scatter_shape(self: Any, dim: int, index: Any, src: Any, reduce: Any) -> Any:
    check_scattered(self, dim, index, src, reduce)
    return self.shape, self.dtype


@scatter_add.shape
def scatter_add_shape(self: Any, dim: int, index: Any, src: Any) -> Any:
    check_scatter("scatter", self, dim, index, src)
    return self.shape, self.dtype


@scatter_reduce.shape
def scatter_reduce_shape(self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> Any:
    check_reduced(self, dim, index, src, reduce)
    return self.shape, self.dtype


@nonzero_static.shape
def nonzero_static_shape(self: Any, size: int, fill_value: int) -> Any:
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    check_room("nonzero_static", (size, self.ndim))
    return (size, self.ndim), INT64


@embedding_table.shape
def embedding_shape(weight: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Any:
    refuse_sparse(sparse)
    refuse_dtype("embedding", weight, ALL)
    return rows_shape(weight, indices)


@embedding_sparse.shape
def rows_shape(weight: Any, indices: Any, *others: Any) -> Any:
    refuse_table(weight)
    check_indices(indices, weight.shape[0])
    return (*indices.shape, weight.shape[1]), weight.dtype


@embedding_dense_gather.shape
def dense_gather_shape(weight: Any, indices: Any, *others: Any) -> Any:
    refuse_dtype("embedding_dense_gather", weight, FLOATS)
    return (*indices.shape, weight.shape[1]), weight.dtype


@embedding_dense_backward.shape
def dense_backward_shape(grad: Any, indices: Any, rows: int, *others: Any) -> Any:
    refuse_dtype("embedding_dense_backward", grad, FLOATS)
    return (rows, grad.shape[-1]), grad.dtype


@unit_vectors.shape
def unit_vectors_shape(tensor: Any, num_classes: int) -> Any:
    check_classes(tensor, num_classes)
    if num_classes == -1:
        raise NeedsValues("the largest number tells how many classes there are")
    return (*tensor.shape, num_classes), INT64


@bags_of_rows.shape
def bags_shape(weight: Any, indices: Any, offsets: Any, *options: Any) -> Any:
    include_last_offset, padding_idx = options[-2:]
    check_lookup(weight, indices, offsets, padding_idx)
    check_last(offsets, include_last_offset)
    count, width = offsets.shape[0] - include_last_offset, weight.shape[1]
    return [((count, width), weight.dtype), (indices.shape, INT64), ((count,), INT64), ((count, width), INT64)]
