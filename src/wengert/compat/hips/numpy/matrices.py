"""Functions of `numpy.linalg`, with derivatives.

Source of the formulas: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008; S. F. Walter, Structured higher-order algorithmic differentiation, 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxes import RULES, boxed, rule, tensor_of
from ..extend import defjvp, defvjp, primitive
from .reductions import axes_of


def T(x: Any) -> Any:  # noqa: N802  the usual notation
    """Transposed matrices."""
    return np.swapaxes(x, -1, -2)


def H(x: Any) -> Any:  # noqa: N802
    """Conjugate transposes of matrices."""
    return np.conj(T(x))


def spread(x: Any) -> Any:
    """Reshape numbers to matrices of one element."""
    return np.expand_dims(np.expand_dims(x, -1), -1) if np.ndim(x) else x


def real_like(x: Any, g: Any) -> Any:
    """Convert a gradient to the real part for a real argument."""
    return np.real(g) if np.iscomplexobj(g) and not np.iscomplexobj(x) else g


def diagonal_of(x: Any) -> Any:
    """Diagonals of matrices."""
    return np.diagonal(x, 0, -1, -2)


def with_diagonal(x: Any) -> Any:
    """Diagonal matrices."""
    return np.expand_dims(x, -1) * np.eye(np.shape(x)[-1])


def make_diagonal(D: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:  # noqa: N803  HIPS autograd's name
    """Diagonal matrices, in the last two dimensions.

    Raises:
        NotImplementedError: if the offset or the dimensions are other than `offset=0, axis1=-1, axis2=-2`.
    """
    if (offset, {axis1, axis2}) != (0, {-1, -2}):
        raise NotImplementedError("make_diagonal: only with offset=0, axis1=-1, axis2=-2")
    return with_diagonal(D)


def traces(x: Any) -> Any:
    """Sums of the diagonals."""
    return np.trace(x, 0, -2, -1)


inv = primitive(np.linalg.inv)
defvjp(inv, lambda ans, x: lambda g: real_like(x, -np.matmul(np.matmul(T(ans), g), T(ans))))
defjvp(inv, lambda g, ans, x: -np.matmul(np.matmul(ans, g), ans))

det = primitive(np.linalg.det)
defvjp(det, lambda ans, x: lambda g: real_like(x, spread(g * ans) * T(inv(x))))
defjvp(det, lambda g, ans, x: ans * traces(np.matmul(inv(x), g)))

slogdet = primitive(np.linalg.slogdet)
defvjp(slogdet, lambda ans, x: lambda g: real_like(x, spread(g[1]) * T(inv(x))))
defjvp(slogdet, lambda g, ans, x: type(ans)(np.zeros_like(ans[0]), np.real(traces(np.matmul(inv(x), g)))))


def is_vector(a: Any, b: Any) -> bool:
    """Return whether the right side of a system is a single vector."""
    return np.ndim(b) == 1


def as_columns(a: Any, b: Any) -> Any:
    """Return the right side of a system as a matrix."""
    return np.expand_dims(b, -1) if is_vector(a, b) else b


def summed_to(x: Any, g: Any) -> Any:
    """Sum a gradient over the leading dimensions along which an argument was broadcast."""
    g = np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(x)))) if np.ndim(g) > np.ndim(x) else g
    repeated = tuple(axis for axis, length in enumerate(np.shape(x)) if length == 1 and np.shape(g)[axis] != 1)
    return real_like(x, np.sum(g, axis=repeated, keepdims=True) if repeated else g)


def solve_vjp_matrix(ans: Any, a: Any, b: Any) -> Any:
    """Gradient with respect to the matrix of a system."""
    columns = as_columns(a, ans) if is_vector(a, b) else ans

    def vjp(g: Any) -> Any:
        back = solve(T(a), as_columns(a, g) if is_vector(a, b) else g)
        return summed_to(a, -np.matmul(back, T(columns)))

    return vjp


def solve_vjp_side(ans: Any, a: Any, b: Any) -> Any:
    """Gradient with respect to the right side of a system."""
    if is_vector(a, b):
        return lambda g: summed_to(b, solve(T(a), np.expand_dims(g, -1))[..., 0])
    return lambda g: summed_to(b, solve(T(a), g))


def solve_jvp_matrix(g: Any, ans: Any, a: Any, b: Any) -> Any:
    """Tangent from that of the matrix of a system."""
    if is_vector(a, b):
        return -solve(a, np.matmul(g, np.expand_dims(ans, -1)))[..., 0]
    return -solve(a, np.matmul(g, ans))


solve = primitive(np.linalg.solve)
defvjp(solve, solve_vjp_matrix, solve_vjp_side)
defjvp(solve, solve_jvp_matrix, "same")


def lower_half(x: Any) -> Any:
    """Lower triangle with half the diagonal."""
    return np.tril(x) - 0.5 * with_diagonal(diagonal_of(x))


def cholesky_vjp(ans: Any, a: Any) -> Any:
    """Gradient with respect to a symmetric matrix, from that of its Cholesky factor."""

    def vjp(g: Any) -> Any:
        inner = inv(ans)
        g = np.conj(g)
        gradient = np.matmul(np.matmul(H(inner), lower_half(np.matmul(H(ans), g))), inner)
        return np.conj(0.5 * (gradient + H(gradient)))

    return vjp


cholesky = primitive(np.linalg.cholesky)
defvjp(cholesky, cholesky_vjp)
defjvp(cholesky, lambda g, ans, a: np.matmul(ans, lower_half(np.matmul(np.matmul(inv(ans), g), H(inv(ans))))))


@rule(np.linalg.pinv)
def pinv(a: Any, *args: Any, **options: Any) -> Any:
    """Pseudo-inverses of matrices of full rank."""
    rows, columns = np.shape(a)[-2:]
    if rows >= columns:
        return tensor_of(solve(np.matmul(H(a), a), H(a)))
    return tensor_of(H(solve(np.matmul(a, H(a)), a)))


@rule(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """Integer power of a matrix."""
    base = inv(a) if n < 0 else a
    result = np.eye(np.shape(a)[-1])
    for digit in f"{abs(n):b}":
        result = np.matmul(result, result)
        result = np.matmul(result, base) if digit == "1" else result
    return tensor_of(result)


@rule(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norms of vectors or matrices.

    Raises:
        NotImplementedError: if the norm has no rule here.
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
        moved = np.moveaxis(boxed(tensor), axes, (-2, -1))
        values = tensor_of(np.linalg.svd(moved, compute_uv=False)).sum(-1)
        return (
            values.reshape([1 if dim in axes else length for dim, length in enumerate(tensor.shape)])
            if keepdims
            else values
        )
    raise NotImplementedError(f"norm: matrix norms of ord={ord!r} have no derivative in wengert.compat.hips")


def vector_norm(tensor: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Norms of vectors, or of flattened matrices."""
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
    }
)
