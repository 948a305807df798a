"""Eigenvalues, singular values and vectors of `numpy.linalg`, with derivatives.

Source of the formulas: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008; the free phase of vectors of complex matrices is chosen such that their rotation is least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxes import RULES, rule, tensor_of
from ..extend import defjvp, defvjp, primitive
from .matrices import H, T, diagonal_of, real_like, solve, with_diagonal


def gaps(values: Any) -> Any:
    """Reciprocal differences of eigenvalues: element ij is 1 / (values[j] - values[i]), 0 on the diagonal."""
    differences = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    identity = np.eye(np.shape(values)[-1])
    return (1 - identity) / (differences + identity)


def eigh_vjp(ans: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803  NumPy's name
    """Gradient with respect to a symmetric matrix, from those of its eigenvalues and eigenvectors."""
    values, vectors = ans

    def vjp(g: Any) -> Any:
        of_values, of_vectors = g[0], np.conj(g[1])
        inner = with_diagonal(of_values)
        if np.any(of_vectors != 0):  # else equal eigenvalues are harmless
            inner = inner + gaps(values) * np.matmul(H(vectors), of_vectors)
        gradient = np.conj(np.matmul(np.matmul(vectors, inner), H(vectors)))
        one_side = (np.tril if UPLO == "L" else np.triu)(np.ones(np.shape(a)[-2:]), -1 if UPLO == "L" else 1)
        return np.real(gradient) * np.eye(np.shape(a)[-1]) + (gradient + H(gradient)) * one_side

    return vjp


def eigh_jvp(g: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """Tangents of eigenvalues and eigenvectors."""
    values, vectors = ans
    half = np.tril(g, -1) if UPLO == "L" else np.triu(g, 1)
    g = half + H(half) + with_diagonal(np.real(diagonal_of(g)))
    inner = np.matmul(np.matmul(H(vectors), g), vectors)
    return type(ans)(np.real(diagonal_of(inner)), np.matmul(vectors, gaps(values) * inner))


eigh = primitive(np.linalg.eigh)
defvjp(eigh, eigh_vjp)
defjvp(eigh, eigh_jvp)


@rule(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """Eigenvalues of symmetric matrices."""
    return tensor_of(eigh(a, UPLO)[0])


def eig_vjp(ans: Any, a: Any) -> Any:
    """Gradient with respect to a general matrix. Source: C. Boeddeker and others, arXiv:1701.00392, equation 4.77."""
    values, vectors = ans
    adjoint = H(vectors)

    def vjp(g: Any) -> Any:
        of_values, of_vectors = np.conj(g[0]), np.conj(g[1])
        along = np.matmul(adjoint, of_vectors)
        across = along - np.matmul(np.matmul(adjoint, vectors), with_diagonal(np.real(diagonal_of(along))))
        inner = with_diagonal(of_values) + np.conj(gaps(values)) * across
        return real_like(a, np.conj(np.matmul(solve(adjoint, inner), adjoint)))

    return vjp


def eig_jvp(g: Any, ans: Any, a: Any) -> Any:
    """Tangents of eigenvalues, and of eigenvectors of length one."""
    values, vectors = ans
    inner = solve(vectors, np.matmul(g, vectors))
    moved = np.matmul(vectors, gaps(values) * inner)
    lengths = np.real(diagonal_of(np.matmul(H(vectors), moved)))
    return type(ans)(diagonal_of(inner), moved - vectors * np.expand_dims(lengths, -2))


eig = primitive(np.linalg.eig)
defvjp(eig, eig_vjp)
defjvp(eig, eig_jvp)


@rule(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """Eigenvalues of general matrices."""
    return tensor_of(eig(a)[0])


@rule(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors.

    Raises:
        NotImplementedError: if `full_matrices` is True and the matrices are not square.
    """
    rows, columns = np.shape(a)[-2:]
    if compute_uv and full_matrices and rows != columns:
        raise NotImplementedError("svd: of boxes that are not square, only with full_matrices=False")
    u, s, vh = thin_svd(a)
    if not compute_uv:
        return tensor_of(s)
    return type(np.linalg.svd(np.zeros((1, 1))))(tensor_of(u), tensor_of(s), tensor_of(vh))


@primitive
def thin_svd(a: Any) -> Any:
    """Singular values, and as many singular vectors."""
    return tuple(np.linalg.svd(a, full_matrices=False))


def turned(a: Any, x: Any) -> Any:
    """Rotation of the vectors of complex matrices: the imaginary parts of diagonals, times i."""
    return with_diagonal(1j * np.imag(diagonal_of(x))) if np.iscomplexobj(a) else 0.0


def thin_svd_vjp(ans: Any, a: Any) -> Any:
    """Gradient with respect to a matrix, from those of its singular values and vectors."""
    u, s, vh = ans
    row, column, v = np.expand_dims(s, -2), np.expand_dims(s, -1), H(vh)

    def vjp(g: Any) -> Any:
        gu, gs, gv = np.conj(g[0]), g[1], T(g[2])
        core = with_diagonal(gs)
        if np.any(gu != 0) or np.any(gv != 0):  # else equal singular values are harmless
            left, right, between = np.matmul(H(u), gu), np.matmul(vh, gv), gaps(s**2)
            core = core + between * (left - H(left)) * row + column * between * (right - H(right))
            core = core + turned(a, left - right) / (2 * row)
        gradient = np.matmul(np.matmul(u, core), vh)
        away_u, away_v = gu / row, gv / row
        gradient = gradient + np.matmul(away_u - np.matmul(u, np.matmul(H(u), away_u)), vh)
        return np.conj(gradient + np.matmul(u, H(away_v - np.matmul(v, np.matmul(vh, away_v)))))

    return vjp


def thin_svd_jvp(g: Any, ans: Any, a: Any) -> Any:
    """Tangents of singular values and vectors."""
    u, s, vh = ans
    row, column, v, between = np.expand_dims(s, -2), np.expand_dims(s, -1), H(vh), gaps(s**2)
    inner = np.matmul(np.matmul(H(u), g), v)
    skew = turned(a, inner) / (2 * row)
    du = np.matmul(u, between * (inner * row + column * H(inner)) + skew)
    dv = np.matmul(v, between * (column * inner + H(inner) * row) - skew)
    away_u, away_v = np.matmul(g, v) / row, np.matmul(H(g), u) / row
    du = du + away_u - np.matmul(u, np.matmul(H(u), away_u))
    dv = dv + away_v - np.matmul(v, np.matmul(vh, away_v))
    return du, np.real(diagonal_of(inner)), H(dv)


defvjp(thin_svd, thin_svd_vjp)
defjvp(thin_svd, thin_svd_jvp)
RULES.update({np.linalg.eigh: eigh, np.linalg.eig: eig})
