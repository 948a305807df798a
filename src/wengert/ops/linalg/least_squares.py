"""Pseudoinverses, least squares, and systems of equations between tensors.

Source of the derivatives: G. H. Golub and V. Pereyra, The differentiation of pseudo-inverses and nonlinear least
squares problems whose variables separate, SIAM J. Numer. Anal. 10, 1973.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.calls.out import copied, put
from ..._core.cards.card import Array, Bad, Index, Sample, composite
from ..._core.operators.batch_rules import full
from ..._core.out_errors import CASTABLE, PART
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast, normalise
from ..._kernels import factors
from .. import return_types
from ..family import describes
from .inverse import inv
from .matrices import (
    FACTORED,
    LinAlgError,
    adjoint,
    check_square,
    of_matrices,
    of_two,
    public,
    raise_first,
    stacked,
    symmetric,
)
from .norms import tolerances
from .singular import INFINITE
from .solve import is_vector, solve

native = kernels.direct_function

LOST = (
    "The least squares solution could not be computed because the input matrix does not have full rank (error code: {})"
)
OF_INVERSE = f"linalg.pinv: {CASTABLE}"
OF_SOLUTION = f"torch.linalg.lstsq: {PART.format('solution')}"
DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def check_inverted(A: Any) -> None:
    """Refuse anything but batches of matrices.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if A.ndim < 2 or dtypes.from_numpy(A.dtype) not in FACTORED:
        name = dtypes.from_numpy(A.dtype).legacy[:-6]
        raise RuntimeError(
            f"linalg.pinv({name}{{{errors.shown(A.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )


@of_matrices(
    name="_linalg_pinv", node="LinalgPinvBackward0", layout="rows", batching=stacked(2, 0, 0), native=native("pinv")
)
def inverted(A: Array, atol: Index = None, rtol: Index = None, hermitian: bool = False) -> Any:
    """Pseudoinverses of matrices; singular values below the tolerances count as zero; None for the usual tolerances."""
    check_inverted(A)
    if not hermitian:
        raise_first("linalg.svd", factors.infinite(A), INFINITE)
    elif A.size:
        check_square("linalg.eigh", A)
    if atol is None or rtol is None:
        atol, rtol = A.real.dtype.type(0), A.real.dtype.type(np.finfo(A.dtype).eps * max(A.shape[-2:]))
    return factors.pseudoinverse(A, np.asarray(atol), np.asarray(rtol), hermitian)


inverted.constant_in("atol", "rtol")


def gradient(grad: Any, A: Any, out: Any) -> Any:
    """Gradient with respect to a matrix from that of its pseudoinverse."""
    turned, of_grad = adjoint(out), adjoint(grad)
    if A.shape[-2] <= A.shape[-1]:
        inner = of_grad @ out
        behind = inner @ turned
        return -adjoint(out @ inner) + behind - (A @ out) @ behind + (turned @ out) @ (of_grad - inner @ A)
    inner = out @ of_grad
    before = turned @ inner
    return -adjoint(inner @ out) + (of_grad - A @ inner) @ out @ turned + before - (before @ out) @ A


@inverted.vjp("A", native=native("pinv_rule"))
def inverted_vjp(grad: Any, A: Any, out: Any) -> Any:
    return gradient(grad, A, out).sum_to_size(A.shape)  # tolerances may have additional leading dimensions


@inverted.jvp("A")
def inverted_jvp(tangent: Any, A: Any, out: Any) -> Any:
    return moved(tangent, A, out)


def moved(tangent: Any, A: Any, out: Any) -> Any:
    """Tangent of a pseudoinverse."""
    turned, along = adjoint(out), adjoint(tangent)
    left = out @ turned @ (along - (along @ A) @ out)
    right = (along - out @ (A @ along)) @ turned @ out
    return left + right - out @ tangent @ out


@inverted.samples
def inverted_samples(make: Any) -> Any:
    for shape in ((3, 3), (2, 3, 2), (2, 3)):
        yield Sample(make(*shape), real_zero(make), real_zero(make), False)
        yield Sample(make(*shape), None, None, False)
    yield Sample(make(3, 3), real_zero(make), real_zero(make), True, through=symmetric)
    yield Bad(make(3), real_zero(make), real_zero(make), False, raises=RuntimeError, says="linalg.pinv(")
    yield Bad(make(2, 3), None, None, True, raises=RuntimeError, says="linalg.eigh: A must be batches of square")


def real_zero(make: Any) -> Any:
    """A tolerance of zero."""
    return make(dtype=dtypes.float64, requires_grad=False).detach() * 0


PSEUDOINVERSE = """
    Returns:
        A new tensor (..., n, m).

    Raises:
        RuntimeError: if `{matrices}` is not a batch of matrices.
    """


@public(name="linalg_pinv")
@describes(PSEUDOINVERSE, matrices="A")
def pinv(
    A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Any:
    """The Moore-Penrose pseudoinverse of matrices.

    Args:
        A: (..., m, n), floating or complex.
        rcond: the same as `rtol`, under its old name.
        hermitian: the matrices are Hermitian: use eigenvalues.
        atol: absolute tolerance below which singular values count as zero: a number or a tensor (...).
        rtol: tolerance relative to the largest value; by default max(m, n) times the precision, or 0 with an `atol`.
        out: a tensor to write into.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.pinv(wg.tensor([[3.0], [4.0]]))
        tensor([[0.1200, 0.1600]])
    """
    result = pseudoinverse(A, atol, rtol if rcond is None else rcond, hermitian)
    return copied("linalg_pinv", out, result, uncastable=OF_INVERSE)


def pseudoinverse(A: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """The pseudoinverse, with tolerances as programs pass them."""
    if A.ndim < 2 or A.dtype not in FACTORED or (atol is None and rtol is None):
        return inverted(A, None, None, hermitian)
    bounds = tolerances("torch.linalg.pinv", A, atol, rtol)
    if not A._array_.size:
        bounds = None, None  # no tolerance is used
    else:
        for bound in bounds:
            broadcast(tuple(bound.shape), tuple(A.shape[:-2]))
    return inverted(A, *bounds, hermitian)


@composite()
@describes(PSEUDOINVERSE, matrices="self")
def pinverse(self: Tensor, rcond: float = 1e-15) -> Any:
    """The Moore-Penrose pseudoinverse of matrices: `linalg.pinv`.

    Args:
        self: (..., m, n), floating or complex.
        rcond: singular values below this fraction of the largest count as zero.

    Examples:
        >>> import wengert as wg
        >>> wg.pinverse(wg.tensor([[3.0], [4.0]]))
        tensor([[0.1200, 0.1600]])
    """
    return pseudoinverse(self, None, rcond, False)


@pinv.samples
@pinverse.samples
def pinv_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Sample(make(2, 2, 3))
    yield Bad(make(3), raises=RuntimeError, says="expected a tensor with 2 or more dimensions of float, double")


def least_squares_batches(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of least squares: vectors become matrices of one column."""
    a, b, *rest = full(args, carried, size)
    vector = is_vector(a.shape[1:], b.shape[1:])
    b = b.unsqueeze(-1) if vector else b
    solution, residuals, rank, values = stacked(2, 2)(op, size, [a, b, *rest], [True, True, *carried[2:]])
    if vector:
        solution = solution.squeeze(-1)
        residuals = residuals.squeeze(-1) if residuals.ndim > 1 and residuals.shape[-1] == 1 else residuals
    return solution, residuals, rank, values


def check_fitted(A: Any, B: Any) -> bool:
    """Return whether the right-hand sides are vectors.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    for argument, array in (("input", A), ("other", B)):
        if array.ndim < (2 if argument == "input" else 1):
            least = "2 dimensions" if argument == "input" else "1 dimension"
            raise RuntimeError(f"torch.linalg.lstsq: {argument} must have at least {least}.")
    if not 0 <= A.ndim - B.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            f"<= 1, but they are {A.ndim} and {B.ndim}"
        )
    vector = is_vector(A.shape, B.shape)
    right = B.view(np.ndarray)[..., None] if vector else B
    if A.shape[-2] != right.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({-1 if vector else -2})")
    if A.dtype != B.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{dtypes.from_numpy(A.dtype).legacy[:-6]} and other's dtype {dtypes.from_numpy(B.dtype).legacy[:-6]}"
        )
    if dtypes.from_numpy(A.dtype) not in FACTORED:
        raise RuntimeError("linalg.lstsq: This function doesn't handle types other than float and double")
    broadcast(A.shape[:-2], right.shape[:-2])
    return vector


@of_two(
    name="_linalg_lstsq",
    node="LinalgLstsqBackward0",
    outputs={"solution": True, "residuals": True, "rank": False, "singular_values": False},
    batching=least_squares_batches,
    native=native("lstsq"),
)
def fitted(A: Array, B: Array, rcond: Any = None, driver: str | None = "gelsy") -> Any:
    """Least-squares solution of A X = B, residuals, ranks and singular values of A."""
    vector = check_fitted(A, B)
    right = B[..., None] if vector else B
    if driver == "gels":
        raise_first("torch.linalg.lstsq", factors.lost_rank(A), LOST)
    solution, residuals, rank, values = factors.least_squares(A, right, rcond, driver or "gelsy")
    if vector:
        solution = solution[..., 0]
    return solution, residuals, rank, values


@fitted.vjp("A", "B", native=native("lstsq_rule"))
def fitted_vjp(grads: Any, A: Any, B: Any, solution: Any, wanted: Any) -> Any:
    of_x, of_r = grads[:2]
    vector = is_vector(A.shape, B.shape)
    x, b = (operand.unsqueeze(-1) if vector else operand for operand in (solution, B))
    of_a = of_b = None
    if of_x is not None:
        of_x = of_x.unsqueeze(-1) if vector else of_x
        inverse = pseudoinverse(A, None, None, False)
        of_b = adjoint(inverse) @ of_x
        if wanted[0]:
            of_a = gradient(of_x @ adjoint(b), A, inverse)
    if of_r is not None and of_r.numel():
        scaled = (A @ x - b) * 2 * of_r.unsqueeze(-2)
        of_b = -scaled if of_b is None else of_b - scaled
        more = scaled @ adjoint(x)
        of_a = more if of_a is None else of_a + more
    if of_b is None:
        return A.new_zeros(A.shape), B.new_zeros(B.shape)
    return of_a, of_b.squeeze(-1) if vector else of_b


@fitted.jvp("A", "B")
def fitted_jvp(of_a: Any, of_b: Any, A: Any, B: Any, solution: Any, residuals: Any) -> Any:
    vector = is_vector(A.shape, B.shape)
    x, b, of_b = (operand.unsqueeze(-1) if vector else operand for operand in (solution, B, of_b))
    inverse = pseudoinverse(A, None, None, False)
    result = moved(of_a, A, inverse) @ b + inverse @ of_b
    of_r = None
    if residuals.numel():
        difference = A @ x - b
        change = (conjugate(difference) * (of_a @ x - of_b)).sum(-2)
        of_r = 2 * (change.real if change.dtype.is_complex else change)
    return result.squeeze(-1) if vector else result, of_r, None, None


@fitted.samples
def fitted_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 2), None, "gelsd")
    yield Sample(make(2, 4, 2), make(2, 4, 3), None, "gels")
    yield Sample(make(2, 3), make(2, 2), None, "gelsy")
    yield Bad(make(2, 2).triu(1), make(2, 2), None, "gels", raises=LinAlgError, says="full rank (error code: 1)")
    yield Bad(make(3), make(3), None, "gelsy", raises=RuntimeError, says="input must have at least 2 dimensions")
    yield Bad(make(3, 3), make(2, 3), None, "gels", raises=RuntimeError, says="input.size(-2) should match other.size")


@public(name="linalg_lstsq")
def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None, out: Any = None) -> Any:
    """Least-squares solution X of A X = B: the sum of squares of A X - B is smallest, then that of X.

    Args:
        A: (..., m, n), floating or complex.
        B: (..., m, k), or (..., m), a vector for each matrix; dimensions in front broadcast.
        rcond: singular values below this fraction of the largest count as zero; by default max(m, n) times the
            precision.
        driver: "gelsy", "gels", "gelsd" or "gelss", which determines what is computed beside the solution.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (solution, residuals, rank, singular_values). The residuals, one for each column, are empty if a matrix
        has not full rank or no more rows than columns, and for "gelsy"; the rank is empty for "gels", the values for it
        and for "gelsy".

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or `driver` is unknown.
        LinAlgError: if the driver is "gels", and a matrix does not have full rank.

    Examples:
        >>> import wengert as wg
        >>> A, b = wg.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), wg.tensor([[1.0], [3.0], [4.0]])
        >>> wg.linalg.lstsq(A, b).solution
        tensor([[1.1667],
                [1.5000]])
    """
    driver = "gelsy" if driver is None else driver
    if driver not in DRIVERS:
        raise RuntimeError(f"torch.linalg.lstsq: parameter `driver` should be one of ({', '.join(DRIVERS)})")
    result = return_types.linalg_lstsq(fitted(A, B, rcond, driver))
    return put("linalg_lstsq", out, result, uncastable=OF_SOLUTION, rows="shrunk")


@lstsq.samples
def lstsq_samples(make: Any) -> Any:
    yield Sample(make(4, 2), make(4, 2))
    yield Bad(make(3, 3), make(2, 3), raises=RuntimeError, says="input.size(-2) should match other.size(-2)")
    yield Bad(
        make(2, 3), make(3, 2, 3), raises=RuntimeError, says="input.dim() must be greater or equal to other.dim()"
    )
    yield Bad(make(2, 3, 1), make(3, 3, 1), raises=RuntimeError, says="must match the size of tensor b (3) at non-")


@public(name="linalg_tensorinv")
def tensorinv(A: Tensor, ind: int = 2, *, out: Any = None) -> Any:
    """The inverse of a tensor with respect to `tensordot`: of the matrix of its first `ind` dimensions and the others.

    Args:
        A: floating or complex tensor; both groups of dimensions have as many elements.
        ind: number of dimensions that form the rows.
        out: a tensor to write into.

    Returns:
        A new tensor, the other dimensions in front.

    Raises:
        RuntimeError: if the numbers of elements differ, or the matrix is singular.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.tensorinv(wg.eye(4).reshape(2, 2, 4) * 2, 2).shape
        torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.ndim}: 'ind' is more than the tensor's rank")
    rows, columns = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    count = math.prod(rows)
    if count != math.prod(columns):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(columns)} != {count}"
        )
    result = inv(A.reshape((count, count))).reshape(columns + rows)
    return copied("linalg_tensorinv", out, result, uncastable=f"tensorinv: {CASTABLE}", rows="always")


@public(name="linalg_tensorsolve")
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Any = None) -> Any:
    """The solution X of tensordot(A, X, X.ndim) = B.

    Args:
        A: floating or complex tensor, whose first dimensions have as many elements as the others.
        B: tensor of the shape of these first dimensions.
        dims: dimensions of `A` to move behind all others first.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of the other dimensions.

    Raises:
        RuntimeError: if the numbers of elements differ, or the matrix is singular.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.tensorsolve(wg.eye(4).reshape(2, 2, 2, 2) * 2, wg.ones(2, 2))
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    if dims is not None:
        last = [normalise(dim, A.ndim) for dim in dims]
        A = A.permute([dim for dim in range(A.ndim) if dim not in last] + last)
    shape = tuple(A.shape[B.ndim :])
    count, rows = math.prod(shape), math.prod(A.shape[: B.ndim])
    if count != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {count} != {rows}"
        )
    result = solve(A.reshape((count, count)), B.flatten()).reshape(shape)
    return copied("linalg_tensorsolve", out, result, uncastable=f"tensorsolve: {CASTABLE}")


@tensorinv.samples
def tensorinv_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 6))
    yield Bad(make(2, 3), raises=RuntimeError, says="prod(self.shape[ind:]) == prod(self.shape[:ind]), but got 1 != 6")


@tensorsolve.samples
def tensorsolve_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 6), make(2, 3))
    yield Bad(make(2, 3, 5), make(2, 3), raises=RuntimeError, says="but got 5 != 6")
