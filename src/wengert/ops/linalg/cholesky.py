"""Cholesky factors of positive definite matrices, and operators on them.

Source of the derivatives: I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016. Only one
triangle is read; the gradient is that of a Hermitian matrix.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Out, Sample, composite, nodes
from ..._core.graph import anomaly
from ..._core.out_errors import CASTABLE, EXACT
from ..._core.tensor.base import Tensor
from ..._kernels import factors, positions
from .. import return_types
from ..dtype_checks import refuse
from .inverse import SINGULAR
from .matrices import (
    SOLUTION,
    LinAlgError,
    adjoint,
    check_inexact,
    check_square,
    diagonal,
    of_matrices,
    of_two,
    positive,
    public,
    raise_first,
)
from .solve import check_old_system, triangular

native = kernels.direct_function

INDEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)
UNCASTABLE = f"cholesky: {CASTABLE}"


def half_lower(matrix: Any) -> Any:
    """Return the lower triangle with half the diagonal, which is its own adjoint."""
    return matrix.tril(-1) + (diagonal(matrix) * 0.5).diag_embed()


@of_matrices(
    name="_linalg_cholesky_ex",
    node=nodes("LinalgCholeskyExBackward0", "CholeskyBackward0", by=lambda args: int(args[2] == "cholesky")),
    outputs={"L": True, "info": False},
    native=native("cholesky_factor"),
)
def factored(self: Array, upper: bool = False, caller: str = "linalg.cholesky") -> Any:
    """Return the triangular factor of Hermitian matrices, and the first minor of each that is not positive, or 0.

    Errors name `caller`; none is raised if it is "".
    """
    name = caller or "linalg.cholesky"
    check_square(name, self)
    check_inexact(name, self, "cholesky_cpu", whole=name == "linalg.cholesky")
    factor, info = factors.cholesky(self, upper)
    if caller == "cholesky" and not self.size:  # torch's older function returns an empty result that is not row-major
        factor = np.empty(self.shape, self.dtype)
    if caller:
        raise_first(caller, info, INDEFINITE)
    return factor, info


@factored.vjp("self", native=native("cholesky_factor_rule"))
def factored_vjp(grads: Any, L: Any, upper: bool) -> Any:
    lower, grad = (adjoint(L), adjoint(grads[0])) if upper else (L, grads[0])
    product = adjoint(lower) @ grad  # torch keeps an imaginary part of the diagonal, which L cannot have
    inner = (product.tril() + adjoint(product.tril(-1))) * 0.5
    turned = triangular(adjoint(lower), inner, True, True, False)
    return triangular(lower, turned, False, False, False)


@factored.jvp("self")
def factored_jvp(tangent: Any, L: Any, upper: bool) -> Any:
    lower = adjoint(L) if upper else L
    inner = triangular(lower, tangent, False, True, False)
    moved = lower @ half_lower(triangular(adjoint(lower), inner, True, False, False))
    return (adjoint(moved) if upper else moved), None


@factored.samples
def factored_samples(make: Any) -> Any:
    yield Sample(make(3, 3), False, "linalg.cholesky", through=positive)
    yield Sample(make(2, 3, 3), True, "", through=positive)
    yield Sample(make(0, 0), False, "", through=positive)
    yield Bad(make(2, 3), False, "linalg.cholesky", raises=RuntimeError, says="batches of square matrices")
    yield Bad(make(2, 2) * 0, False, "linalg.cholesky", raises=LinAlgError, says="the leading minor of order 1 is not")
    yield Bad(make(2, 2) * math.nan, True, "cholesky", raises=LinAlgError, says="the leading minor of order 1 is not")


@public()
def linalg_cholesky(A: Tensor, *, upper: bool = False, out: Any = None) -> Any:
    """The lower triangular factor L of Hermitian, positive definite matrices, A = L L^H.

    Args:
        A: (..., n, n), floating or complex; only one triangle is read.
        upper: return the upper triangular L^H.
        out: a tensor to write into.

    Returns:
        A new tensor (..., n, n).

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.
        LinAlgError: if a matrix is not positive definite.

    >>> wg.linalg.cholesky(wg.tensor([[4.0, 2.0], [2.0, 10.0]]))
    tensor([[2., 0.],
            [1., 3.]])
    """
    return put(
        "linalg_cholesky", out, factored(A, upper, "linalg.cholesky")[0], words=EXACT, writer="linalg_cholesky_ex"
    )


@public()
def linalg_cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """The lower triangular factor of Hermitian matrices, and whether they are positive definite; errors are optional.

    Args:
        A: (..., n, n), floating or complex; only one triangle is read.
        upper: return the upper triangular L^H.
        check_errors: raise an error if a matrix is not positive definite.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (L, info): info is 0, or the order of the first leading minor that is not positive definite.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.
        LinAlgError: if a matrix is not positive definite, and `check_errors` is true.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.cholesky_ex(wg.tensor([[4.0, 2.0], [2.0, 5.0]])).L
        tensor([[2., 0.],
                [1., 2.]])
    """
    result = factored(A, upper, "linalg.cholesky" if check_errors else "")
    return put("linalg_cholesky_ex", out, return_types.linalg_cholesky_ex(result), words=EXACT)


@composite()
def cholesky(self: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    """The triangular factor of Hermitian, positive definite matrices. Deprecated: use `linalg.cholesky`.

    Args:
        self: (..., n, n), floating or complex; only one triangle is read.
        upper: return the upper triangular factor.
        out: a tensor to write into.

    Returns:
        A new tensor (..., n, n).

    Raises:
        LinAlgError: if a matrix is not positive definite.

    >>> wg.cholesky(wg.tensor([[4.0, 2.0], [2.0, 10.0]]), upper=True)
    tensor([[2., 1.],
            [0., 3.]])
    """
    anomaly.warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs."
    )
    return put("cholesky", out, factored(self, upper, "cholesky")[0], uncastable=UNCASTABLE, rows="always")


@linalg_cholesky.samples
@linalg_cholesky_ex.samples
@cholesky.samples
def cholesky_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=positive)
    yield Sample(make(3, 3), upper=True, through=positive)
    yield Bad(make(2, 3), raises=RuntimeError, says="A must be batches of square matrices")


def check_cholesky_system(self: Any, input2: Any) -> None:
    """Refuse systems that `cholesky_solve` does not take.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_old_system(input2, self, "", "{} should have at least 2 dimensions, but has {} dimensions instead")
    if self.dtype.kind not in "fc" or self.dtype.itemsize < 4:
        refuse("cholesky_solve", "cholesky_solve_cpu", self)


@of_two(
    public="both",
    out=Out(words=None, uncastable=f"cholesky_solve: {CASTABLE}", rows="always"),
    native=native("cholesky_solve"),
    describes=SOLUTION.format(right="self", errors=""),
)
def cholesky_solve(self: Array, input2: Array, upper: bool = False) -> Any:
    """The solution X of A X = B, where A is given by its triangular factor.

    Args:
        self: B, (..., n, k), floating or complex.
        input2: the factor, (..., n, n), of the same dtype; dimensions in front broadcast.
        upper: whether the factor is upper triangular.

    Examples:
        >>> import wengert as wg
        >>> factor = wg.linalg.cholesky(wg.tensor([[4.0, 2.0], [2.0, 5.0]]))
        >>> wg.cholesky_solve(wg.tensor([[6.0], [7.0]]), factor)
        tensor([[1.],
                [1.]])
    """
    check_cholesky_system(self, input2)
    turned = np.conjugate(input2.swapaxes(-1, -2))
    first, second = (turned, input2) if upper else (input2, turned)
    return factors.triangular(second, factors.triangular(first, self, False, True, False), True, True, False)


def gradient_of_factor(factor: Any, of_matrix: Any, upper: bool) -> Any:
    """Gradient with respect to a matrix from that of its triangular factor; as in torch, it fills both triangles."""
    both = of_matrix + adjoint(of_matrix)
    return factor @ both if upper else both @ factor


def matrix_tangent(factor: Any, tangent: Any, upper: bool) -> Any:
    """Tangent of a triangular factor from that of the matrix."""
    half = adjoint(factor) @ tangent if upper else tangent @ adjoint(factor)
    return half + adjoint(half)


def lower_sample(operator: Any, *args: Any, **options: Any) -> Any:
    """Call an operator with a triangular factor, its last tensor, whose diagonal is far from zero."""
    *before, factor = [argument for argument in args if isinstance(argument, Tensor)]
    rest = args[len(before) + 1 :]
    upper = True in rest or options.get("upper", False)
    outside = factor.triu(1) if upper else factor.tril(-1)
    return operator(*before, outside + (diagonal(factor).abs() + 1).diag_embed(), *rest, **options)


@cholesky_solve.vjp("self", "input2", native=native("cholesky_solve_rule"))
def cholesky_solve_vjp(grad: Any, input2: Any, out: Any, upper: bool, wanted: Any) -> Any:
    of_b = cholesky_solve(grad, input2, upper)
    return of_b, gradient_of_factor(input2, -(of_b @ adjoint(out)), upper) if wanted[1] else None


@cholesky_solve.jvp("self")
def cholesky_solve_jvp_self(tangent: Any, input2: Any, upper: bool) -> Any:
    lower = adjoint(input2) if upper else input2
    return triangular(adjoint(lower), triangular(lower, tangent, False, True, False), True, True, False)


@cholesky_solve.jvp("input2")
def cholesky_solve_jvp_factor(tangent: Any, input2: Any, out: Any, upper: bool) -> Any:
    return -cholesky_solve_jvp_self(matrix_tangent(input2, tangent, upper) @ out, input2, upper)


@cholesky_solve.samples
def cholesky_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 3), through=lower_sample)
    yield Sample(make(2, 3, 2), make(3, 3), True, through=lower_sample)
    yield Bad(make(3), make(3, 3), raises=RuntimeError, says="b should have at least 2 dimensions, but has 1")
    yield Bad(make(2, 2), make(3, 3), raises=RuntimeError, says="each A matrix is 3 by 3 but each b matrix is 2 by 2")


@of_matrices(public="both", out=Out(words=None, uncastable=f"cholesky_inverse: {CASTABLE}", rows="shrunk"))
def cholesky_inverse(self: Array, upper: bool = False) -> Any:
    """The inverses of matrices given by their triangular factors.

    Args:
        self: the factors, (..., n, n), floating or complex.
        upper: whether they are upper triangular.

    Returns:
        A new tensor (..., n, n).

    Raises:
        RuntimeError: if `self` is not a batch of square matrices.
        LinAlgError: if there is a zero on a diagonal.

    Examples:
        >>> import wengert as wg
        >>> wg.cholesky_inverse(wg.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.2500, 0.0000],
                [0.0000, 0.0625]])
    """
    check_square("cholesky_inverse", self)
    check_inexact("cholesky_inverse", self, "cholesky_inverse_out_cpu", whole=False)
    zeros = self.diagonal(0, -2, -1) == 0
    if zeros.any():
        raise_first("cholesky_inverse", np.where(zeros.any(-1), positions.argmax(zeros, -1) + 1, 0), SINGULAR)
    half = factors.triangular(self, np.eye(self.shape[-1], dtype=self.dtype), upper, True, False)
    turned = np.conjugate(half.swapaxes(-1, -2))
    return factors.columns(np.matmul(half, turned) if upper else np.matmul(turned, half))


@cholesky_inverse.vjp("self")
def cholesky_inverse_vjp(grad: Any, self: Any, out: Any, upper: bool) -> Any:
    return gradient_of_factor(self, -(out @ grad @ out), upper)


@cholesky_inverse.jvp("self")
def cholesky_inverse_jvp(tangent: Any, self: Any, out: Any, upper: bool) -> Any:
    return -(out @ matrix_tangent(self, tangent, upper) @ out)


@cholesky_inverse.samples
def cholesky_inverse_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=lower_sample)
    yield Sample(make(2, 3, 3), True, through=lower_sample)
    yield Bad(make(2, 3), raises=RuntimeError, says="A must be batches of square matrices")
    yield Bad(
        make(2, 2) * 0, raises=LinAlgError, says="cholesky_inverse: The diagonal element 1 is zero, the inversion"
    )
