"""Sparse products of a sparse and a dense matrix, with all columns of the rows that have entries.

They have no derivative, as in torch.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..._core import sparse_errors
from ..._core.calls.sparse import takes_sparse
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import NUMBERS, Array, Bad, Number, composite, op
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.coordinates import Coordinates, nothing
from ..._core.types import dtypes
from ..._kernels import positions, sparse as kernels
from .parts import coo, entries_of, in_order, is_sparse, none, of_sparse
from .products import check_dtypes


def check_matrices(name: str, first: int, *matrices: Any) -> None:
    """Refuse factors that are not matrices, or do not fit; `first` is the number of the first one.

    Raises:
        RuntimeError: if they do not fit.
    """
    for at, matrix in enumerate(matrices):
        dims = len(matrix.indices) if isinstance(matrix, Coordinates) else matrix.ndim
        if dims != 2 or matrix.ndim != 2:
            raise RuntimeError(f"{name}: Argument #{first + at}: matrices expected, got {dims}D tensor")
    mat1, mat2 = matrices[-2:]
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"{name}: Argument #{first + len(matrices) - 1}: Expected dim 0 size {mat1.shape[1]}, got {mat2.shape[0]}"
        )
    check_dtypes(mat1, mat2)


def rows_of_product(mat1: Coordinates, mat2: Any) -> tuple[Any, Any]:
    """Return the rows of a product that may differ from zero: their numbers and elements."""
    places, entries = entries_of(in_order(mat1))
    rows, where = positions.inverse_of_unique(places[0])
    return rows, kernels.row_sums(where, mat2[places[1]] * entries[:, None], rows.size)


def refuse_gradient(name: str) -> NoReturn:
    """Refuse the derivative, which does not exist.

    Raises:
        RuntimeError: always; there is no derivative.
    """
    raise RuntimeError(
        f"derivative for aten::{name} is not implemented. Use sparse.mm or sparse.addmm, which have one."
    )


@takes_sparse
@of_sparse(dtypes=NUMBERS, node="torch::autograd::NotImplemented")
def hspmm(mat1: Array, mat2: Array) -> Any:
    """Multiply a sparse and a dense matrix; the result has sparse rows and dense columns.

    Args:
        mat1: sparse matrix in coordinates, (n, m).
        mat2: dense matrix, (m, p).

    Returns:
        A new sparse tensor, (n, p), with an entry of p elements for each row of `mat1` that has entries.

    Raises:
        NotImplementedError: if `mat1` is dense.
        RuntimeError: if the operands are not such matrices, or lengths or dtypes do not fit.

    Derivative:
        None, as in torch: a backward pass through it raises.

    Examples:
        >>> import wengert as wg
        >>> wg.hspmm(wg.tensor([[0.0, 0.0], [2.0, 0.0]]).to_sparse(), wg.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(indices=tensor([[1]]),
               values=tensor([[2., 4.]]),
               size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """
    if not isinstance(mat1, Coordinates):
        raise NotImplementedError(sparse_errors.no_kernel("hspmm", "CPU"))
    if isinstance(mat2, Coordinates):
        raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse")
    check_matrices("hspmm", 2, mat1, mat2)
    rows, values = rows_of_product(mat1, mat2)
    return coo(rows[None], values, (mat1.shape[0], mat2.shape[1]), True)


@hspmm.vjp("mat1", "mat2")
def hspmm_vjp(grad: Any) -> Any:
    refuse_gradient("hspmm")


@takes_sparse
@op(layout="own", dtypes=NUMBERS, samples=none, node="torch::autograd::NotImplemented")
def sspaddmm(self: Array, mat1: Array, mat2: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * (mat1 @ mat2), for two sparse matrices and a dense one, as a sparse matrix.

    Args:
        self: sparse matrix in coordinates, (n, p).
        mat1: sparse matrix in coordinates, (n, m).
        mat2: dense matrix, (m, p).
        beta, alpha: factors.

    Returns:
        A new sparse matrix, (n, p), not coalesced: the entries of `self`, then those of the product, which has one for
        each column in each row of `mat1` that has entries.

    Raises:
        RuntimeError: if the operands are not such matrices, or lengths or dtypes do not fit.

    Derivative:
        None, as in torch: a backward pass through it raises.

    Examples:
        >>> import wengert as wg
        >>> sparse = wg.tensor([[0.0, 0.0], [2.0, 0.0]]).to_sparse()
        >>> wg.sspaddmm(sparse, sparse, wg.tensor([[1.0, 2.0], [3.0, 4.0]]), beta=3)
        tensor(indices=tensor([[1, 1, 1],
                               [0, 0, 1]]),
               values=tensor([6., 2., 4.]),
               size=(2, 2), nnz=3, layout=torch.sparse_coo)
    """
    for name, operand in (("self", self), ("mat1", mat1)):
        if not isinstance(operand, Coordinates):
            raise RuntimeError(f"sspaddmm: '{name}' must be a sparse tensor in coordinates, got a dense one")
    if isinstance(mat2, Coordinates):
        raise RuntimeError("sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with layout Sparse")
    check_matrices("sspaddmm", 1, self, mat1, mat2)
    shape = (mat1.shape[0], mat2.shape[1])
    for dim, (length, wanted) in enumerate(zip(self.shape, shape)):
        if length != wanted:
            raise RuntimeError(f"sspaddmm: Argument #1: Expected dim {dim} size {wanted}, got {length}")
    if self.dtype != mat1.dtype:
        kinds = [dtypes.from_numpy(operand.dtype).legacy.removesuffix("Tensor") for operand in (mat1, self)]
        raise RuntimeError("dtype of values ({}) must match dtype of sparse tensor ({})".format(*kinds))
    rows, values = rows_of_product(mat1, mat2)
    result = np.stack([positions.repeat(rows, shape[1]), np.tile(positions.arange(shape[1]), rows.size)])
    places, entries = entries_of(self)
    factor = self.dtype.type
    values = np.concatenate([entries * factor(beta), values.reshape(-1) * factor(alpha)])
    return coo(np.concatenate([places, result], axis=1), values, shape, False)


@sspaddmm.vjp("self", "mat1", "mat2")
def sspaddmm_vjp(grad: Any) -> Any:
    refuse_gradient("sspaddmm")


@composite(method=False)
def saddmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Any:
    """Alias of `sspaddmm`.

    Args:
        self: sparse matrix in coordinates, (n, p).
        mat1: sparse matrix in coordinates, (n, m).
        mat2: dense matrix, (m, p).
        beta, alpha: factors.
        out: a tensor to write into.

    Returns:
        A new sparse matrix, (n, p).

    Examples:
        >>> unit = wg.eye(2).to_sparse()
        >>> wg.saddmm(unit, unit, wg.ones(2, 2), beta=2).to_dense()
        tensor([[3., 1.],
                [1., 3.]])
    """
    options = {} if out is None else {"out": out}
    return sspaddmm(self, mat1, mat2, beta=beta, alpha=alpha, **options)


saddmm.samples(none)


@composite()
def smm(self: Tensor, mat2: Tensor) -> Any:
    """Multiply a sparse and a dense matrix to a sparse one: see `sspaddmm`.

    Args:
        self: sparse matrix in coordinates, (n, m).
        mat2: dense matrix, (m, p).

    Returns:
        A new sparse matrix, (n, p), with an entry for each column in each row of `self` that has entries.

    Raises:
        RuntimeError: if the operands are not such matrices, or lengths or dtypes do not fit.

    Derivative:
        None, as in torch: a backward pass through it raises.

    Examples:
        >>> import wengert as wg
        >>> wg.smm(wg.tensor([[0.0, 0.0], [2.0, 0.0]]).to_sparse(), wg.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(indices=tensor([[1, 1],
                               [0, 1]]),
               values=tensor([2., 4.]),
               size=(2, 2), nnz=2, layout=torch.sparse_coo)
    """
    check_tensors("smm", self=self, mat2=mat2)
    if not is_sparse(self):
        raise RuntimeError("smm: tensor.sspaddmm(...) can only be called on sparse tensors")
    shape = (self.shape[0], mat2.shape[1]) if self.ndim == mat2.ndim == 2 else (0, 0)
    return sspaddmm.call((wrap(nothing(shape, self._array_.dtype)), self, mat2, 1, 1))


@smm.samples
def smm_samples(make: Any) -> Any:
    yield Bad(make(2, 3), make(3, 2), raises=RuntimeError, says="can only be called on sparse tensors")
