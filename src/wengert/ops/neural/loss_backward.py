"""Backward operators of losses between two tensors; each records one node.

Each is the gradient with respect to the first operand; for the other one the operands are exchanged.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, Sample, op
from ..dtype_checks import check_floating


def share(reduction: str, count: int) -> float:
    """Derivative of the reduced loss with respect to the loss of one element."""
    return 1.0 / count if reduction == "mean" and count else 1.0


def gathered(losses: Any, reduction: str) -> Any:
    """Combine the losses of elements, which already have their share in a mean."""
    return losses if reduction == "none" else losses.sum()


def gradient_samples(make: Any) -> Any:
    """Samples of a backward operator: a gradient of the loss, and the operands at which the derivative is taken."""
    yield Sample(make(3, 4), make(3, 4), make(3, 4), "none")
    yield Sample(make(), make(3, 4), make(3, 4), "mean")
    yield Sample(make(), make(2), make(2), "sum")


loss_backward_card = partial(
    op, layout="rows", dtypes=REALS, linear="grad", public="neither", samples=gradient_samples, shape="kind_of_second"
)
"""Card decorator for the backward operator of a loss."""


def for_members(card: Any, *args: Any) -> Any:
    """Batching rule of the backward operators: element by element, with the gradient of each member."""
    grad, self, target, reduction, *numbers = args
    if reduction == "none":
        return card.call(args)
    size, *shape = self.shape
    grad = grad.reshape((size, *[1] * len(shape))) * share(reduction, self[0].numel() if size else 0)
    return card.call((grad.expand(self.shape), self, target, "none", *numbers))


@loss_backward_card()
def mse_loss_backward(grad: Array, self: Array, target: Array, reduction: str = "mean") -> Any:
    """`grad` times the derivative of the square of the difference."""
    check_floating("mse_loss_backward", "mse_backward_cpu", grad)
    return kernels.subtract(self, target) * (grad * grad.dtype.type(2 * share(reduction, self.size)))


@mse_loss_backward.vjp("grad")
def mse_loss_backward_vjp_grad(grad_output: Any, self: Any, target: Any, reduction: str) -> Any:
    return gathered((self - target) * grad_output * (2 * share(reduction, self.numel())), reduction)


@mse_loss_backward.vjp("self", "target")
def mse_loss_backward_vjp(grad_output: Any, grad: Any, reduction: str, wanted: Any) -> Any:
    bend = grad_output * (grad * (2 * share(reduction, grad_output.numel())))
    return bend if wanted[1] else None, -bend if wanted[2] else None


@mse_loss_backward.jvp("self", "target")
def mse_loss_backward_jvp(self_tangent: Any, target_tangent: Any, grad: Any, reduction: str) -> Any:
    return (self_tangent - target_tangent) * (grad * (2 * share(reduction, self_tangent.numel())))


@mse_loss_backward.batched
def mse_loss_backward_batched(grad: Any, self: Any, target: Any, reduction: str) -> Any:
    return for_members(mse_loss_backward, grad, self, target, reduction)


def bent(grad: Any, self: Any, target: Any, reduction: str, bend: float, scale: float) -> Any:
    """`grad` times the difference within `bend`, or times `bend` with its sign, in units of `scale`."""
    factor = grad.dtype.type(share(reduction, self.size) / scale)
    return np.clip(kernels.subtract(self, target), -bend, bend) * (grad * factor)


def bent_vjp_grad(grad_output: Any, self: Any, target: Any, reduction: str, bend: float, scale: float) -> Any:
    """Derivative of `bent` with respect to its gradient."""
    factor = share(reduction, self.numel()) / scale
    return gathered((self - target).clamp(-bend, bend) * grad_output * factor, reduction)


def bent_vjp(grad_output: Any, grad: Any, self: Any, target: Any, reduction: str, bend: float, scale: float) -> Any:
    """Derivative of `bent` with respect to its first operand; nothing beyond `bend`."""
    inside = (self - target).abs() < bend
    return (grad_output * (grad * (share(reduction, self.numel()) / scale))).where(inside, 0)


@loss_backward_card()
def smooth_l1_loss_backward(
    grad: Array, self: Array, target: Array, reduction: str = "mean", bend: float = 1.0, scale: float = 1.0
) -> Any:
    """`grad` times the derivative of a loss that is a square up to `bend`, and linear beyond."""
    check_floating("smooth_l1_loss_backward", "smooth_l1_loss_backward_cpu", grad)
    return bent(grad, self, target, reduction, bend, scale)


@loss_backward_card()
def huber_loss_backward(
    grad: Array, self: Array, target: Array, reduction: str = "mean", bend: float = 1.0, scale: float = 1.0
) -> Any:
    """`grad` times the derivative of a loss that is a square up to `bend`, and linear beyond."""
    check_floating("huber_loss_backward", "huber_loss_backward_cpu", grad)
    return bent(grad, self, target, reduction, bend, scale)


def add_rules(card: Any) -> None:
    """Add the rules of a loss that is a square up to a distance."""

    def vjp(
        grad_output: Any, grad: Any, self: Any, target: Any, reduction: str, bend: float, scale: float, wanted: Any
    ) -> Any:
        first = bent_vjp(grad_output, grad, self, target, reduction, bend, scale)
        return first if wanted[1] else None, -first if wanted[2] else None

    def jvp(
        self_tangent: Any,
        target_tangent: Any,
        grad: Any,
        self: Any,
        target: Any,
        reduction: str,
        bend: float,
        scale: float,
    ) -> Any:
        return bent_vjp(self_tangent - target_tangent, grad, self, target, reduction, bend, scale)

    def batched(grad: Any, self: Any, target: Any, reduction: str, bend: float, scale: float) -> Any:
        return for_members(card, grad, self, target, reduction, bend, scale)

    card.vjp("grad")(bent_vjp_grad)
    card.vjp("self", "target")(vjp)
    card.jvp("self", "target")(jvp)
    card.batched(batched)


add_rules(smooth_l1_loss_backward)
add_rules(huber_loss_backward)
