"""The functions of `numpy.linalg`, with derivatives.

Source of the formulas: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008; S. F. Walter, Structured higher-order algorithmic differentiation, 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxes import RULES, boxed, rule, tensor_of
from ..extend import defjvp, defvjp, primitive
from .reductions import axes_of


def T(x: Any) -> Any:  # noqa: N802  the field's sign
    """Matrices with rows and columns exchanged."""
    return np.swapaxes(x, -1, -2)


def H(x: Any) -> Any:  # noqa: N802
    """Transposed and conjugated matrices."""
    return np.conj(T(x))


def spread(x: Any) -> Any:
    """Numbers as matrices of one element."""
    return np.expand_dims(np.expand_dims(x, -1), -1) if np.ndim(x) else x


def real_like(x: Any, g: Any) -> Any:
    """A gradient, real for a real argument."""
    return np.real(g) if np.iscomplexobj(g) and not np.iscomplexobj(x) else g


def diagonal_of(x: Any) -> Any:
    """The diagonals of matrices."""
    return np.diagonal(x, 0, -1, -2)


def with_diagonal(x: Any) -> Any:
    """Matrices with these diagonals, otherwise zero."""
    return np.expand_dims(x, -1) * np.eye(np.shape(x)[-1])


def traces(x: Any) -> Any:
    """The sums of the diagonals."""
    return np.trace(x, 0, -2, -1)


inv = primitive(np.linalg.inv)
defvjp(inv, lambda ans, x: lambda g: real_like(x, -np.matmul(np.matmul(T(ans), g), T(ans))))
defjvp(inv, lambda g, ans, x: -np.matmul(np.matmul(ans, g), ans))

det = primitive(np.linalg.det)
defvjp(det, lambda ans, x: lambda g: real_like(x, spread(g * ans) * T(inv(x))))
defjvp(det, lambda g, ans, x: ans * traces(np.matmul(inv(x), g)))

slogdet = primitive(np.linalg.slogdet)
defvjp(slogdet, lambda ans, x: lambda g: real_like(x, spread(g[1]) * T(inv(x))))
defjvp(
    slogdet,
    lambda g, ans, x: type(ans)(np.zeros_like(ans[0]), np.real(traces(np.matmul(inv(x), g)))),
)


def is_vector(a: Any, b: Any) -> bool:
    """Whether the right side of a system is a single vector."""
    return np.ndim(b) == 1


def as_columns(a: Any, b: Any) -> Any:
    """The right side of a system as a matrix."""
    return np.expand_dims(b, -1) if is_vector(a, b) else b


def summed_to(x: Any, g: Any) -> Any:
    """The sum of a gradient over the dimensions in front along which an argument was repeated."""
    g = np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(x)))) if np.ndim(g) > np.ndim(x) else g
    repeated = tuple(axis for axis, length in enumerate(np.shape(x)) if length == 1 and np.shape(g)[axis] != 1)
    return real_like(x, np.sum(g, axis=repeated, keepdims=True) if repeated else g)


def solve_vjp_matrix(ans: Any, a: Any, b: Any) -> Any:
    """The gradient of a system's matrix."""
    columns = as_columns(a, ans) if is_vector(a, b) else ans

    def vjp(g: Any) -> Any:
        back = solve(T(a), as_columns(a, g) if is_vector(a, b) else g)
        return summed_to(a, -np.matmul(back, T(columns)))

    return vjp


def solve_vjp_side(ans: Any, a: Any, b: Any) -> Any:
    """The gradient of a system's right side."""
    if is_vector(a, b):
        return lambda g: summed_to(b, solve(T(a), np.expand_dims(g, -1))[..., 0])
    return lambda g: summed_to(b, solve(T(a), g))


def solve_jvp_matrix(g: Any, ans: Any, a: Any, b: Any) -> Any:
    """The tangent by a system's matrix."""
    if is_vector(a, b):
        return -solve(a, np.matmul(g, np.expand_dims(ans, -1)))[..., 0]
    return -solve(a, np.matmul(g, ans))


solve = primitive(np.linalg.solve)
defvjp(solve, solve_vjp_matrix, solve_vjp_side)
defjvp(solve, solve_jvp_matrix, "same")


def lower_half(x: Any) -> Any:
    """The lower triangle, with half the diagonal."""
    return np.tril(x) - 0.5 * with_diagonal(diagonal_of(x))


def cholesky_vjp(ans: Any, a: Any) -> Any:
    """The gradient of a symmetric matrix of which the factor is computed."""

    def vjp(g: Any) -> Any:
        inner = inv(ans)
        g = np.conj(g)
        found = np.matmul(np.matmul(H(inner), lower_half(np.matmul(H(ans), g))), inner)
        return np.conj(0.5 * (found + H(found)))

    return vjp


cholesky = primitive(np.linalg.cholesky)
defvjp(cholesky, cholesky_vjp)
defjvp(cholesky, lambda g, ans, a: np.matmul(ans, lower_half(np.matmul(np.matmul(inv(ans), g), H(inv(ans))))))


def gaps(values: Any) -> Any:
    """One over the differences of eigenvalues, zeros on the diagonal: element ij is 1 / (values[j] - values[i])."""
    apart = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    one = np.eye(np.shape(values)[-1])
    return (1 - one) / (apart + one)


def eigh_vjp(ans: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803  NumPy's name
    """The gradient of a symmetric matrix, of those of its eigenvalues and eigenvectors."""
    values, vectors = ans

    def vjp(g: Any) -> Any:
        of_values, of_vectors = g[0], np.conj(g[1])
        inner = with_diagonal(of_values) + gaps(values) * np.matmul(H(vectors), of_vectors)
        found = np.conj(np.matmul(np.matmul(vectors, inner), H(vectors)))
        one_side = (np.tril if UPLO == "L" else np.triu)(np.ones(np.shape(a)[-2:]), -1 if UPLO == "L" else 1)
        return (
            found * np.eye(np.shape(a)[-1])
            + (found + T(found if not np.iscomplexobj(a) else np.conj(found))) * one_side
        )

    return vjp


def eigh_jvp(g: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """The tangents of eigenvalues and eigenvectors."""
    values, vectors = ans
    half = np.tril(g, -1) if UPLO == "L" else np.triu(g, 1)
    g = half + H(half) + with_diagonal(diagonal_of(g))
    inner = np.matmul(np.matmul(H(vectors), g), vectors)
    return type(ans)(np.real(diagonal_of(inner)), np.matmul(vectors, gaps(values) * inner))


eigh = primitive(np.linalg.eigh)
defvjp(eigh, eigh_vjp)
defjvp(eigh, eigh_jvp)


@rule(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """The eigenvalues of symmetric matrices."""
    return tensor_of(eigh(a, UPLO)[0])


@rule(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors of real matrices, by the eigenvalues of A'A or AA', whichever is smaller.

    Raises:
        NotImplementedError: the matrix is complex, or all vectors of one that is not square are wanted.
    """
    rows, columns = np.shape(a)[-2:]
    if np.iscomplexobj(a) or (compute_uv and full_matrices and rows != columns):
        raise NotImplementedError("svd: of boxes, only that of real matrices with full_matrices=False has a derivative")
    u, s, vh = thin_svd(a)
    if not compute_uv:
        return tensor_of(s)
    return type(np.linalg.svd(np.zeros((1, 1))))(tensor_of(u), tensor_of(s), tensor_of(vh))


@primitive
def thin_svd(a: Any) -> Any:
    """Singular values and as many vectors of real matrices."""
    return tuple(np.linalg.svd(a, full_matrices=False))


def thin_svd_vjp(ans: Any, a: Any) -> Any:
    """The gradient of a matrix, of those of its singular values and vectors."""
    u, s, vh = ans

    def vjp(g: Any) -> Any:
        gu, gs, gv = g[0], g[1], T(g[2])
        one_over = 1 / np.expand_dims(s, -2)
        differences = gaps(s**2)
        row = np.expand_dims(s, -2)
        column = np.expand_dims(s, -1)
        left, right = np.matmul(T(u), gu), np.matmul(vh, gv)
        core = differences * (left - T(left)) * row + column * differences * (right - T(right))
        found = np.matmul(np.matmul(u, core + with_diagonal(gs)), vh)
        away_u = gu * one_over - np.matmul(u, np.matmul(T(u), gu * one_over))
        away_v = gv * one_over - np.matmul(T(vh), np.matmul(vh, gv * one_over))
        return found + np.matmul(away_u, vh) + np.matmul(u, T(away_v))

    return vjp


def thin_svd_jvp(g: Any, ans: Any, a: Any) -> Any:
    """The tangents of singular values and vectors."""
    u, s, vh = ans
    inner = np.matmul(np.matmul(T(u), g), T(vh))
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    differences = gaps(s**2)
    du = np.matmul(u, differences * (inner * row + column * T(inner)))
    dv = np.matmul(T(vh), differences * (column * inner + T(inner) * row))
    away_u = np.matmul(g, T(vh)) / row
    away_v = np.matmul(T(g), u) / row
    du = du + away_u - np.matmul(u, np.matmul(T(u), away_u))
    dv = dv + away_v - np.matmul(T(vh), np.matmul(vh, away_v))
    return du, diagonal_of(inner), T(dv)


defvjp(thin_svd, thin_svd_vjp)
defjvp(thin_svd, thin_svd_jvp)


@rule(np.linalg.pinv)
def pinv(a: Any, *args: Any, **options: Any) -> Any:
    """The pseudo-inverse of matrices of full rank."""
    rows, columns = np.shape(a)[-2:]
    if rows >= columns:
        return tensor_of(solve(np.matmul(H(a), a), H(a)))
    return tensor_of(H(solve(np.matmul(a, H(a)), a)))


@rule(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """A matrix times itself."""
    base = inv(a) if n < 0 else a
    found = np.eye(np.shape(a)[-1])
    for digit in f"{abs(n):b}":
        found = np.matmul(found, found)
        found = np.matmul(found, base) if digit == "1" else found
    return tensor_of(found)


@rule(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of vectors or matrices.

    Raises:
        NotImplementedError: it is one of those that have no rule here.
    """
    tensor = tensor_of(x)
    if axis is None and ord is None:
        return tensor.reshape(-1).norm().reshape([1] * tensor.ndim if keepdims else [])
    axes = axes_of(tensor, axis)
    if len(axes) == 1:
        return vector_norm(tensor, 2 if ord is None else ord, axes, keepdims)
    if ord in (None, "fro"):
        return vector_norm(tensor, 2, axes, keepdims)
    if ord == "nuc" and len(axes) == 2:
        values = tensor_of(svd(np.moveaxis(boxed(tensor), axes, (-2, -1)), compute_uv=False)).sum(-1)
        return (
            values.reshape([1 if at in axes else each for at, each in enumerate(tensor.shape)]) if keepdims else values
        )
    raise NotImplementedError(f"norm: matrix norms of ord={ord!r} have no derivative in wengert.compat.hips")


def vector_norm(tensor: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The norm of vectors, or of matrices taken for such."""
    if ord == np.inf:
        return tensor.abs().amax(dim=axes, keepdim=keepdims)
    if ord == -np.inf:
        return tensor.abs().amin(dim=axes, keepdim=keepdims)
    return tensor.norm(ord, dim=axes, keepdim=keepdims)


RULES.update(
    {
        np.linalg.inv: inv,
        np.linalg.det: det,
        np.linalg.slogdet: slogdet,
        np.linalg.solve: solve,
        np.linalg.cholesky: cholesky,
        np.linalg.eigh: eigh,
    }
)
