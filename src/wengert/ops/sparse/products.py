"""Products of a sparse matrix and a dense one, a vector, or another sparse one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.sparse import SHARING, kernel, takes_sparse
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import NUMBERS, Array, Bad, Number, Sample, composite
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import wrap
from ..._core.tensor.coordinates import Coordinates
from ..._core.tensor.standins import StandIn
from ..._core.types import dtypes
from ..._kernels import compressed as lines, sparse as kernels
from ..family import describes
from .compressed import is_compressed, places_of
from .compressed_entries import with_entries
from .compressed_products import reduced_product
from .entries import packed
from .layouts import sparse_csc, sparse_csr
from .parts import coo, densified, entries_of, in_order, is_sparse, of_sparse, spread
from .reading import masked_like


def check_product(first: Any, second: Any) -> None:
    """Refuse operands that cannot be multiplied.

    Raises:
        RuntimeError: if an operand is not a matrix, or lengths or dtypes do not fit.
    """
    for at, operand in enumerate((first, second)):
        if operand.ndim != 2:
            raise RuntimeError(f"mm: expected mat{at + 1} to be a matrix, got {operand.ndim}-D tensor")
        if isinstance(operand, Coordinates) and len(operand.indices) != 2:
            raise RuntimeError("mm: expected a sparse matrix with two sparse dimensions and no dense ones")
    if first.shape[1] != second.shape[0]:
        (rows, inner), (other, columns) = first.shape, second.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {other}x{columns})")
    check_dtypes(first, second)


def check_dtypes(first: Any, second: Any) -> None:
    """Refuse arrays of different dtypes.

    Raises:
        RuntimeError: if the dtypes differ.
    """
    if first.dtype != second.dtype:
        kinds = [dtypes.from_numpy(operand.dtype).legacy.removesuffix("Tensor") for operand in (first, second)]
        raise RuntimeError("expected scalar type {} but found {}".format(*kinds))


def multiplied(first: Any, second: Any) -> Any:
    """Multiply two arrays, at least one of which is sparse: the result is dense, or sparse if both are."""
    check_product(first, second)
    if not isinstance(first, StandIn):
        return lines.product(*by_lines(second, 1), np.ascontiguousarray(first.T)).T.copy()
    if not isinstance(second, StandIn):
        return lines.product(*by_lines(first, 0), second)
    first, second = spread(first), spread(second)
    shape = (first.shape[0], second.shape[1])
    result = kernels.product(entries_of(first), entries_of(in_order(second)), *shape)
    return coo(*result, shape, True)


def by_lines(array: Any, dim: int) -> tuple[Any, Any, Any]:
    """Return bounds, indices and entries of a sparse matrix, row by row, or, for dimension 1, column by column."""
    form = getattr(array, "layout", None)
    if form is (sparse_csc if dim else sparse_csr):
        return (*array.indices, array.values._array_)
    if form is (sparse_csr if dim else sparse_csc):
        (bounds, plain), entries = array.indices, array.values._array_
        return lines.in_rows(plain, lines.lines(bounds), entries, array.shape[dim])
    places, entries = entries_of(spread(array))
    return lines.in_rows(places[dim], places[1 - dim], entries, array.shape[dim])


SHARING.update(("mm", "mv"))


@kernel("mm")
def mm_kernel(self: Any, mat2: Any) -> Any:
    return wrap(multiplied(self._array_, mat2._array_))


@kernel("mv")
def mv_kernel(self: Any, vec: Any) -> Any:
    if not is_sparse(self) or is_sparse(vec):
        return NotImplemented
    array, vector = self._array_, vec._array_
    if array.ndim != 2 or vector.ndim != 1 or array.shape[1] != vector.shape[0]:
        raise RuntimeError(f"mv: size mismatch, got {[*array.shape]} and {[*vector.shape]}")
    return wrap(multiplied(array, vector[:, None])[:, 0].copy())


@kernel("bmm")
def bmm_kernel(self: Any, mat2: Any) -> Any:
    array, dense = self._array_, mat2._array_
    if is_sparse(mat2):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    check_batches(array, dense)
    places, entries = entries_of(array)
    count, rows = array.shape[0], array.shape[1]
    terms = dense[places[0], places[2]] * entries[:, None]
    result = kernels.row_sums(places[0] * rows + places[1], terms, count * rows)
    return wrap(result.reshape(count, rows, dense.shape[2]))


def check_batches(first: Coordinates, second: Any) -> None:
    """Refuse batches of matrices, the first one sparse, that cannot be multiplied.

    Raises:
        RuntimeError: if an operand is not a batch of matrices, or lengths or dtypes do not fit.
    """
    dims = len(first.indices)
    if first.ndim > dims:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 0 dense dims, but has {first.ndim - dims}")
    if dims != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {dims}")
    if second.ndim != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'mat2' must have 3 dims, but has {second.ndim}")
    for dim, other in ((0, 0), (2, 1)):
        if first.shape[dim] != second.shape[other]:
            raise RuntimeError(
                f"bmm_sparse: 'self.size({dim})' and 'mat2.size({other})' must match, got {first.shape[dim]} and "
                f"{second.shape[other]}"
            )
    check_dtypes(first, second)


@kernel("addmm")
def addmm_kernel(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    if not is_sparse(mat1):
        if is_sparse(self):
            raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse")
        return NotImplemented
    result = wrap(multiplied(mat1._array_, mat2._array_))
    return self * beta + result * alpha if not is_sparse(self) else result * alpha + self * beta


@takes_sparse
@of_sparse(dtypes=NUMBERS, name="_sparse_addmm", node="SparseAddmmBackward0", larger=True)
def added_product(self: Array, mat1: Array, mat2: Array, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * (mat1 @ mat2); the gradient of a sparse `mat1` has its indices.

    Args:
        self: dense matrix, or a tensor that broadcasts to one.
        mat1, mat2: matrices, one of which is sparse.
        beta, alpha: factors.
    """
    product = densified(multiplied(mat1, mat2)) if isinstance(mat1, StandIn) else mat1 @ densified(mat2)
    result = product if alpha == 1 else product * product.dtype.type(alpha)
    if beta == 0:
        return result
    return result + (self if beta == 1 else self * result.dtype.type(beta))


@added_product.vjp("self")
def added_product_vjp_self(grad: Any, beta: Any) -> Any:
    return grad * conjugate(beta)


@added_product.vjp("mat1")
def added_product_vjp_mat1(grad: Any, mat1: Any, mat2: Any, alpha: Any) -> Any:
    grad = grad * conjugate(alpha)
    if not is_sparse(mat1):
        return grad @ conjugate(mat2.t())
    places = places_of(mat1._array_) if is_compressed(mat1) else in_order(mat1._array_).indices
    entries = (grad.index_select(0, wrap(places[0])) * conjugate(mat2.index_select(0, wrap(places[1])))).sum(-1)
    if is_compressed(mat1):
        return with_entries(mat1, entries)
    return packed.call((wrap(places), entries, mat1.shape, False))


@added_product.vjp("mat2")
def added_product_vjp_mat2(grad: Any, mat1: Any, alpha: Any) -> Any:
    return conjugate(mat1.t()) @ (grad * conjugate(alpha))


@added_product.jvp("self")
def added_product_jvp_self(tangent: Any, beta: Any) -> Any:
    return tangent * beta


@added_product.jvp("mat1")
def added_product_jvp_mat1(tangent: Any, mat2: Any, alpha: Any) -> Any:
    return (tangent @ mat2) * alpha


@added_product.jvp("mat2")
def added_product_jvp_mat2(tangent: Any, mat1: Any, alpha: Any) -> Any:
    return (mat1 @ tangent) * alpha


@takes_sparse
@of_sparse(dtypes=NUMBERS, linear=("self", "other"), name="_sparse_sparse_matmul", node="SparseSparseMatmulBackward0")
def sparse_product(self: Array, other: Array) -> Any:
    """Multiply two sparse matrices to a sparse one; gradients have the indices of the factors."""
    return multiplied(self, other)


@sparse_product.vjp("self")
def sparse_product_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return masked_like(sparse_product.call((grad, other.t())) if is_sparse(grad) else grad @ other.t(), self)


@sparse_product.vjp("other")
def sparse_product_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return masked_like(sparse_product.call((self.t(), grad)) if is_sparse(grad) else self.t() @ grad, other)


def sparse_mm(sparse: Any, dense: Any, reduce: Any = None) -> Any:
    """Multiply two matrices, at least one of which is sparse: `torch.sparse.mm`.

    Args:
        sparse, dense: matrices; the gradient of a sparse one has its indices.
        reduce: for a first matrix of layout `sparse_csr`: "sum", "mean", "amax" or "amin" of the terms in each row.

    Returns:
        A new tensor, sparse if both are.

    Raises:
        TypeError: if an operand is not a tensor.
    """
    check_tensors("_sparse_mm", sparse=sparse, dense=dense)
    if reduce is not None:
        return reduced_product(sparse, dense, reduce)
    if is_compressed(sparse) and is_compressed(dense):
        return sparse.mm(dense)
    if is_sparse(sparse) and is_sparse(dense):
        return sparse_product.call((sparse, dense))
    if is_sparse(sparse):
        return added_product.call((dense.new_zeros(()), sparse, dense, 0, 1))
    if not is_sparse(dense):
        return sparse @ dense
    return added_product.call((sparse.new_zeros(()), dense.t(), sparse.t(), 0, 1)).t()


def sparse_addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * mat + alpha * (mat1 @ mat2): `torch.sparse.addmm`. The gradient of a sparse `mat1` is sparse."""
    return added_product.call((mat, mat1, mat2, beta, alpha))


PRODUCT = """
    Args:
        input, mat2: matrices, (n, m) and (m, p).

    Returns:
        A new matrix, (n, p), sparse if both are.

    Raises:
        RuntimeError: if they are not matrices, or their lengths or dtypes do not fit.
    """


@composite(method=False)
@describes(PRODUCT)
def spmm(input: Any, mat2: Any) -> Any:
    """Multiply two matrices, the first of which may be sparse: an older name of `mm`.

    Examples:
        >>> import wengert as wg
        >>> wg.spmm(wg.eye(2).to_sparse(), wg.tensor([[1.0], [2.0]]))
        tensor([[1.],
                [2.]])
    """
    return input.mm(mat2)


@composite(method=False)
@describes(PRODUCT)
def dsmm(input: Any, mat2: Any) -> Any:
    """Multiply two matrices, the first of which may be sparse: an older name of `mm`.

    Examples:
        >>> import wengert as wg
        >>> wg.dsmm(wg.eye(2).to_sparse(), wg.tensor([[1.0], [2.0]]))
        tensor([[1.],
                [2.]])
    """
    return input.mm(mat2)


@composite(method=False)
@describes(PRODUCT)
def hsmm(input: Any, mat2: Any) -> Any:
    """Multiply two matrices, the first of which may be sparse: an older name of `mm`.

    Examples:
        >>> import wengert as wg
        >>> wg.hsmm(wg.eye(2).to_sparse(), wg.tensor([[1.0], [2.0]]))
        tensor([[1.],
                [2.]])
    """
    return input.mm(mat2)


@spmm.samples
@dsmm.samples
@hsmm.samples
def products(make: Any) -> Any:
    """Samples of `mm`."""
    yield Sample(make(2, 3), make(3, 4))
    yield Bad(make(2, 3), make(2, 3), raises=RuntimeError, says="shapes cannot be multiplied")
