"""Binary cross-entropy, from probabilities and from logits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import refuse_gradient
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..dtype_checks import check_floating
from ..memory.memory_formats import in_order_like
from ..pointwise.binary import SUBTRACT_BOOLS, over
from ..pointwise.smooth import log_sigmoid
from .loss import read_reduction
from .loss_backward import gathered, share
from .loss_pairs import collected, reduced

native = kernels.direct_function

LEAST_LOGARITHM = -100.0
"""Limit of logarithms, so that the loss of a wrong certainty stays finite."""

LEAST_VARIANCE = 1e-12
"""Smallest divisor of the derivative."""


def weighted(grad: Any, weight: Any, like: Any) -> Any:
    """Multiply a gradient by the weights of the elements, in the dtype of `like`; a mean counts for less than they."""
    if weight is None:
        return grad
    return grad * (weight if weight.dtype is like.dtype else weight.to(dtype=like.dtype))


binary_loss = partial(op, dtypes=REALS, batching=reduced, linear="weight", public="neither")
"""Losses of two classes."""


@binary_loss(
    layout="iterator",
    name="_binary_cross_entropy",
    node="BinaryCrossEntropyBackward0",
    native=native("binary_cross_entropy"),
    kernel="binary_cross_entropy",
)
def of_probabilities(self: Array, target: Array, weight: Index = None, reduction: str = "mean") -> Any:
    """Cross-entropy of probabilities."""
    if target.dtype != self.dtype:
        types, wanted = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (target, self))
        raise RuntimeError(f"Found dtype {types} but expected {wanted}")
    if weight is not None and weight.dtype.kind == "c":
        raise RuntimeError(errors.uncastable(dtypes.from_numpy(weight.dtype), dtypes.from_numpy(self.dtype)))
    check_floating("binary_cross_entropy", "_binary_cross_entropy", self)
    for name, operand in (("input", self), ("target", target)):
        if not np.all((operand >= 0) & (operand <= 1)):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    success = np.maximum(np.log(self), LEAST_LOGARITHM)
    failure = np.maximum(np.log1p(-self), LEAST_LOGARITHM)
    losses = (target - 1) * failure - target * success
    return collected(losses if weight is None else losses * weight, reduction, self.dtype)


@of_probabilities.vjp("self", "target", native=native("binary_cross_entropy_rule"))
def of_probabilities_vjp(grad: Any, self: Any, target: Any, weight: Any, reduction: str, wanted: Any) -> Any:
    grad = weighted(grad * share(reduction, self._array_.size), weight, self)
    first = second = None
    if wanted[0]:
        first = (self - target) / ((1 - self) * self).clamp_min(LEAST_VARIANCE) * grad
        first = in_order_like(first, self._array_.shape, self._array_.strides)
    if wanted[1]:
        second = ((-self).log1p() - self.log()) * grad
    return first, second


@of_probabilities.jvp("self")
def of_probabilities_jvp_self(tangent: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    grad, _ = of_probabilities_vjp(1.0, self, target, weight, reduction, (True, False))
    return gathered(tangent * grad, reduction)


@of_probabilities.jvp("target")
def of_probabilities_jvp_target(tangent: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    _, grad = of_probabilities_vjp(1.0, self, target, weight, reduction, (False, True))
    return gathered(tangent * grad, reduction)


@composite(method=False, function=False)
def binary_cross_entropy(
    input: Any,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Cross-entropy between predicted and true probabilities of a class.

    Args:
        input: predicted probabilities, floating.
        target: true probabilities, of the same shape and dtype.
        weight: weight of each element, broadcasts.
        size_average: an older form of `reduction`.
        reduce: an older form of `reduction`.
        reduction: "none", "mean" or "sum".

    Returns:
        A new tensor, 0-dim, or of the shape of `input` for "none".

    Raises:
        ValueError: if the shapes differ.
        RuntimeError: if an element of `input` or `target` is not a probability, or dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.binary_cross_entropy(wg.tensor([0.8, 0.3]), wg.tensor([1.0, 0.0]))
        tensor(0.2899)
    """
    reduction = read_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        refuse_gradient("binary_cross_entropy", weight=weight)
        weight = weight.expand(input.shape)
    return of_probabilities(input, target, weight, reduction)


@of_probabilities.samples
@binary_cross_entropy.samples
def probability_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="unit"), make(3, 4, kind="unit"))
    yield Sample(make(3, 4, kind="unit"), make(3, 4, kind="unit"), reduction="sum")
    yield Sample(make(3, 4, kind="unit"), make(3, 4, kind="unit"), make(3, 4, kind="positive", requires_grad=False))
    yield Bad(make(3, low=2, high=3), make(3, kind="unit"), raises=RuntimeError, says="input should be between 0 and 1")
    yield Bad(
        make(3, kind="unit"), make(3, low=2, high=3), raises=RuntimeError, says="target should be between 0 and 1"
    )


@binary_loss(
    layout="own",
    name="_binary_cross_entropy_with_logits",
    node="BinaryCrossEntropyWithLogitsBackward0",
    native=native("bce_with_logits"),
)
def of_logits(
    self: Array, target: Array, weight: Index = None, pos_weight: Index = None, reduction: str = "mean"
) -> Any:
    """Cross-entropy of logits, computed in the memory of 1 - target, whose dtype and strides it keeps."""
    for operand in (self, target):
        check_floating("binary_cross_entropy_with_logits", "log_sigmoid_cpu", operand)
    common = dtypes.result_type([self, target], []).numpy
    wide = self.astype(common, copy=False), target.astype(common, copy=False)
    losses = kernels.bce_with_logits(*wide, weight, pos_weight, reduction).astype(target.dtype, copy=False)
    if losses.shape != target.shape:
        return losses
    return layouts.with_strides(losses, layouts.iterated(losses.shape, [target]))


@of_logits.vjp("self", "target", native=native("bce_with_logits_rule"))
def of_logits_vjp(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str, wanted: Any) -> Any:
    grad = weighted(grad, weight, self)
    first = second = None
    count = self._array_.size if reduction == "mean" else 1
    if wanted[0]:
        below = self <= 0
        rarer = self.where(below, -self).sigmoid()  # the smaller probability: 1 minus the other one loses its digits
        if pos_weight is None:
            first = (rarer - target).where(below, (1 - target) - rarer) * grad
        else:
            positive = pos_weight * target
            share = (positive + 1 - target) * rarer
            first = (share - positive).where(below, (1 - target) - share)
            first = in_order_like(first, share._array_.shape, share._array_.strides) * grad
    if wanted[1]:
        if pos_weight is None:
            second = -self * grad
        else:
            second = (log_sigmoid(-self) - log_sigmoid(self) * pos_weight) * grad
    return tuple([part if part is None or count < 2 else over(part, count) for part in (first, second)])


@of_logits.jvp("self")
def of_logits_jvp_self(tangent: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    grad, _ = of_logits_vjp(1.0, self, target, weight, pos_weight, reduction, (True, False))
    return gathered(tangent * grad, reduction)


@of_logits.jvp("target")
def of_logits_jvp_target(tangent: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    _, grad = of_logits_vjp(1.0, self, target, weight, pos_weight, reduction, (False, True))
    return gathered(tangent * grad, reduction)


@of_logits.jvp("pos_weight")
def of_logits_jvp_pos_weight(tangent: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    grad = weighted(target * -log_sigmoid(self) * share(reduction, self._array_.size), weight, target)
    return gathered(grad * tangent, reduction)


@composite(method=False, function=False)
def binary_cross_entropy_with_logits(
    input: Any,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Any:
    """Cross-entropy between logits and true probabilities of a class, without overflow.

    Args:
        input: logits, floating.
        target: true probabilities, of the same shape.
        weight: weight of each element, broadcasts.
        size_average: an older form of `reduction`.
        reduce: an older form of `reduction`.
        reduction: "none", "mean" or "sum".
        pos_weight: weight of the class relative to its absence, broadcasts.

    Returns:
        A new tensor of the dtype of `target`, 0-dim, or of the shape of `input` for "none".

    Raises:
        ValueError: if the shapes differ.
        RuntimeError: if `target` is of integers, or a weight is complex or larger than `input`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.binary_cross_entropy_with_logits(wg.tensor([2.0, -1.0]), wg.tensor([1.0, 0.0]))
        tensor(0.2201)
    """
    reduction = read_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    check_floating("binary_cross_entropy_with_logits", "log_sigmoid_cpu", input._array_)
    if target.dtype is dtypes.bool_:
        raise RuntimeError(SUBTRACT_BOOLS)
    if target.dtype.category < dtypes.FLOAT:
        raise RuntimeError(errors.uncastable(input.dtype, target.dtype))
    refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    for factor in (weight, pos_weight):
        if factor is not None and factor.dtype.is_complex:
            raise RuntimeError(errors.uncastable(factor.dtype, target.dtype))
        if factor is not None and (common := broadcast(input.shape, factor.shape)) != input.shape:
            raise RuntimeError(errors.target_shape(input.shape, common))
    return of_logits(input, target, weight, pos_weight, reduction)


@of_logits.samples
@binary_cross_entropy_with_logits.samples
def logit_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="unit"))
    yield Sample(make(3, 4), make(3, 4, kind="unit"), reduction="none")
    yield Sample(
        make(3, 4),
        make(3, 4, kind="unit"),
        make(4, requires_grad=False),
        reduction="sum",
        pos_weight=make(4, kind="positive", requires_grad=False),
    )


binary_cross_entropy = plain_case(binary_cross_entropy, of_probabilities, places=(0, 1, -1, 5), module=FUNCTIONAL)
binary_cross_entropy_with_logits = plain_case(
    binary_cross_entropy_with_logits, of_logits, places=(0, 1, -1, -1, 5), module=FUNCTIONAL
)
