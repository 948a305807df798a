"""Distances and similarities of vectors as layers."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .module import Module


class PairwiseDistance(Module):
    """The p-norm of the differences between vectors.

    Args:
        p: order of the norm.
        eps: added to each difference.
        keepdim: keep the last dimension with length 1.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distances of vectors (..., D)."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    Args:
        dim: dimension of the vectors.
        eps: lower bound of the divisor.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosines of two sets of vectors."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)
