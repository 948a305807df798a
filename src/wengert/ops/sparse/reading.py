"""Access to sparse tensors: entries, indices, conversion to dense; and parts of other tensors at their indices."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core import errors, flags, sparse_errors
from ..._core.calls.sparse import kernel, takes_sparse
from ..._core.cards.arguments import asking
from ..._core.cards.card import ALL, Array, Index
from ..._core.tensor import reading
from ..._core.tensor.base import wrap
from ..._core.tensor.coordinates import Coordinates
from ..._core.types.dtypes import as_dtype, check_dtype
from ..._kernels import sparse as kernels
from .compressed import batches_of, is_compressed
from .compressed_entries import compressed_like, origin_of, relaid, with_entries
from .entries import entries_at, packed, sparsified
from .parts import (
    coo,
    densified,
    entries_of,
    in_order,
    is_sparse,
    of_sparse,
    sparse_lengths,
    spread,
    tensor_of,
    with_values,
)


def masked_like(grad: Any, model: Any) -> Any:
    """Return a gradient, dense or sparse, at the indices of a sparse tensor; a sparse one may be uncoalesced."""
    if is_compressed(model):
        return compressed_like(grad, model)
    pattern: Coordinates = in_order(model._array_)
    places = wrap(pattern.indices)
    return packed.call((places, entries_at(grad, places), model.shape, False))


@takes_sparse
@of_sparse(dtypes=ALL, linear="self", name="_to_dense", node="ToDenseBackward0")
def dense(self: Array, dtype: Any = None, masked_grad: Any = None) -> Any:
    """Convert a sparse tensor to a dense one.

    Args:
        self: sparse tensor.
        dtype: dtype of the result; that of the tensor if None.
        masked_grad: whether the gradient is restricted to the indices of the tensor; if False, it has all elements.
    """
    result = densified(self)
    return result if dtype is None else result.astype(dtype.numpy)


@dense.vjp("self")
def dense_vjp(grad: Any, self: Any, masked_grad: Any) -> Any:
    if grad.dtype is not self.dtype:
        grad = grad.to(self.dtype)
    if masked_grad is not None and not masked_grad:
        if is_compressed(self):
            return relaid.call((grad, *origin_of(self), 0, origin_of(grad)))
        return packed.call((*_parts(sparsified.call((grad, None))), self.shape, False))
    return masked_like(grad, self)


def _parts(sparse: Any) -> tuple[Any, Any]:
    """Return indices and entries of a coalesced tensor, recorded."""
    return wrap(sparse._array_.indices), values(sparse)


def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """Convert a sparse tensor to a dense one; return a dense one itself.

    Args:
        self: tensor.
        dtype: dtype of the result.
        masked_grad: whether the gradient is restricted to the indices of the tensor; if False, it has all elements.

    Raises:
        TypeError: if `dtype` is not a dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().to_dense()
        tensor([[1., 0.],
                [0., 1.]])
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
        check_dtype("to_dense", "dtype", 1, dtype)
    if is_compressed(self) and dtype is not None:
        raise RuntimeError(
            "dtype argument is not supported by sparse_csr_to_dense: give the dense tensor another dtype, to_dense()."
            "to(dtype)"
        )
    if is_sparse(self):
        return dense.call((self, dtype, masked_grad))
    return self if dtype is None else self.to(dtype)


@takes_sparse
@of_sparse(dtypes=ALL, linear="self", name="_coalesce", node="CoalesceBackward0")
def collected(self: Array) -> Any:
    """Coalesce: each index once, in order."""
    return in_order(self)


@collected.vjp("self")
def collected_vjp(grad: Any) -> Any:
    return grad


def refuse_dense(name: str, self: Any, wanted: str = "sparse coordinate tensor") -> None:
    """Refuse tensors that are not sparse in coordinates.

    Raises:
        RuntimeError: if the tensor is dense, or compressed.
    """
    if not is_sparse(self) or is_compressed(self):
        raise RuntimeError(f"{name} expected {wanted} layout but got {title_of(self)}")


def title_of(self: Any) -> str:
    """Name of the layout of a tensor in torch's errors."""
    return self._array_.layout.title if is_compressed(self) else "Sparse" if is_sparse(self) else "Strided"


def coalesce(self: Any) -> Any:
    """Coalesce a sparse tensor: each index once, in order, with the sum of its entries; itself if it is coalesced.

    Raises:
        RuntimeError: if the tensor is dense.

    Examples:
        >>> import wengert as wg
        >>> x = wg.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,))
        >>> x.coalesce().values()
        tensor([3.])
    """
    refuse_dense("coalesce", self)
    return self if self._array_.coalesced else collected.call((self,))


def is_coalesced(self: Any) -> bool:
    """Return whether a sparse tensor is known to have each index once, in order.

    Raises:
        RuntimeError: if the tensor is dense.

    Examples:
        >>> import wengert as wg
        >>> x = wg.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,))
        >>> x.is_coalesced(), x.coalesce().is_coalesced()
        (False, True)
    """
    refuse_dense("is_coalesced", self)
    return bool(self._array_.coalesced)


def _coalesced_(self: Any, coalesced: bool) -> Any:
    """Mark a sparse tensor as coalesced or not.

    Raises:
        NotImplementedError: if the tensor is dense.
        TypeError: if `coalesced` is not a bool.
    """
    if not is_sparse(self):
        raise NotImplementedError(sparse_errors.no_kernel("_coalesced_", "CPU"))
    if not isinstance(coalesced, bool):
        raise TypeError(errors.wrong_type("_coalesced_", "coalesced", 1, "bool", coalesced))
    self._array_.coalesced = coalesced
    return self


@takes_sparse
@of_sparse(dtypes=ALL, linear="self", name="_sparse_values", node="ValuesBackward0")
def recorded_values(self: Array) -> Any:
    """Return the entries of a coalesced tensor, recorded."""
    return self.values._array_.copy()


@recorded_values.vjp("self")
def recorded_values_vjp(grad: Any, self: Any) -> Any:
    if is_compressed(self):
        return with_entries(self, grad)
    return packed.call((wrap(self._array_.indices), grad, self.shape, True))


def indices(self: Any) -> Any:
    """Return the indices of a coalesced tensor: (sparse dimensions, entries), int64.

    Raises:
        RuntimeError: if the tensor is dense, or not coalesced.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().indices()
        tensor([[0, 1],
                [0, 1]])
    """
    refuse_dense("indices", self)
    refuse_uncoalesced("indices", self)
    return _indices(self)


def values(self: Any) -> Any:
    """Return the entries of a coalesced tensor: (entries, dense dimensions ...), in its memory unless recorded.

    Raises:
        RuntimeError: if the tensor is dense, or not coalesced.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().values()
        tensor([1., 1.])
    """
    if not is_compressed(self):
        refuse_dense("values", self, "sparse tensor")
        refuse_uncoalesced("values", self)
    from ..._core.state.modes import current

    if (self.requires_grad and current().grad) or self._flags_ & flags.DUAL:
        return recorded_values.call((self,))
    return reading.detach(self._array_.values)


def refuse_uncoalesced(name: str, self: Any) -> None:
    """Refuse a tensor that is not coalesced.

    Raises:
        RuntimeError: if it is not.
    """
    if not self._array_.coalesced:
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")


def _indices(self: Any) -> Any:
    """Return the indices, coalesced or not."""
    refuse_dense("_indices", self)
    return wrap(self._array_.indices.view())


def _values(self: Any) -> Any:
    """Return the entries, coalesced or not, in their memory and without history."""
    refuse_dense("_values", self)
    return reading.detach(self._array_.values)


def _nnz(self: Any) -> int:
    """Return the number of entries."""
    if is_compressed(self):
        return int(self._array_.indices[1].shape[-1])
    refuse_dense("_nnz", self)
    return int(self._array_.indices.shape[1])


def sparse_dim(self: Any) -> int:
    """Return the number of sparse dimensions: 0 for a dense tensor, 2 for a compressed one.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().sparse_dim()
        2
    """
    if is_compressed(self):
        return 2
    return len(self._array_.indices) if is_sparse(self) else 0


def dense_dim(self: Any) -> int:
    """Return the number of dimensions of entries: all for a dense tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse(1).dense_dim()
        1
    """
    if is_compressed(self):
        return self._array_.ndim - 2 - batches_of(self._array_)
    return self._array_.ndim - sparse_dim(self)


@takes_sparse
@of_sparse(dtypes=ALL, linear="self", name="_sparse_mask", node="SparseMaskBackward0")
def at_places(self: Array, mask: Index, strided: bool) -> Any:
    """Return the part of a tensor at the indices of a sparse one.

    Args:
        self: tensor, dense or sparse.
        mask: sparse tensor of the same shape, whose entries are not read.
        strided: whether `self`, and so its gradient, is dense.
    """
    lead = sparse_lengths(mask)
    self = spread(self)
    if isinstance(self, Coordinates):
        result = kernels.looked_up(*entries_of(in_order(self)), mask.indices, lead)
    else:
        result = kernels.read(self, mask.indices)
    return coo(mask.indices, result, self.shape, mask.coalesced)


at_places.constant_in("mask")


@at_places.vjp("self")
def at_places_vjp(grad: Any, strided: bool) -> Any:
    return grad.to_dense() if strided else grad


@partial(asking, method=True)
def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the part of a tensor at the indices of a sparse one, as a sparse tensor; zero entries stay.

    Args:
        self: tensor, dense or sparse.
        mask: sparse tensor of the same shape, whose entries are not read.

    Raises:
        RuntimeError: if the shapes differ, or `mask` is dense.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1.0, 2.0], [3.0, 4.0]]).sparse_mask(wg.eye(2).to_sparse()).values()
        tensor([1., 4.])
    """
    if not is_compressed(mask):
        refuse_dense("sparse_mask", mask)
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {[*self.shape]} but mask has size "
            f"{[*mask.shape]}"
        )
    if is_compressed(mask):
        return compressed_like(self, mask)
    return at_places.call((self, mask, not is_sparse(self)))


@kernel("clone")
def clone_kernel(self: Any, memory_format: Any) -> Any:
    array = self._array_
    return tensor_of(array.indices.copy(), array.values.clone(), array.shape, array.coalesced)


@kernel("_to_copy")
def to_copy_kernel(self: Any, dtype: Any, memory_format: Any) -> Any:
    array = self._array_
    return with_values(array, array.values.to(dtype or self.dtype, copy=True))


@kernel("select")
def select_kernel(self: Any, dim: int, index: int) -> Any:
    array: Coordinates = self._array_
    dim = dim + array.ndim if dim < 0 else dim
    dims = len(array.indices)
    if not 0 <= dim < array.ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-array.ndim}, {array.ndim - 1}])")
    length = array.shape[dim]
    if not -length <= index < length:
        raise IndexError(f"select(): index {index} out of range for tensor of size {[*array.shape]} at dimension {dim}")
    index = index + length if index < 0 else index
    shape = (*array.shape[:dim], *array.shape[dim + 1 :])
    if dim >= dims:
        return tensor_of(array.indices, array.values.select(dim - dims + 1, index), shape, array.coalesced)
    places, entries = entries_of(array)
    mask = places[dim] == index
    rest = [at for at in range(dims) if at != dim]
    if not rest:
        return wrap(kernels.row_sums(places[dim][mask] * 0, entries[mask], 1)[0])
    result = entries[mask]
    return tensor_of(places[rest][:, mask], wrap(result), shape, len(result) < 2)


METHODS: dict[str, Any] = {
    card.__name__: card for card in (coalesce, is_coalesced, indices, values, _indices, _values, _nnz)
} | {
    **{card.__name__: card for card in (sparse_dim, dense_dim, sparse_mask)},
    **{card.__name__: asking(card, method=True) for card in (_coalesced_, to_dense)},
}
"""Methods of Tensor, by name."""
