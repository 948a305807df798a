"""Losses between two tensors of one shape: mse_loss, l1_loss, smooth_l1_loss, huber_loss."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import REALS, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import elementwise
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import promote_types
from ..._core.types.sizes import broadcast
from ..dtype_checks import check_floating, refuse
from ..pointwise.binary import sub
from ..pointwise.unary import abs
from ..reductions.reduce import mean
from .loss import finished, read_reduction
from .loss_backward import gathered, huber_loss_backward, mse_loss_backward, share, smooth_l1_loss_backward

native = kernels.direct_function


def spread(input: Any, target: Any) -> tuple[Any, Any]:
    """Broadcast two tensors, with a warning if their shapes differ.

    Raises:
        RuntimeError: if the shapes do not broadcast.
    """
    if input._array_.shape == target._array_.shape:
        return input, target
    anomaly.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    shape = broadcast(input.shape, target.shape)
    return input.expand(shape), target.expand(shape)


def weighted_reduction(losses: Any, weight: Any, reduction: str) -> Any:
    """Return the losses of the elements times their weights, reduced: the mean is divided by the sum of the weights."""
    weighted = losses * weight
    return weighted.sum() / weight.sum() if reduction == "mean" else finished(weighted, reduction)


def check_weight(input: Tensor, weight: Tensor) -> None:
    """Refuse weights of another shape.

    Raises:
        ValueError: if the shape differs.
    """
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")


def check_real(name: str, title: str, input: Any, target: Any) -> None:
    """Refuse two tensors if none is floating-point, or one is complex.

    Raises:
        NotImplementedError: if none is floating-point, or one is complex.
    """
    common = promote_types(input.dtype, target.dtype)
    if not common.is_floating_point:
        refuse(name, title, np.empty(0, common.numpy))


def collected(losses: Any, reduction: str, dtype: Any) -> Any:
    """Return the losses of the elements, their mean or their sum, in `dtype`; for arrays."""
    if reduction == "mean":
        return kernels.mean(losses).astype(dtype, copy=False)
    if reduction == "sum":
        return kernels.sum(losses).astype(dtype, copy=False)
    return np.asarray(losses).astype(dtype, copy=False)


def difference_of(self: Any, target: Any) -> Any:
    """Return the difference in the common dtype; bools count as numbers in a loss."""
    common = promote_types(self.dtype, target.dtype)
    return self.to(common) - target.to(common)


def both(backward: Any, grad: Any, self: Any, target: Any, wanted: Any, *numbers: Any) -> Any:
    """Gradients of two operands whose difference alone determines a loss.

    That of the target is computed from the difference the other way round, not by negating the other gradient:
    if both operands are equal it is 0, not -0.
    """
    common = promote_types(self.dtype, target.dtype)
    grad, self, target = grad.to(common), self.to(common), target.to(common)
    return (
        backward(grad, self, target, *numbers) if wanted[0] else None,
        backward(grad, target, self, *numbers) if wanted[1] else None,
    )


def reduced(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of losses with a reduction: each member is reduced by itself."""
    at = op.names.index("reduction")
    losses = elementwise(op, size, [*args[:at], "none", *args[at + 1 :]], carried)
    dims = tuple(range(1, losses.ndim))
    if args[at] == "none" or not dims:
        return losses
    return losses.mean(dims) if args[at] == "mean" else losses.sum(dims)


def pair_samples(make: Any) -> Any:
    """Samples of a loss between two tensors."""
    yield Sample(make(3, 4), make(3, 4))
    yield Sample(make(3, 4), make(3, 4), reduction="sum")
    yield Sample(make(3, 4), make(3, 4), reduction="none")
    yield Bad(make(3), make(2), raises=RuntimeError, says="must match the size of tensor b")


loss = partial(
    op, layout="iterator", dtypes=REALS, promote="same", batching=reduced, public="neither", samples=pair_samples
)
"""Card decorator for a loss between two tensors."""


@loss(name="_mse_loss", node="MseLossBackward0", native=native("mse_loss"))
def squared(self: Array, target: Array, reduction: str = "mean") -> Any:
    """Square of the difference."""
    return kernels.mse_loss(self, target, reduction)


@squared.vjp("self", "target", native=native("mse_loss_rule"))
def squared_vjp(grad: Any, self: Any, target: Any, reduction: str, wanted: Any) -> Any:
    return both(mse_loss_backward, grad, self, target, wanted, reduction)


@squared.jvp("self", "target")
def squared_jvp(self_tangent: Any, target_tangent: Any, self: Any, target: Any, reduction: str) -> Any:
    difference = difference_of(self, target)
    factor = 2 * share(reduction, difference._array_.size)
    return gathered(difference * (self_tangent - target_tangent) * factor, reduction)


@composite(method=False, function=False)
def mse_loss(
    input: Any,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Any:
    """Squared difference.

    Args:
        input: floating tensor.
        target: of the same shape (others broadcast, with a warning).
        size_average: an older form of `reduction`.
        reduce: an older form of `reduction`.
        reduction: "none", "mean" or "sum".
        weight: weight of each element; the mean divides by the sum of the weights.

    Returns:
        A new tensor, 0-dim, or of the broadcast shape for "none".

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.mse_loss(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 4.0]))
        tensor(2.)
    """
    input, target = spread(input, target)
    reduction = read_reduction(reduction, size_average, reduce)
    check_real("mse", "mse_cpu", input, target)
    if weight is None:
        return squared(input, target, reduction)
    check_weight(input, weight)
    return weighted_reduction(squared(input, target, "none"), weight, reduction)


@composite(method=False, function=False)
def l1_loss(
    input: Any,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Any:
    """Absolute difference; arguments as for `mse_loss`.

    Returns:
        A new tensor, 0-dim, or of the broadcast shape for "none".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.l1_loss(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 4.0]))
        tensor(1.)
    """
    input, target = spread(input, target)
    reduction = read_reduction(reduction, size_average, reduce)
    losses = (input - target).abs()
    if weight is None:
        return finished(losses, reduction)
    check_weight(input, weight)
    return weighted_reduction(losses, weight, reduction)


@loss(name="_smooth_l1_loss", node="SmoothL1LossBackward0", native=native("smooth_l1_loss"))
def smooth_l1(self: Array, target: Array, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Half the square up to `beta`, divided by it, and the absolute value beyond."""
    distance = np.abs(kernels.subtract(self, target))
    losses = np.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta)
    return collected(losses, reduction, self.dtype)


@smooth_l1.vjp("self", "target", native=native("smooth_l1_loss_rule"))
def smooth_l1_vjp(grad: Any, self: Any, target: Any, reduction: str, beta: float, wanted: Any) -> Any:
    return both(smooth_l1_loss_backward, grad, self, target, wanted, reduction, beta, beta)


@smooth_l1.jvp("self", "target")
def smooth_l1_jvp(self_tangent: Any, target_tangent: Any, self: Any, target: Any, reduction: str, beta: float) -> Any:
    difference = difference_of(self, target)
    factor = share(reduction, difference._array_.size) / beta
    return gathered(difference.clamp(-beta, beta) * (self_tangent - target_tangent) * factor, reduction)


@composite(method=False, function=False)
def smooth_l1_loss(
    input: Any, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
) -> Any:
    """Squared difference near zero and absolute difference beyond, joined smoothly.

    Args:
        input: floating tensor.
        target: of the same shape (others broadcast, with a warning).
        size_average: an older form of `reduction`.
        reduce: an older form of `reduction`.
        reduction: "none", "mean" or "sum".
        beta: distance at which they join; 0 is `l1_loss`.

    Returns:
        A new tensor, 0-dim, or of the broadcast shape for "none".

    Raises:
        RuntimeError: if `beta` is negative, or the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.smooth_l1_loss(wg.tensor([1.0, 2.0]), wg.tensor([1.5, 4.0]))
        tensor(0.8125)
    """
    input, target = spread(input, target)
    reduction = read_reduction(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return finished((input - target).abs(), reduction)
    check_real("smooth_l1", "smooth_l1_cpu", input, target)
    return smooth_l1(input, target, reduction, beta)


@loss(name="_huber_loss", node="HuberLossBackward0", promote=None, native=native("huber_loss"))
def huber(self: Array, target: Array, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the square up to `delta`, and its tangent beyond; in the dtype of `self`, as in torch."""
    broadcast(self.shape, target.shape)
    check_floating("huber", "huber_cpu", self)
    distance = np.abs(kernels.subtract(self, target))
    losses = np.where(distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta))
    return collected(losses, reduction, self.dtype)


@huber.vjp("self", "target", native=native("huber_loss_rule"))
def huber_vjp(grad: Any, self: Any, target: Any, reduction: str, delta: float, wanted: Any) -> Any:
    return both(huber_loss_backward, grad, self, target, wanted, reduction, delta, 1.0)


@huber.jvp("self", "target")
def huber_jvp(self_tangent: Any, target_tangent: Any, self: Any, target: Any, reduction: str, delta: float) -> Any:
    return smooth_l1_jvp(self_tangent, target_tangent, self, target, reduction, delta) * delta


@composite(method=False, function=False)
def huber_loss(
    input: Any, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Any:
    """Half the squared difference up to `delta`, and a straight line beyond.

    Args:
        input: floating tensor.
        target: of the same shape (others broadcast, with a warning).
        reduction: "none", "mean" or "sum".
        delta: distance at which the line begins.
        weight: weight of each element.

    Returns:
        A new tensor, 0-dim, or of the broadcast shape for "none".

    Raises:
        RuntimeError: if `delta` is not positive, or the shapes do not broadcast.
        ValueError: if `weight` has another shape.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.huber_loss(wg.tensor([1.0, 2.0]), wg.tensor([1.5, 4.0]), delta=0.5)
        tensor(0.5000)
    """
    input, target = spread(input, target)
    reduction = read_reduction(reduction)
    if weight is not None:
        check_weight(input, weight)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if (common := promote_types(input.dtype, target.dtype)).category > input.dtype.category:
        raise RuntimeError(errors.uncastable(common, input.dtype))
    check_real("huber", "huber_cpu", input, target)
    if weight is None:
        return huber(input, target, reduction, delta)
    return finished(huber(input, target, "none", delta) * weight, reduction)


mse_loss.samples(pair_samples)
l1_loss.samples(pair_samples)
smooth_l1_loss.samples(pair_samples)
huber_loss.samples(pair_samples)

mse_loss = plain_case(mse_loss, squared, module=FUNCTIONAL)
l1_loss = plain_case(l1_loss, sub, places=(0, 1, -1), guard=native("is_pair"), then=(abs, mean), module=FUNCTIONAL)
smooth_l1_loss = plain_case(smooth_l1_loss, smooth_l1, module=FUNCTIONAL)
huber_loss = plain_case(huber_loss, huber, module=FUNCTIONAL)
