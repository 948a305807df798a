"""Operators that compose and convert compressed sparse tensors, the base of all others."""

from __future__ import annotations

from typing import Any

from ..._core.calls.sparse import takes_sparse
from ..._core.cards.card import ALL, Array, Index, nodes
from ..._core.tensor.base import wrap
from ..._core.tensor.standins import StandIn
from ..._core.types.devices import sparse_coo, strided
from ..._kernels import compressed as lines
from .compressed import blocks_of, compressed, of_coordinates, places_of
from .entries import entries_at
from .layouts import ALL as LAYOUTS
from .parts import in_order, is_sparse, of_sparse, spread

NAMES = ("ToSparseBackward0", *(f"ToSparse{layout.name[-3:].capitalize()}Backward0" for layout in LAYOUTS))
"""Nodes of conversions to each layout."""


@takes_sparse
@of_sparse(
    dtypes=ALL, linear="values", name="_sparse_compressed_tensor", batching=None, node="SparseCompressedTensorBackward0"
)
def packed_lines(bounds: Index, plain: Index, values: Array, size: Any, form: Any) -> Any:
    """Return a compressed sparse tensor of its parts, which keep their memory.

    Args:
        bounds: (batch ..., lines + 1): starts of lines.
        plain: (batch ..., entries): indices in the lines.
        values: (batch ..., entries, rows and columns of a block ..., dense dimensions ...).
        size: the shape.
        form: the layout.
    """
    return compressed((bounds, plain), wrap(values), tuple(size), form)


@packed_lines.vjp("values")
def packed_lines_vjp(grad: Any, bounds: Any, plain: Any, values_shape: Any, form: Any) -> Any:
    batches = bounds.ndim - 1
    blocks = tuple(values_shape[batches + 1 : batches + 3]) if form.blocks else ()
    places = wrap(lines.places(bounds._array_, plain._array_, form.rows, blocks))
    return entries_at(grad, places).reshape(values_shape)


@takes_sparse
@of_sparse(
    dtypes=ALL,
    linear="self",
    name="_to_sparse_compressed",
    batching=None,
    node=nodes(*NAMES, by=lambda args: 0 if args[1] is sparse_coo else 1 + LAYOUTS.index(args[1])),
)
def relaid(self: Array, form: Any, blocks: Any, dense_dim: Any, origin: Any) -> Any:
    """Convert a tensor to another layout: to coordinates, or a compressed one.

    Args:
        form: the layout.
        blocks: rows and columns of a block, or ().
        dense_dim: number of dense dimensions at the end, for a dense tensor.
        origin: layout of the tensor and size of its blocks, which its gradient is converted back to.
    """
    if form is sparse_coo:
        return spread(self)
    if isinstance(self, StandIn):
        return of_coordinates(in_order(self), form, blocks)
    result = lines.of_dense(self, self.ndim - 2 - dense_dim, form.rows, blocks)
    if result is None:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    return compressed(result[:2], wrap(result[2]), self.shape, form)


@relaid.vjp("self")
def relaid_vjp(grad: Any, origin: Any) -> Any:
    form, blocks = origin
    if grad.layout is form:
        return grad
    if form is strided:
        return grad.to_dense()
    if form is sparse_coo:
        return grad.to_sparse()
    return relaid.call((grad, form, blocks, 0, origin_of(grad)))


def origin_of(tensor: Any) -> Any:
    """Return the layout of a tensor, and the size of its blocks."""
    form = tensor.layout
    return form, blocks_of(tensor._array_) if form in LAYOUTS else ()


def compressed_like(grad: Any, model: Any) -> Any:
    """Return the part of a tensor, dense or sparse, at the indices of a compressed one."""
    array = model._array_
    if is_sparse(grad) and getattr(grad._array_, "indices", None) is array.indices:
        return grad
    return with_entries(model, entries_at(grad, wrap(places_of(array))))


def with_entries(model: Any, entries: Any) -> Any:
    """Return a compressed tensor with other entries at the indices of another one, recorded."""
    array = model._array_
    entries = entries.reshape(array.values._array_.shape)
    return packed_lines.call((*map(wrap, array.indices), entries, model.shape, array.layout))
