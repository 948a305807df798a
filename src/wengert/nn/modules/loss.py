"""Losses. `reduction`: "mean" over all elements (of the batch), "sum", or "none" for one value each; `size_average`
and `reduce` are older forms of it.
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...ops.warned import warn
from .. import functional
from .linear_loss import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from .loss_base import _Loss as _Loss, _WeightedLoss as _WeightedLoss
from .loss_forms import (
    CosineEmbeddingLoss as CosineEmbeddingLoss,
    CTCLoss as CTCLoss,
    GaussianNLLLoss as GaussianNLLLoss,
    HingeEmbeddingLoss as HingeEmbeddingLoss,
    MarginRankingLoss as MarginRankingLoss,
    MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss,
    MultiMarginLoss as MultiMarginLoss,
    PoissonNLLLoss as PoissonNLLLoss,
    SoftMarginLoss as SoftMarginLoss,
    TripletMarginLoss as TripletMarginLoss,
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
)


class L1Loss(_Loss):
    """`|input - target|`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """`(input - target) ** 2`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """`d**2 / (2 * beta)` where `d = |input - target|` is below `beta`, else `d - beta / 2`."""

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """`d**2 / 2` where `d = |input - target|` is below `delta`, else `delta * (d - delta / 2)`.

    Raises:
        TypeError: if `delta` is not a number.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of the target class.

    Args:
        weight: one factor per class, shape (C,).
        ignore_index: class that is ignored.
        reduction: "mean" (by the weights), "sum" or "none".
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of log-probabilities (N, C, *) or (C,) and classes (N, *) or ()."""
        return functional.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Minus the log-probability of the target under softmax.

    Args:
        weight: one factor per class, shape (C,).
        ignore_index: class that is ignored.
        reduction: "mean" (by the weights), "sum" or "none".
        label_smoothing: fraction of the target that is spread over all classes, 0 to 1.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (N, C, *) or (C,) and classes (N, *) or (), or probabilities shaped as the scores."""
        return functional.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """`-(target * log(input) + (1 - target) * log(1 - input))` for probabilities; logarithms are cut at -100.

    Args:
        weight: factor that broadcasts with the input.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of the sigmoid of the input, computed without overflow.

    Args:
        weight: factor that broadcasts with the input.
        reduction: "mean", "sum" or "none".
        pos_weight: factor of the positive part, broadcasts with the input.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.weight: Tensor | None
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """`target * (log(target) - input)`: the divergence from distributions whose logarithms are the input.

    Args:
        reduction: "mean", "batchmean" (the sum divided by the number of samples), "sum" or "none".
        log_target: whether the target holds logarithms, too.
    """

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return functional.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class NLLLoss2d(NLLLoss):
    """`NLLLoss` of images, under its old name."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)
