"""`torch._linalg_utils`: small functions of matrices."""

from __future__ import annotations

from typing import Any

from wengert._tensor import Tensor
from wengert._tensor.attributes import dtypes
from wengert.linalg import eigh, qr

__all__ = ["basis", "bform", "conjugate", "matmul", "qform", "symeig", "transjugate", "transpose"]


def is_sparse(A: Any) -> bool:  # noqa: N803 - torch's names
    """Return whether the matrix is a sparse tensor."""
    return isinstance(A, Tensor) and bool(A.is_sparse)


def get_floating_dtype(A: Tensor) -> Any:  # noqa: N803
    """The dtype of a matrix of floating-point numbers; float32 for integers."""
    floating = A.dtype in (dtypes.float16, dtypes.float32, dtypes.float64)
    return A.dtype if floating else dtypes.float32


def matmul(A: Any, B: Any) -> Any:  # noqa: N803
    """A B; A may be None for the identity."""
    return B if A is None else A @ B


def transpose(A: Any) -> Any:  # noqa: N803
    """The matrix with its rows as columns."""
    return A.transpose(-1, -2)


def conjugate(A: Any) -> Any:  # noqa: N803
    """The conjugate; a real matrix as it is."""
    return A.conj() if A.dtype.is_complex else A


def transjugate(A: Any) -> Any:  # noqa: N803
    """The conjugate transpose."""
    return conjugate(transpose(A))


def bform(X: Any, A: Any, Y: Any) -> Any:  # noqa: N803
    """The values X^T A Y of a bilinear form; A may be None for the identity."""
    return matmul(transpose(X), matmul(A, Y))


def qform(A: Any, S: Any) -> Any:  # noqa: N803
    """The values S^T A S of a quadratic form; A may be None for the identity."""
    return bform(S, A, S)


def basis(A: Any) -> Any:  # noqa: N803
    """An orthonormal basis of the columns."""
    return qr(A)[0]


def symeig(A: Any, largest: bool | None = False) -> tuple[Any, Any]:  # noqa: N803
    """Return eigenvalues and eigenvectors of a symmetric matrix, the least first, or the largest first if `largest`."""
    values, vectors = eigh(A)
    return (values.flip(-1), vectors.flip(-1)) if largest else (values, vectors)
