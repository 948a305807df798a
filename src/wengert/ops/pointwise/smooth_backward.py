"""Backward operators of smooth activation functions.

A recorded pass creates one node for each, as torch's does, not one for each operation of the formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, Number
from ..._kernels.activation import narrowed, widened
from .activation import backward_card, nonzero_samples


@backward_card(dtypes=REALS, samples=None)
def softplus_backward(grad: Array, self: Array, beta: Number, threshold: Number) -> Any:
    """`grad` times sigmoid(beta * self), or times 1 above the threshold."""
    wide = widened(self) * beta
    return narrowed(widened(grad) * np.where(wide > threshold, 1, kernels.sigmoid(wide)), grad, None)


@softplus_backward.vjp("grad")
def softplus_backward_vjp_grad(grad_output: Any, self: Any, beta: float, threshold: float) -> Any:
    return softplus_backward(grad_output, self, beta, threshold)


@softplus_backward.vjp("self")
def softplus_backward_vjp_self(grad_output: Any, grad: Any, self: Any, beta: float, threshold: float) -> Any:
    wide = self * beta
    return grad_output * grad * (wide.sigmoid() * (-wide).sigmoid() * beta * (wide < threshold))


@backward_card(dtypes=REALS, samples=None)
def elu_backward(grad: Array, self: Array, alpha: Number, scale: Number, input_scale: Number) -> Any:
    """`grad` times `scale` where `self` is positive, else times the derivative of the exponential."""
    wide = widened(self)
    below = np.exp(np.where(wide >= 0, 0, wide) * input_scale) * (input_scale * alpha * scale)
    return narrowed(widened(grad) * np.where(wide > 0, scale, below), grad, None)


@elu_backward.vjp("grad")
def elu_backward_vjp_grad(grad_output: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    return elu_backward(grad_output, self, alpha, scale, input_scale)


@elu_backward.vjp("self")
def elu_backward_vjp_self(
    grad_output: Any, grad: Any, self: Any, alpha: float, scale: float, input_scale: float
) -> Any:
    below = ~(self >= 0)
    curve = (self.where(below, 0) * input_scale).exp() * (input_scale * input_scale * alpha * scale)
    return grad_output * grad * curve.where(below, 0)


@backward_card(dtypes=REALS, samples=None, layout="rows")
def log_sigmoid_backward(grad: Array, self: Array) -> Any:
    """`grad` times sigmoid(-self)."""
    return narrowed(kernels.multiply(widened(grad), kernels.sigmoid(kernels.negative(widened(self)))), grad, None)


@log_sigmoid_backward.vjp("grad")
def log_sigmoid_backward_vjp_grad(grad_output: Any, self: Any) -> Any:
    return log_sigmoid_backward(grad_output, self)


@log_sigmoid_backward.vjp("self")
def log_sigmoid_backward_vjp_self(grad_output: Any, grad: Any, self: Any) -> Any:
    return grad_output * grad * -((-self).sigmoid() * self.sigmoid())


for _card, _numbers in ((softplus_backward, (2.0, 20.0)), (elu_backward, (1.5, 2.0, 0.5)), (log_sigmoid_backward, ())):
    _card.samples(nonzero_samples(*_numbers))
