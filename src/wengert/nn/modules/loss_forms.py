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
        eps: is added before a logarithm is taken.
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
        eps: the least variance.
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
    """The input where the target is 1, and what it lacks to `margin` where the target is -1."""

    def __init__(
        self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of distances and signs."""
        return functional.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """By how much scores of classes that the target does not name come nearer than 1 to those of classes it names."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (N, C) or (C,) and named classes, of which those behind the first -1 do not count."""
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """`log(1 + exp(-target * input))`, for two classes that are called 1 and -1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores and signs."""
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of the binary cross-entropy between scores and targets; `weight` of each class."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of scores (..., C) and zeros and ones."""
        return functional.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """One minus the cosine between vectors that belong together, what it exceeds `margin` by between others."""

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss of two sets of vectors, and 1 or -1 for each pair."""
        return functional.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """What the difference of two scores lacks to `margin`, in the direction that the target says."""

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss of two sets of scores, and 1 or -1 for each pair."""
        return functional.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """By how much the scores of other classes come nearer to that of the right one than `margin`.

    Args:
        p: 1 or 2, the power that is taken.
        margin: what scores are to keep.
        weight: of each class.
        size_average, reduce: older forms of `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: `p` is neither 1 nor 2, or `weight` is no vector.
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
    """What the distance from anchors to negatives lacks to that to positives, plus `margin`.

    Args:
        margin: by how much farther negatives are to lie.
        p: the order of the norm that is the distance.
        eps: is added to differences.
        swap: take the distance between positive and negative where it is smaller.
        size_average, reduce: older forms of `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: `margin` is not positive.
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
    """`TripletMarginLoss` with a distance of the program's own (Euclidean unless given).

    Raises:
        ValueError: `margin` is not positive.
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
        blank: the label of nothing.
        reduction: "mean" (each divided by the length of its labels first), "sum" or "none".
        zero_infinity: put 0 where labels do not fit into the input.

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
