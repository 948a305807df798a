"""The extension `linalg` of the array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE
from .linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from .operands import binary, on_arrays, promoted
from .statistical import sum


def with_ndim(x: Tensor, ndim: int) -> Tensor:
    """Return `x` with at least `ndim` dimensions; new ones have length 1 and come first."""
    return x.reshape((1,) * (ndim - x.ndim) + tuple(x.shape))


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices."""
    return wg.linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of length 3."""
    x1, x2 = promoted("cross", x1, x2)
    if x1.dtype in WIDE:
        return on_arrays(np.linalg.cross, x1, x2, axis=axis)
    ndim = max(x1.ndim, x2.ndim)
    return wg.linalg.cross(with_ndim(x1, ndim), with_ndim(x2, ndim), dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Determinants of matrices."""
    return wg.linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Diagonals of matrices."""
    return wg.diagonal(x, offset, -2, -1)


def eigh(x: Tensor, /) -> Any:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return wg.linalg.eigh(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of symmetric matrices."""
    return wg.linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Inverses of matrices."""
    return wg.linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices.

    Args:
        ord: order of the norm: "fro", "nuc", 1, 2, inf, -1, -2 or -inf.
    """
    return wg.linalg.matrix_norm(x, "fro" if ord is None else ord, (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Square matrices to the power of an integer."""
    return wg.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Ranks of matrices: numbers of singular values above `rtol` times the largest."""
    return wg.linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Outer product of two vectors."""
    return binary(wg.outer, np.outer, x1, x2)


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Pseudo-inverses of matrices; singular values below `rtol` times the largest are treated as zero."""
    return wg.linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """QR decomposition of matrices: orthogonal factor `Q` and triangular factor `R`.

    Args:
        mode: "reduced" or "complete".
    """
    return wg.linalg.qr(x, mode)


def slogdet(x: Tensor, /) -> Any:
    """Signs of determinants and logarithms of their absolute values."""
    return wg.linalg.slogdet(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solutions of systems of linear equations.

    Args:
        x1: square matrices.
        x2: a vector if it is 1-dim, else matrices.
    """
    x1, x2 = promoted("solve", x1, x2)
    if x2.ndim > 1:
        # torch treats x2 as vectors if it has the shape of x1 without one dimension, but not if as many dimensions.
        x2 = with_ndim(x2, x1.ndim)
    return wg.linalg.solve(x1, x2)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """Singular value decompositions `U`, `S`, `Vh` of matrices."""
    return wg.linalg.svd(x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values of matrices."""
    return wg.linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Sums of the diagonals of matrices; 64-bit for small integers."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """Norms of vectors along dimensions, of all elements by default."""
    if axis == ():
        return wg.linalg.vector_norm(x.unsqueeze(-1), ord, -1)
    return wg.linalg.vector_norm(x, ord, axis, keepdims)


__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
