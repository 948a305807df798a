"""Largest singular values of matrices of low rank, by projection on random vectors.

Source: N. Halko, P.-G. Martinsson and J. A. Tropp, Finding structure with randomness: probabilistic algorithms for
constructing approximate matrix decompositions, arXiv:0909.4061, algorithms 4.4 and 5.1.
"""

from __future__ import annotations

from typing import Any

from ..._core.cards.arguments import Truth, integer
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..linalg.matrices import adjoint
from ..linalg.qr import linalg_qr
from ..linalg.singular import linalg_svd, rebuilt
from .random import randn


def counted(name: str, argument: str, value: Any) -> int:
    """Return a count; torch reads it in Python, where True is 1."""
    return int(value) if isinstance(value, bool) else integer(name, argument, value)


def basis(matrix: Any, q: int, niter: int) -> Any:
    """Return an orthonormal basis of approximately the span of the first `q` left singular vectors of a matrix."""
    kind = matrix.dtype if matrix.dtype.category >= dtypes.FLOAT else dtypes.get_default_dtype()
    result = linalg_qr(matrix @ constant_beside(matrix, randn(matrix.shape[-1], q, dtype=kind)))[0]
    for _ in range(niter):
        result = linalg_qr(adjoint(matrix) @ result)[0]
        result = linalg_qr(matrix @ result)[0]
    return result


def decomposed(matrix: Any, q: int, niter: int) -> Any:
    """Return left singular vectors, singular values, and right singular vectors."""
    if matrix.ndim < 2:
        raise RuntimeError(f"svd_lowrank: input should have at least 2 dimensions, but has {matrix.ndim} instead")
    wide = matrix.shape[-2] < matrix.shape[-1]
    tall = adjoint(matrix) if wide else matrix
    space = basis(tall, q, niter)
    u, s, vh = linalg_svd(adjoint(space) @ tall, full_matrices=False)
    left, right = space @ u, adjoint(vh)
    return (right, s, left) if wide else (left, s, right)


@composite(method=False)
def svd_lowrank(A: Tensor, q: int | bool | None = 6, niter: int | bool | None = 2, M: Tensor | None = None) -> Any:
    """Largest singular values of matrices and their vectors: A - M is approximately U diag(S) V^H.

    Args:
        A: (..., m, n), floating or complex.
        q: number of singular values; slightly more than the rank.
        niter: number of multiplications of the random vectors by A^H and A; 2 if singular values decrease slowly.
        M: subtracted from A, a tensor that broadcasts with it.

    Returns:
        A tuple (U, S, V) of (..., m, q), (..., q) and (..., n, q).

    Raises:
        RuntimeError: if `A` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> column = wg.tensor([[3.0], [4.0]])
        >>> wg.svd_lowrank(column @ column.t(), 1)[1]
        tensor([25.])
    """
    count = 6 if q is None else counted("svd_lowrank", "q", q)
    times = 2 if niter is None else counted("svd_lowrank", "niter", niter)
    return decomposed(A if M is None else A - M.broadcast_to(A.shape), count, times)


@composite(method=False)
def pca_lowrank(A: Tensor, q: int | bool | None = None, center: Truth = True, niter: int | bool = 2) -> Any:
    """Principal components of rows of numbers, by `svd_lowrank`.

    Args:
        A: (..., m, n), m observations of n variables, floating.
        q: number of components; by default at most 6.
        center: subtract the mean of the observations first.
        niter: as for `svd_lowrank`.

    Returns:
        A tuple (U, S, V); the columns of V are the principal directions.

    Raises:
        ValueError: if `q` or `niter` is negative, or `q` is larger than the matrix.
        RuntimeError: if `A` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> points = wg.tensor([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
        >>> wg.pca_lowrank(points, 1)[1]
        tensor([3.1623])
    """
    if A.ndim < 2:
        raise RuntimeError(f"pca_lowrank: input should have at least 2 dimensions, but has {A.ndim} instead")
    rows, columns = A.shape[-2:]
    count = min(6, rows, columns) if q is None else counted("pca_lowrank", "q", q)
    if not 0 <= count <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")
    niter = counted("pca_lowrank", "niter", niter)
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return decomposed(A - A.mean(-2, keepdim=True) if center else A, count, niter)


def without_phases(operator: Any, *args: Any, **options: Any) -> Any:
    """Call an operator for a function that does not depend on the phases of the vectors, to run samples."""

    def adjoined(*arguments: Any, **more: Any) -> Any:
        u, s, v = operator(*arguments, **more)
        return u, s, adjoint(v)

    return rebuilt(adjoined, *args[:1], **dict(zip(("q", "niter", "M"), args[1:])), **options)


@svd_lowrank.samples
def low_rank_samples(make: Any) -> Any:
    yield Sample(make(7, 6), through=without_phases)
    yield Sample(make(6, 7), M=make(7), through=without_phases)
    yield Bad(make(3), raises=RuntimeError, says="svd_lowrank: input should have at least 2 dimensions, but has 1")


@pca_lowrank.samples
def components_samples(make: Any) -> Any:
    yield Sample(make(5, 3), through=without_phases)
    yield Sample(make(2, 5, 3), center=False, through=without_phases)
    yield Bad(make(5, 3), 4, raises=ValueError, says="not greater than min(m, n)=3")
    yield Bad(make(5, 3), niter=-1, raises=ValueError, says="niter(=-1) must be non-negative integer")
