"""Factors of symmetric and Hermitian matrices that may be indefinite: A = L D L^T (or L^H)."""

from __future__ import annotations

from typing import Any

from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Index, Sample
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels import factors
from .. import return_types
from ..dtype_checks import refuse
from ..family import describes
from .matrices import (
    FACTORED,
    PACKED,
    SOLUTION,
    LinAlgError,
    check_inexact,
    check_same_dtype,
    check_square,
    of_matrices,
    public,
    stacked,
)
from .solve import check_system

WHY = "LAPACK's packed form has none in torch either; take linalg.solve"


def check_ldl(self: Any) -> None:
    """Check the arguments of `ldl_factor`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "torch.linalg.ldl_factor_ex"
    if self.dtype.kind not in "fcV" or dtypes.from_numpy(self.dtype) in FACTORED:
        check_square(name, self)
        check_inexact(name, self)
    else:
        check_inexact(name, self, "ldl_factor_kernel_cpu")


@of_matrices(
    name="_linalg_ldl_factor_ex",
    outputs={"LD": True, "pivots": False, "info": False},
    why=(WHY, "aten::linalg_ldl_factor_ex"),
)
def factored(self: Array, hermitian: bool, check_errors: bool) -> Any:
    """Return both factors in one matrix, the exchanged rows, and the number of each matrix's zero pivot, or 0."""
    check_ldl(self)
    result, pivots, info = factors.ldl(self, hermitian)
    if check_errors and info.any():
        raise LinAlgError(
            f"torch.linalg.ldl_factor_ex: D[{int(info[info > 0][0])},{int(info[info > 0][0])}] is zero and using it on "
            "ldl_solve would result in a division by zero."
        )
    return result, pivots, info


@factored.samples
def factored_samples(make: Any) -> Any:
    yield Sample(make(3, 3), False, False)
    yield Sample(make(2, 3, 3), True, False)
    yield Bad(make(2, 3), False, False, raises=RuntimeError, says="ldl_factor_ex: A must be batches of square matrices")


@public(name="linalg_ldl_factor")
def ldl_factor(A: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """The factors of symmetric matrices in one tensor, as `ldl_solve` takes them.

    Args:
        A: (..., n, n), floating or complex; only the lower triangle is read.
        hermitian: complex matrices are Hermitian, not symmetric.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (LD, pivots).

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.
        LinAlgError: if a pivot is zero.
        ImportError: if SciPy is not installed.

    Examples:
        >>> import wengert as wg
        >>> LD, pivots = wg.linalg.ldl_factor(wg.tensor([[4.0, 2.0], [2.0, 5.0]]))
        >>> LD
        tensor([[4.0000, 0.0000],
                [0.5000, 4.0000]])
    """
    return put(
        "linalg_ldl_factor",
        out,
        return_types.linalg_ldl_factor(factored(A, hermitian, True)[:2]),
        words=EXACT,
        recorded=False,
        writer="linalg_ldl_factor_ex",
    )


@public(name="linalg_ldl_factor_ex")
@describes(PACKED, factors="LD", matrices="square matrices")
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """The factors of symmetric matrices in one tensor, and whether a pivot is zero; errors are optional.

    Args:
        A: (..., n, n), floating or complex; only the lower triangle is read.
        hermitian: complex matrices are Hermitian, not symmetric.

    Examples:
        >>> import wengert as wg
        >>> LD, pivots, info = wg.linalg.ldl_factor_ex(wg.tensor([[4.0, 2.0], [2.0, 5.0]]))
        >>> info
        tensor(0, dtype=torch.int32)
    """
    result = return_types.linalg_ldl_factor_ex(factored(A, hermitian, check_errors))
    return put("linalg_ldl_factor_ex", out, result, words=EXACT, recorded=False)


@ldl_factor.samples
@ldl_factor_ex.samples
def ldl_samples(make: Any) -> Any:
    yield Sample(make(3, 3, requires_grad=False))


def check_ldl_system(LD: Any, pivots: Any, B: Any) -> None:
    """Refuse systems that `ldl_solve` does not take.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "torch.linalg.ldl_solve"
    check_system(name, LD, B, True)
    if B.ndim < 2:
        raise RuntimeError(f"{name}: Expected B to have at least 2 dimensions, but it has {B.ndim} dimensions instead")
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {dtypes.from_numpy(pivots.dtype)}")
    check_same_dtype(name, LD, B, "LD", "B")
    if dtypes.from_numpy(LD.dtype) not in FACTORED:
        refuse("linalg_ldl_solve", "ldl_solve_kernel_cpu", LD)


@of_matrices(name="_linalg_ldl_solve", batching=stacked(2, 1, 2), why=(WHY, "aten::linalg_ldl_solve"), larger=True)
def solved(LD: Array, pivots: Index, B: Array, hermitian: bool) -> Any:
    """Solve A X = B, where A is given by its factors."""
    check_ldl_system(LD, pivots, B)
    return factors.ldl_solve(LD, pivots, B, hermitian)


@solved.samples
def solved_samples(make: Any) -> Any:
    pivots = {"dtype": dtypes.int32, "low": 3, "high": 4}
    yield Sample(make(3, 3), make(3, **pivots), make(3, 2), False)
    yield Bad(make(3, 3), make(2, **pivots), make(3, 2), False, raises=RuntimeError, says="Expected LD.shape[:-1] and")


@public(name="linalg_ldl_solve")
@describes(SOLUTION, right="B", errors="\n        ImportError: if SciPy is not installed.")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """The solution X of A X = B, where A is given by `ldl_factor`.

    Args:
        LD: (..., n, n), floating or complex.
        pivots: (..., n), int32.
        B: (..., n, k), of the dtype of `LD`; dimensions in front broadcast.
        hermitian: as for `ldl_factor`.
        out: a tensor to write into.

    Examples:
        >>> import wengert as wg
        >>> factors = wg.linalg.ldl_factor(wg.tensor([[4.0, 2.0], [2.0, 5.0]]))
        >>> wg.linalg.ldl_solve(*factors, wg.tensor([[6.0], [7.0]]))
        tensor([[1.],
                [1.]])
    """
    return put("linalg_ldl_solve", out, solved(LD, pivots, B, hermitian), words=EXACT, recorded=False)


@ldl_solve.samples
def ldl_solve_samples(make: Any) -> Any:
    pivots = make(3, dtype=dtypes.int32, low=3, high=4)
    yield Sample(make(3, 3, requires_grad=False), pivots, make(3, 2, requires_grad=False))
