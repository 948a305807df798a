"""Operators that compose sparse tensors and read entries of tensors, the base of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.sparse import takes_sparse
from ..._core.cards.card import ALL, Array, Index, nodes
from ..._core.tensor.coordinates import Coordinates
from ..._kernels import positions, sparse as kernels
from .parts import coo, densified, entries_of, in_order, is_sparse, of_sparse, sparse_lengths


@takes_sparse
@of_sparse(
    dtypes=ALL,
    linear="values",
    name="_sparse_coo_tensor_with_dims_and_tensors",
    node="SparseCooTensorWithDimsAndTensorsBackward0",
    batching=None,
)
def packed(indices: Index, values: Array, size: Any, is_coalesced: bool = False) -> Any:
    """Return a sparse tensor of indices and entries, which keep their memory.

    Args:
        indices: (sparse dimensions, entries), int64.
        values: (entries, dense dimensions ...).
        size: the shape.
        is_coalesced: whether the indices are distinct and in order.
    """
    return coo(indices, values, size, is_coalesced)


@packed.vjp("values")
def packed_vjp(grad: Any, indices: Any) -> Any:
    return entries_at(grad, indices)


@takes_sparse
@of_sparse(dtypes=ALL, linear="self", name="_sparse_entries", batching=None)
def entries_read(self: Array, indices: Index, strided: bool) -> Any:
    """Return the elements of a tensor, dense or sparse, at some indices: (entries, dense dimensions ...).

    Args:
        indices: (sparse dimensions, entries), int64.
        strided: whether the tensor, and so its gradient, is dense.
    """
    if not isinstance(self, Coordinates):
        return kernels.read(self, indices)
    if len(self.indices) != len(indices):
        return kernels.read(densified(self), indices)
    return kernels.looked_up(*entries_of(in_order(self)), indices, sparse_lengths(self))


@entries_read.vjp("self")
def entries_read_vjp(grad: Any, indices: Any, self_shape: Any, strided: bool) -> Any:
    result = packed.call((indices, grad, self_shape, False))
    return result.to_dense() if strided else result


def entries_at(tensor: Any, indices: Any) -> Any:
    """Return the elements of a tensor, dense or sparse, at some indices, recorded."""
    if is_sparse(tensor) and not isinstance(tensor._array_, Coordinates):
        tensor = tensor.to_sparse()
    return entries_read.call((tensor, indices, not is_sparse(tensor)))


@takes_sparse
@of_sparse(
    dtypes=ALL,
    linear="self",
    name="_to_sparse",
    batching=None,
    node=nodes("ToSparseBackward0", "ToSparseBackward1", by=lambda args: int(args[1] is None)),
)
def sparsified(self: Array, sparse_dim: Any = None) -> Any:
    """Return the nonzero elements of a dense tensor as a sparse one.

    Args:
        sparse_dim: number of leading sparse dimensions; all if None.
    """
    dims = self.ndim if sparse_dim is None else sparse_dim
    if not 0 <= dims <= self.ndim:
        raise RuntimeError(f"_to_sparse: sparse_dim must be from 0 to {self.ndim}, but got {dims}")
    mask = self != 0
    if dims < self.ndim:
        mask = mask.any(axis=tuple(range(dims, self.ndim)))
    if not dims:
        return coo(np.zeros((0, int(mask)), np.int64), self[None][: int(mask)].copy(), self.shape, True)
    places = np.stack(positions.nonzero(mask))
    return coo(places.astype(np.int64, copy=False), self[tuple(places)], self.shape, True)


@sparsified.vjp("self")
def sparsified_vjp(grad: Any) -> Any:
    return grad.to_dense()
