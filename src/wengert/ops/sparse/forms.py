"""Conversions to sparse layouts, and the parts of compressed tensors: methods of Tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import integers
from ..._core.tensor.base import wrap
from ..._core.types.devices import sparse_coo
from . import compressed_create as compressed_create
from .compressed import batches_of, blocks_of, is_compressed
from .compressed_entries import origin_of, relaid
from .entries import sparsified
from .layouts import ALL, Compressed as Layout, sparse_bsc, sparse_bsr, sparse_csc, sparse_csr
from .parts import is_sparse
from .reading import title_of


def to_sparse(self: Any, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, **options: Any) -> Any:
    """Convert the tensor to a sparse layout; return itself if it has that layout.

    Args:
        self: tensor.
        sparse_dim: number of leading sparse dimensions; all by default. For coordinates only.
        layout: `torch.sparse_coo` by default.
        blocksize: rows and columns of a block, for `sparse_bsr` and `sparse_bsc`.
        options: `dense_dim`, for compressed layouts: number of dense dimensions at the end.

    Raises:
        RuntimeError: if `sparse_dim` is out of range, or the layout does not have an argument.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse().indices()
        tensor([[0],
                [1]])
    """
    if isinstance(sparse_dim, type(sparse_coo)):
        layout, sparse_dim = sparse_dim, None
    if layout in ALL:
        return to_compressed(self, layout, blocksize, options.get("dense_dim"))
    if layout is not None and layout is not sparse_coo:
        raise RuntimeError(f"to_sparse: {title_of(self)} to {layout} is not a conversion to a sparse layout")
    if blocksize is not None:
        raise RuntimeError(
            f"to_sparse: conversion from {title_of(self)} to Sparse with blocksize argument given is not supported"
        )
    if is_compressed(self):
        if sparse_dim not in (None, 2):
            raise RuntimeError(
                f"sparse_compressed_to_sparse: conversion from {title_of(self)} to Sparse with sparse_dim argument !=2 "
                "is not supported"
            )
        return relaid.call((self, sparse_coo, (), 0, origin_of(self)))
    if is_sparse(self):
        if sparse_dim is not None and sparse_dim != len(self._array_.indices):
            raise RuntimeError(
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not "
                "supported"
            )
        return self
    check_sparse_dim(self, sparse_dim)
    return sparsified.call((self, sparse_dim))


def check_sparse_dim(self: Any, sparse_dim: Any) -> None:
    """Refuse a number of sparse dimensions that is out of range.

    Raises:
        RuntimeError: if `sparse_dim` is out of range.
        TypeError: if `sparse_dim` is not a number.
    """
    if sparse_dim is None:
        return
    if isinstance(sparse_dim, bool) or not isinstance(sparse_dim, (int, np.integer)):
        raise TypeError(errors.wrong_type("to_sparse", "sparse_dim", 1, "int", sparse_dim))
    if not (0 < sparse_dim <= self.ndim or sparse_dim == self.ndim == 0):
        wanted = f"in [0,{self.ndim}] range, but {sparse_dim} is given" if sparse_dim else "in >0 when self.dim()>0"
        raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be {wanted}")


def to_compressed(self: Any, form: Layout, blocksize: Any, dense_dim: Any) -> Any:
    """Convert a tensor to a compressed layout; return itself if it has that layout, with such blocks.

    Raises:
        RuntimeError: if the number of dimensions, or a length for the blocks, does not fit.
    """
    blocks = read_blocks(self, form, blocksize)
    if is_compressed(self):
        if self.layout is form and blocks_of(self._array_) == blocks:
            return self
        if batches_of(self._array_):
            raise RuntimeError(
                f"to_{form.name}: conversion of a batch from {title_of(self)} to {form.title} is not there; use "
                "to_dense() first"
            )
    elif is_sparse(self):
        if self.sparse_dim() != 2:
            raise RuntimeError(
                f"coo_to_{form.name}: conversion from Sparse to {form.title} for input tensors with sparse_dim()!=2 is "
                "not supported"
            )
    else:
        check_dense(self, form, dense_dim)
    return relaid.call((self, form, blocks, dense_dim or 0, origin_of(self)))


def check_dense(self: Any, form: Layout, dense_dim: Any) -> None:
    """Refuse a dense tensor whose number of dimensions does not fit a layout.

    Raises:
        RuntimeError: if it does not fit.
    """
    name = f"dense_to_{form.name}"
    if self.ndim < 2:
        raise RuntimeError(f"{name}: expected a tensor of at least 2 dimensions, got one of {self.ndim}")
    if not math.prod(self.shape[: self.ndim - 2 - (dense_dim or 0)]):
        raise RuntimeError(
            f"to_{form.name}: Expected product of batch dimensions to be non-zero, but they are "
            f"{[*self.shape[: self.ndim - 2 - (dense_dim or 0)]]}"
        )
    if dense_dim is not None and not 0 <= dense_dim <= self.ndim - 2:
        raise RuntimeError(f"{name}: dense_dim argument must be in [0,{self.ndim - 2}] range, but {dense_dim} is given")


def read_blocks(self: Any, form: Layout, blocksize: Any) -> tuple[int, ...]:
    """Return rows and columns of a block; () for a layout without blocks.

    Raises:
        RuntimeError: if `blocksize` is given for a layout without blocks, missing, or does not fit.
    """
    name, source = f"dense_to_{form.name}", title_of(self)
    if not form.blocks:
        if blocksize is not None:
            raise RuntimeError(
                f"dense_to_sparse: conversion from {source} to {form.title} with blocksize argument given is not "
                "supported"
            )
        return ()
    if blocksize is None:
        if is_compressed(self) and self.layout.blocks:
            return blocks_of(self._array_)
        raise RuntimeError(
            f"dense_to_sparse: conversion from {source} to {form.title} without blocksize argument given is not "
            "supported"
        )
    blocks = tuple(integers(f"to_{form.name}", "blocksize", (blocksize,) * 2 if type(blocksize) is int else blocksize))
    if len(blocks) != 2 or min(blocks) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of two positive integers, got {blocks}")
    lead = batches_of(self._array_) if is_compressed(self) else max(self.ndim - 2, 0) if source == "Strided" else 0
    size = tuple(self.shape[lead : lead + 2])
    if any(length % block for length, block in zip(size, blocks)):
        raise RuntimeError(
            f"{name}: tensor sparse size ({','.join(map(str, size))}) must be divisible by given blocksize "
            f"({','.join(map(str, blocks))})"
        )
    return blocks


def to_sparse_coo(self: Any) -> Any:
    """Convert the tensor to sparse coordinates; return itself if it has them.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_coo().values()
        tensor([2.])
    """
    return to_sparse(self)


def to_sparse_csr(self: Any, dense_dim: Any = None) -> Any:
    """Convert to `torch.sparse_csr`, or return the tensor itself; the last `dense_dim` dimensions are dense.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csr().crow_indices()
        tensor([0, 1, 1])
    """
    return to_compressed(self, sparse_csr, None, dense_dim)


def to_sparse_csc(self: Any, dense_dim: Any = None) -> Any:
    """Convert to `torch.sparse_csc`, or return the tensor itself; the last `dense_dim` dimensions are dense.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csc().ccol_indices()
        tensor([0, 0, 1])
    """
    return to_compressed(self, sparse_csc, None, dense_dim)


def to_sparse_bsr(self: Any, blocksize: Any, dense_dim: Any = None) -> Any:
    """Convert to `torch.sparse_bsr`, or return the tensor itself; the last `dense_dim` dimensions are dense.

    Args:
        blocksize: lengths of the blocks, a pair.
        dense_dim: number of dense dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_bsr((1, 1)).values()
        tensor([[[2.]]])
    """
    return to_compressed(self, sparse_bsr, blocksize, dense_dim)


def to_sparse_bsc(self: Any, blocksize: Any, dense_dim: Any = None) -> Any:
    """Convert to `torch.sparse_bsc`, or return the tensor itself; the last `dense_dim` dimensions are dense.

    Args:
        blocksize: lengths of the blocks, a pair.
        dense_dim: number of dense dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_bsc((1, 1)).values()
        tensor([[[2.]]])
    """
    return to_compressed(self, sparse_bsc, blocksize, dense_dim)


def part(self: Any, name: str, way: str) -> Any:
    """Return starts of lines, or indices in lines, of a compressed tensor; `way` is "row" or "column".

    Raises:
        RuntimeError: if the tensor is not compressed that way.
    """
    form = self._array_.layout if is_compressed(self) else None
    if form is None or name not in form.words:
        raise RuntimeError(f"{name} expected sparse {way} compressed tensor layout but got {title_of(self)}")
    return wrap(self._array_.indices[form.words.index(name)].view())


def crow_indices(self: Any) -> Any:
    """Starts of the rows of a tensor compressed row by row, in its memory.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse_csr().crow_indices()
        tensor([0, 1, 2])
    """
    return part(self, "crow_indices", "row")


def col_indices(self: Any) -> Any:
    """Columns of the entries of a tensor compressed row by row, in its memory.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse_csr().col_indices()
        tensor([0, 1])
    """
    return part(self, "col_indices", "row")


def ccol_indices(self: Any) -> Any:
    """Starts of the columns of a tensor compressed column by column, in its memory.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse_csc().ccol_indices()
        tensor([0, 1, 2])
    """
    return part(self, "ccol_indices", "column")


def row_indices(self: Any) -> Any:
    """Rows of the entries of a tensor compressed column by column, in its memory.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse_csc().row_indices()
        tensor([0, 1])
    """
    return part(self, "row_indices", "column")


METHODS: dict[str, Any] = {
    method.__name__: method
    for method in (
        *(to_sparse, to_sparse_coo, to_sparse_csr, to_sparse_csc, to_sparse_bsr, to_sparse_bsc),
        *(crow_indices, col_indices, ccol_indices, row_indices),
    )
}
"""Methods of Tensor, by name."""
