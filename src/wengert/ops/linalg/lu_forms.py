"""Public functions of LU factors of general matrices."""

from __future__ import annotations

from typing import Any

from ..._core.calls.out import put, several_outputs
from ..._core.cards.arguments import Truth
from ..._core.cards.card import Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from .. import return_types
from .lu import dominant, factored, packed, solved, unpacked
from .matrices import public


@public(name="linalg_lu")
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The factors of A = P L U: permutation, lower triangular with ones on the diagonal, and upper triangular.

    Args:
        A: (..., m, n), floating or complex.
        pivot: must be true.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (P, L, U).

    Raises:
        RuntimeError: if `A` is not a batch of matrices.
        ImportError: if SciPy is not installed.
    """
    return put("linalg_lu", out, return_types.linalg_lu(factored(A, pivot)), words=EXACT)


@public(name="linalg_lu_factor")
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor, as `lu_solve` takes them.

    Args:
        A: (..., m, n), floating or complex.
        pivot: must be true.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (LU, pivots); pivots are the numbers, from 1, of the rows that each row was exchanged with.

    Raises:
        RuntimeError: if `A` is not a batch of matrices.
        LinAlgError: if a pivot is zero.
        ImportError: if SciPy is not installed.
    """
    return put(
        "linalg_lu_factor",
        out,
        return_types.linalg_lu_factor(packed(A, pivot, True)[:2]),
        words=EXACT,
        writer="linalg_lu_factor_ex",
    )


@public(name="linalg_lu_factor_ex")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor, and whether a pivot is zero; errors are optional.

    Args:
        A: (..., m, n), floating or complex.
        pivot: must be true.
        check_errors: raise an error if a pivot is zero.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (LU, pivots, info): info is 0, or the number of the pivot that is zero, from 1.

    Raises:
        RuntimeError: if `A` is not a batch of matrices.
        LinAlgError: if a pivot is zero, and `check_errors` is true.
        ImportError: if SciPy is not installed.
    """
    result = return_types.linalg_lu_factor_ex(packed(A, pivot, check_errors))
    return put("linalg_lu_factor_ex", out, result, words=EXACT)


@linalg_lu.samples
@lu_factor.samples
@lu_factor_ex.samples
def lu_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=dominant)
    yield Bad(make(3), raises=RuntimeError, says="Expected tensor with 2 or more dimensions. Got size: [3] instead")


@public(name="linalg_lu_solve")
def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Any = None
) -> Any:
    """The solution X of A X = B, where A is given by `lu_factor`.

    Args:
        LU: (..., n, n), floating or complex.
        pivots: (..., n), int32.
        B: (..., n, k), of the dtype of `LU`; dimensions in front broadcast.
        left: False for X A = B, then `B` is (..., k, n).
        adjoint: use A^H instead of A.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of `B`, with the dimensions in front of both.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    return put("linalg_lu_solve", out, solved(LU, pivots, B, left, adjoint), words=EXACT)


@linalg_lu_solve.samples
def linalg_lu_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 3, kind="nonzero"), make(3, dtype=dtypes.int32, low=3, high=4), make(3, 2))


@composite()
def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Any:
    """The solution X of A X = B, where A is given by its factors. Deprecated: use `linalg.lu_solve`.

    Args:
        self: B, (..., n, k), floating or complex.
        LU_data: (..., n, n), of the same dtype.
        LU_pivots: (..., n), int32.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of `self`, with the dimensions in front of both.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    anomaly.warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solve and will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return put("lu_solve", out, solved(LU_data, LU_pivots, self, True, False), words=EXACT, writer="linalg_lu_solve")


@lu_solve.samples
def lu_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 3, kind="nonzero"), make(3, dtype=dtypes.int32, low=3, high=4))


@composite(method=False)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True, *, out: Any = None
) -> Any:
    """The factors P, L and U of the result of `linalg.lu_factor`.

    Args:
        LU_data: (..., m, n), floating or complex.
        LU_pivots: (..., min(m, n)), int32.
        unpack_data: return L and U, else empty tensors.
        unpack_pivots: return P, else an empty tensor.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (P, L, U).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    result = return_types.lu_unpack(unpacked(LU_data, LU_pivots, unpack_data, unpack_pivots))
    return put("lu_unpack", out, result, words=EXACT)


@lu_unpack.samples
def lu_unpack_samples(make: Any) -> Any:
    yield Sample(make(3, 3), make(3, dtype=dtypes.int32, low=3, high=4))


@composite()
def lu(self: Tensor, pivot: bool = True, get_infos: Truth = False, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor. Deprecated: use `linalg.lu_factor`.

    Args:
        self: (..., m, n), floating or complex.
        pivot: must be true.
        get_infos: return the zero pivots, too.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (LU, pivots), or (LU, pivots, info).

    Raises:
        RuntimeError: if `self` is not a batch of matrices.
        ImportError: if SciPy is not installed.
    """
    anomaly.warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    parts = packed(self, pivot, False)
    parts = parts if get_infos else parts[:2]
    if out is None:
        return parts
    for tensor, result in zip(several_outputs("lu", out, len(parts)), parts):
        tensor.resize_as_(result).copy_(result)
    return out


@lu.samples
def old_lu_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=dominant)
