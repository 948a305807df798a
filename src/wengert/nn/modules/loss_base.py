"""Base classes of losses."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...ops.neural.loss import read_reduction
from .module import Module


class _Loss(Module):
    """A loss with a reduction."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = read_reduction("mean", size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with weights, which are a buffer."""

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.weight: Tensor | None
