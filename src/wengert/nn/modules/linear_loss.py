"""Linear layer with the cross-entropy of its scores."""

from __future__ import annotations

import math
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from .. import functional
from .linear import Linear
from .loss_base import _WeightedLoss


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross-entropy of the scores of a linear layer, which belongs to the loss.

    Args:
        in_features: length of an input vector.
        num_classes: number of classes.
        out_features: lengths of further dimensions of the scores.
        bias: whether the linear layer has a bias.
        device: "cpu".
        dtype: of the parameters.
        reduction: "mean", "sum" or "none".
        weight: one factor per class.
        ignore_index: class that does not count.
        label_smoothing: share of the target that is spread over all classes, 0 to 1.
        options: `LinearCrossEntropyOptions`, or None: see `functional.linear_cross_entropy`.

    Raises:
        RuntimeError: if `weight` does not have the shape `(num_classes,)`, or `label_smoothing` is not in [0, 1].
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        count = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, count, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of vectors (N, D) or (D,) and classes, or probabilities."""
        shape = (self.num_classes, *self.out_features)
        weight: Any = self.linear.weight
        bias: Any = self.linear.bias
        return functional.linear_cross_entropy(
            input,
            weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


at_home("wengert.nn.modules.loss", LinearCrossEntropyLoss)
