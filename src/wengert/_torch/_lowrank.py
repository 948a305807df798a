"""`torch._lowrank`: decompositions of matrices of low rank, and the basis that they begin with."""

from __future__ import annotations

from typing import Any

from wengert._tensor import Tensor
from wengert.ops.randomness.low_rank import basis, pca_lowrank, svd_lowrank

__all__ = ["get_approximate_basis", "pca_lowrank", "svd_lowrank"]


def get_approximate_basis(A: Tensor, q: int, niter: int | None = 2, M: Any = None) -> Tensor:  # noqa: N803 - torch's
    """An orthonormal basis of about the space that the largest left singular vectors span.

    Args:
        A: (..., m, n).
        q: the number of vectors.
        niter: how often random vectors are multiplied by A^H and A.
        M: tensor that is subtracted from A, and broadcasts with it.

    Returns:
        (..., m, q).
    """
    return basis(A if M is None else A - M, q, 2 if niter is None else niter)
