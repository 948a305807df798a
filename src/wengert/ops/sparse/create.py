"""Creation of sparse tensors from indices and entries.

It loads everything that calls with such tensors need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.coordinates import Coordinates, coordinates
from ..._core.types import dtypes
from ..._core.types.sizes import Size
from ..._kernels import sparse as kernels
from . import elementwise as elementwise, products as products, rearranged as rearranged, reductions as reductions
from .entries import packed


def read_parts(indices: Any, values: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """Return indices as an int64 tensor, and entries as a tensor."""
    if not isinstance(indices, Tensor):
        indices = wrap(np.asarray(indices, np.int64))
    if not isinstance(values, Tensor):
        from ..create.create import tensor

        values = tensor(values)
    if indices.dtype is not dtypes.int64:
        indices = indices.to(dtypes.int64)
    if dtype is not None:
        values = values.to(dtype)
    return indices, values


def check_parts(indices: Any, values: Any, size: Any) -> None:
    """Refuse indices and entries that do not make a tensor of the shape.

    Raises:
        RuntimeError: if they do not fit each other or the shape, or an index is out of range.
    """
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {[*indices.shape]}")
    dims, count = indices.shape
    if values.ndim < 1 or values.shape[0] != count:
        entries = values.shape[0] if values.ndim else 1
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from values: {entries}"
        )
    if len(size) != dims + values.ndim - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {dims}, "
            f"dense_dim = {values.ndim - 1}"
        )
    if tuple(size[dims:]) != values.shape[1:]:
        wanted = [count, *size[dims:]]
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {[*values.shape]}")
    for dim in range(dims if count else 0):
        least, most = int(indices[dim].min()), int(indices[dim].max())
        if least < 0:
            raise RuntimeError(f"found negative index {least} for dim {dim}")
        if most >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {most}"
            )


def checked_parts(indices: Any, values: Tensor, size: Any, is_coalesced: bool) -> Coordinates:
    """Return the array of a sparse tensor of unchecked parts.

    Raises:
        RuntimeError: if they do not fit each other or the shape, or are not coalesced although `is_coalesced` is true.
    """
    check_parts(indices, values._array_, size)
    if is_coalesced and indices.shape[1] > 1:
        if (np.diff(kernels.numbers(indices, tuple(size[: len(indices)]))) <= 0).any():
            raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
    return coordinates(indices, values, tuple(size), bool(is_coalesced))


def inferred(indices: Any, values: Any) -> tuple[int, ...]:
    """Return the smallest shape that contains all indices."""
    if indices.ndim != 2:
        return ()
    if not indices.shape[1]:
        return (*[0] * len(indices), *values.shape[1:])
    return (*[int(largest) + 1 for largest in indices.max(axis=1)], *values.shape[1:])


@composite(method=False)
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """Return a sparse tensor in coordinates; entries at the same index add up.

    Args:
        indices: (sparse dimensions, entries): integers; or the shape alone, for a tensor without entries.
        values: (entries, dense dimensions ...): the entries.
        size: the shape; by default the smallest that contains all indices.
        dtype: dtype of the entries.
        layout, device, pin_memory: accepted for compatibility with torch.
        requires_grad: whether the new tensor requires a gradient; it is a leaf unless `values` has a history.
        check_invariants: accepted for compatibility with torch; indices are always checked.
        is_coalesced: True if the indices are distinct and in order.

    Returns:
        A new sparse tensor, with the memory of `values` if that is a tensor of the dtype.

    Raises:
        RuntimeError: if indices, entries and shape do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
        tensor([[0., 0., 3.],
                [4., 0., 0.]])
    """
    if values is None:
        size = indices if size is None else size
        if size is None:
            raise TypeError("sparse_coo_tensor() needs indices and values, or a size")
        size = integers("sparse_coo_tensor", "size", size)
        kind = (dtype or dtypes.get_default_dtype()).numpy
        indices, values = wrap(np.zeros((len(size), 0), np.int64)), wrap(np.zeros(0, kind))
        is_coalesced = True if is_coalesced is None else is_coalesced
    indices, values = read_parts(indices, values, dtype)
    place, entry = indices._array_, values._array_
    shape = inferred(place, entry) if size is None else tuple(integers("sparse_coo_tensor", "size", size))
    checked_parts(place, values, shape, bool(is_coalesced))
    if requires_grad and values.dtype.category < dtypes.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    result = packed.call((indices, values, Size(shape), bool(is_coalesced) or place.shape[1] < 2))
    if requires_grad and not result.requires_grad:
        result.requires_grad = True
    return result


@sparse_coo_tensor.samples
def sparse_coo_tensor_samples(make: Any) -> Any:
    places = wrap(np.array([[0, 1, 1], [2, 0, 2]], np.int64))
    yield Sample(places, make(3), (2, 3))
    yield Bad(places, make(2), (2, 3), raises=RuntimeError, says="must have same nnz")
    yield Bad(places, make(3), (2, 2), raises=RuntimeError, says="size is inconsistent with indices: for dim 1")
