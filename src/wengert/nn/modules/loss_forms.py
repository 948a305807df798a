"""Less common losses; `reduction` as in `loss`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from .. import functional
from .distance import PairwiseDistance
from .loss_base import _Loss, _WeightedLoss


class PoissonNLLLoss(_Loss):
    """Minus the logarithm of the likelihood of counts under Poisson distributions.

    Args:
        log_input: whether the input holds logarithms of the expected counts.
        full: add Stirling's approximation of the part that does not depend on the input.
        size_average, reduce: older forms of `reduction`.
        eps: added before a logarithm is taken.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """The loss of expected counts and counts."""
        return functional.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """Minus the logarithm of the likelihood of values under normal distributions.

    Args:
        full: add the constant part.
        eps: lower bound of the variance.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """The loss of means, values and variances."""
        return functional.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """The input where the target is 1, and `max(0, margin - input)` where the target is -1."""

    def __init__(
        self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of distances and signs."""
        return functional.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Sum of `max(0, 1 - (input[y] - input[k]))` over target classes y and other classes k, divided by C."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (N, C) or (C,) and target classes; those behind the first -1 are ignored."""
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """`log(1 + exp(-target * input))`, for two classes labelled 1 and -1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores and signs."""
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Mean over classes of the binary cross-entropy between scores and targets; `weight`: factor of each class."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (..., C) and zeros and ones."""
        return functional.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """`1 - cos` for pairs with target 1, `max(0, cos - margin)` for pairs with target -1."""

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss of two sets of vectors, and 1 or -1 for each pair."""
        return functional.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """`max(0, margin - target * (input1 - input2))`."""

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss of two sets of scores, and 1 or -1 for each pair."""
        return functional.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Sum of `max(0, margin - input[y] + input[k]) ** p` over classes k other than the target y, divided by C.

    Args:
        p: exponent, 1 or 2.
        margin: the wanted distance of scores.
        weight: factor of each class.
        size_average, reduce: older forms of `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: if `p` is neither 1 nor 2, or `weight` is not a vector.
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.ndim}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (N, C) or (C,) and classes."""
        return functional.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`, where d is a p-norm distance.

    Args:
        margin: wanted difference of the distances.
        p: order of the norm.
        eps: added to differences.
        swap: take the distance between positive and negative where it is smaller.
        size_average, reduce: older forms of `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: if `margin` is not positive.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss of three sets of vectors."""
        return functional.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, reduction=self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with any distance function; the default is the Euclidean distance.

    Raises:
        ValueError: if `margin` is not positive.
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function: Any = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss of three sets of vectors."""
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """Minus the logarithm of the probability of label sequences, over all alignments with the input.

    Args:
        blank: label of the blank.
        reduction: "mean" (each divided by the length of its labels first), "sum" or "none".
        zero_infinity: replace infinite losses (labels that do not fit into the input) by 0.

    Source: Graves et al., Connectionist temporal classification, 2006.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        """The loss of log-probabilities (T, N, C) or (T, C), labels, and the lengths of both."""
        return functional.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


at_home(
    "wengert.nn.modules.loss",
    PoissonNLLLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    MultiLabelMarginLoss,
    SoftMarginLoss,
    MultiLabelSoftMarginLoss,
    CosineEmbeddingLoss,
    MarginRankingLoss,
    MultiMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
    CTCLoss,
)
