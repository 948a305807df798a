"""Products of compressed matrices with another reduction than the sum, or computed at some indices only."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import sparse_errors
from ..._core.calls.out import put
from ..._core.calls.sparse import takes_sparse
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import FLOATS, Array
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._kernels import compressed as lines, positions
from .compressed import Compressed, compressed, is_compressed, no_kernel, places_of
from .compressed_entries import with_entries
from .entries import entries_at
from .layouts import sparse_csr
from .parts import is_sparse, of_sparse

REDUCTIONS = {"sum": np.add, "mean": np.add, "amax": np.maximum, "amin": np.minimum}
"""Functions that reduce the terms of a row."""


@takes_sparse
@of_sparse(dtypes=FLOATS, name="_sparse_mm_reduce_impl", node="SparseMmReduceImplBackward0")
def reduced(self: Array, other: Array, reduce: str) -> Any:
    """Product of a matrix compressed by rows and a dense one, with another reduction than the sum.

    Args:
        self: (n, m), of layout `sparse_csr`.
        other: (m, p), dense.
        reduce: "sum", "mean", "amax" or "amin"; the result is zero for a row without entries.
    """
    (bounds, plain), entries = self.indices, self.values._array_
    result = lines.product(bounds, plain, entries, other, REDUCTIONS[reduce])
    return result / counted(self, result.dtype) if reduce == "mean" else result


def counted(array: Compressed, dtype: Any) -> Any:
    """Return the number of entries of each row, at least 1: (n, 1)."""
    return np.maximum(np.diff(array.indices[0]), 1).astype(dtype)[:, None]


def weights(self: Any, other: Any, reduce: str) -> tuple[Any, Any, Any]:
    """Return row and column of each entry, and the weights of its terms in the result, (entries, p)."""
    array, dense = self._array_, other._array_
    (bounds, plain), entries = array.indices, array.values._array_
    rows, terms = lines.lines(bounds), dense[plain] * entries[:, None]
    if reduce == "sum":
        share = np.ones_like(terms)
    elif reduce == "mean":
        share = np.broadcast_to((1 / counted(array, terms.dtype))[rows], terms.shape).astype(terms.dtype)
    else:
        share = first_of_each(bounds, rows, terms == lines.reduced(bounds, terms, REDUCTIONS[reduce])[rows])
        share = share.astype(terms.dtype)
    return wrap(rows), wrap(plain.astype(np.int64, copy=False)), wrap(share)


def first_of_each(bounds: Any, rows: Any, result: Any) -> Any:
    """Keep only the first of the results in each row, column by column."""
    count = positions.cumsum(result, axis=0)
    before = np.concatenate([np.zeros_like(count[:1]), count])[bounds[:-1]]
    return result & (count - before[rows] == 1)


@reduced.vjp("self")
def reduced_vjp_self(grad: Any, self: Any, other: Any, reduce: str) -> Any:
    rows, columns, share = weights(self, other, reduce)
    terms = grad.index_select(0, rows) * share * other.index_select(0, columns)
    return with_entries(self, terms.sum(-1))


@reduced.vjp("other")
def reduced_vjp_other(grad: Any, self: Any, other: Any, reduce: str) -> Any:
    rows, columns, share = weights(self, other, reduce)
    terms = grad.index_select(0, rows) * share * self.values().unsqueeze(1)
    return terms.new_zeros(other.shape).index_add(0, columns, terms)


@reduced.jvp("self")
def reduced_jvp_self(tangent: Any, self: Any, other: Any, reduce: str) -> Any:
    rows, columns, share = weights(self, other, reduce)
    entries = entries_at(tangent, wrap(places_of(self._array_))).unsqueeze(1)
    terms = entries * share * other.index_select(0, columns)
    return terms.new_zeros((self.shape[0], other.shape[1])).index_add(0, rows, terms)


@reduced.jvp("other")
def reduced_jvp_other(tangent: Any, self: Any, other: Any, reduce: str) -> Any:
    rows, columns, share = weights(self, other, reduce)
    terms = tangent.index_select(0, columns) * share * self.values().unsqueeze(1)
    return terms.new_zeros((self.shape[0], other.shape[1])).index_add(0, rows, terms)


def reduced_product(sparse: Any, dense: Any, reduce: Any) -> Any:
    """`sparse.mm` with `reduce=`.

    Raises:
        NotImplementedError: if the first matrix is not compressed, or is of integers.
        RuntimeError: if it is not compressed by rows, the matrices do not fit, or `reduce` is unknown.
        TypeError: if `reduce` is not a string.
    """
    if not isinstance(reduce, str):
        raise TypeError(f"_sparse_mm(): argument 'reduce' must be str, not {type(reduce).__name__}")
    if not is_compressed(sparse):
        raise NotImplementedError(
            sparse_errors.no_kernel("_sparse_mm_reduce_impl", "SparseCPU" if is_sparse(sparse) else "CPU")
        )
    if sparse.layout is not sparse_csr:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {sparse.layout.title}")
    if is_sparse(dense):
        raise RuntimeError("sparse_mm_reduce: expected the second matrix to have Strided layout, got a sparse one")
    if sparse.ndim != 2 or dense.ndim != 2 or dense.shape[0] != sparse.shape[1]:
        raise RuntimeError(
            f"Expected a tensor of dimension 2 and tensor.size[0] == {sparse.shape[1]} but got: dimension {dense.ndim} "
            f"and tensor.size[0] = {dense.shape[0] if dense.ndim else 1}"
        )
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if sparse.dtype is not dense.dtype:
        raise RuntimeError(
            f"sparse_mm_reduce: expected both matrices to have one scalar type, got {sparse.dtype} and {dense.dtype}"
        )
    if sparse.dtype.category != dtypes.FLOAT:
        raise NotImplementedError(f"\"spmm_reduce_kernel\" not implemented for '{sparse.dtype.legacy[:-6]}'")
    return reduced.call((sparse, dense, reduce))


@takes_sparse
@of_sparse(dtypes=FLOATS, name="_sparse_sampled_addmm", node="SparseSampledAddmmBackward0")
def sampled(self: Array, mat1: Array, mat2: Array, beta: Any, alpha: Any) -> Any:
    """Return beta * self + alpha * (mat1 @ mat2) at the indices of a matrix compressed by rows, or of a batch of them.

    Args:
        self: (batch ..., n, p), of layout `sparse_csr`.
        mat1, mat2: (batch ..., n, m) and (batch ..., m, p), dense.
        beta, alpha: factors.
    """
    places, factor = places_of(self), self.dtype.type
    batch, (row, column) = tuple(places[:-2]), places[-2:]
    terms = mat1[(*batch, row)] * mat2.swapaxes(-1, -2)[(*batch, column)]
    values = self.values._array_
    result = terms.sum(axis=-1).reshape(values.shape) * factor(alpha)
    return compressed(
        self.indices, wrap(result if beta == 0 else result + values * factor(beta)), self.shape, self.layout
    )


@sampled.vjp("self")
def sampled_vjp_self(grad: Any, self: Any, beta: Any) -> Any:
    return with_entries(self, entries_at(grad, wrap(places_of(self._array_)))) * conjugate(beta)


@sampled.vjp("mat1")
def sampled_vjp_mat1(grad: Any, self: Any, mat2: Any, alpha: Any) -> Any:
    return at_places(grad, self) @ mat2.mH * conjugate(alpha)


@sampled.vjp("mat2")
def sampled_vjp_mat2(grad: Any, self: Any, mat1: Any, alpha: Any) -> Any:
    return mat1.mH @ at_places(grad, self) * conjugate(alpha)


def at_places(grad: Any, model: Any) -> Any:
    """Return a gradient as a dense tensor, zero except at the indices of a compressed one."""
    return with_entries(model, entries_at(grad, wrap(places_of(model._array_)))).to_dense()


@sampled.jvp("self")
def sampled_jvp_self(tangent: Any, beta: Any) -> Any:
    return tangent * beta


@sampled.jvp("mat1")
def sampled_jvp_mat1(tangent: Any, self: Any, mat2: Any, alpha: Any) -> Any:
    return sampled.call((self, tangent, mat2, 0, alpha))


@sampled.jvp("mat2")
def sampled_jvp_mat2(tangent: Any, self: Any, mat1: Any, alpha: Any) -> Any:
    return sampled.call((self, mat1, tangent, 0, alpha))


def sampled_addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any:
    """Return beta * input + alpha * (mat1 @ mat2) at the indices of `input`: `torch.sparse.sampled_addmm`.

    Args:
        input: matrix of layout `sparse_csr`, (n, p), or a batch of them.
        mat1, mat2: dense matrices, (n, m) and (m, p).
        beta, alpha: factors.
        out: a tensor of layout `sparse_csr` to write into.

    Returns:
        A new tensor of layout `sparse_csr`.

    Raises:
        NotImplementedError: if `input` is not compressed.
        RuntimeError: if `input` is not compressed by rows, or shapes or dtypes do not fit.
    """
    check_tensors("sparse_sampled_addmm", input=input, mat1=mat1, mat2=mat2)
    if not is_compressed(input):
        raise NotImplementedError(
            sparse_errors.no_kernel("sparse_sampled_addmm", "SparseCPU" if is_sparse(input) else "CPU")
        )
    if input.layout is not sparse_csr:
        raise RuntimeError(f"sampled_addmm: Expected result to have sparse csr layout, but got {input.layout.title}")
    for operand in (mat1, mat2):
        if is_sparse(operand):
            raise NotImplementedError(no_kernel("sparse_sampled_addmm", input.layout))
    if not input.is_floating_point() and not input.is_complex():
        raise RuntimeError(
            "sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got "
            f"{input.dtype.legacy.removesuffix('Tensor')}"
        )
    check_sampled(input, mat1, mat2)
    return put("sparse_sampled_addmm", out, sampled.call((input, mat1, mat2, beta, alpha)))


def check_sampled(input: Any, mat1: Any, mat2: Any) -> None:
    """Refuse matrices that do not fit.

    Raises:
        RuntimeError: if dtypes or shapes differ.
    """
    kinds = [matrix.dtype.legacy.removesuffix("Tensor") for matrix in (mat1, mat2, input)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"sampled_addmm: Expected mat1 and mat2 to have the same dtype, but got {kinds[0]} and {kinds[1]}"
        )
    if kinds[1] != kinds[2]:
        raise RuntimeError(
            f"sampled_addmm: Expected self and mat1 to have the same dtype, but got {kinds[2]} and {kinds[0]}"
        )
    if mat1.ndim != input.ndim or mat2.ndim != input.ndim or not mat1.shape[:-2] == mat2.shape[:-2] == input.shape[:-2]:
        raise RuntimeError("sampled_addmm: mat1 and mat2 must have the batch dimensions of self")
    if mat1.shape[-1] != mat2.shape[-2]:
        raise RuntimeError(
            f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({mat1.shape[-2]}x{mat1.shape[-1]} and "
            f"{mat2.shape[-2]}x{mat2.shape[-1]})"
        )
    for at, matrix in ((-2, mat1), (-1, mat2)):
        if matrix.shape[at] != input.shape[at]:
            name = "mat1" if at == -2 else "mat2"
            raise RuntimeError(f"sampled_addmm: self.shape[{at}] must match {name}.shape[{at}]")
