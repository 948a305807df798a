"""The extension `linalg` of the array API standard."""

from __future__ import annotations

from typing import Any

import wengert as wg

from ...linalg import (
    cholesky as _cholesky,
    cross as _cross,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_power,
    pinv as _pinv,
    qr as _qr,
    slogdet,
    solve,
    svd as _svd,
    svdvals,
    vector_norm as _vector_norm,
)
from ...tensor import Tensor
from . import numbers
from .numbers import matrix_transpose, tensordot, vecdot

matmul = wg.matmul


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices."""
    return _cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of length 3."""
    return _cross(x1, x2, dim=axis)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices."""
    return wg.diagonal(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of matrices."""
    return numbers.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """All products of elements of two vectors."""
    return wg.outer(x1, x2)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices."""
    return wg.linalg.matrix_norm(x, ord, (-2, -1), keepdims)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Ranks of matrices."""
    return wg.linalg.matrix_rank(x, rtol=rtol)


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Pseudo-inverses of matrices."""
    return _pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """Factors of matrices, one orthogonal, one triangular."""
    return _qr(x, mode)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """Singular value decompositions."""
    return _svd(x, full_matrices)


def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """Norms of vectors along dimensions."""
    return _vector_norm(x, ord, axis, keepdims)


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
