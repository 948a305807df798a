"""Backward operators of piecewise activation functions.

The derivatives are constant between the kinks. Yet the result depends on the input as far as the graph is concerned,
as in torch: a gradient computed with `create_graph` requires a gradient, which is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import REALS, Array, Number, Sample
from .activation import backward_card, nonzero_samples


def flat(grad_output: Any) -> Any:
    """Zero derivative of a backward operator with respect to the input."""
    return grad_output.new_zeros(grad_output.shape)


@backward_card(dtypes=REALS, samples=None)
def hardtanh_backward(grad: Array, self: Array, min_val: Number, max_val: Number) -> Any:
    """`grad` where `self` is between the limits, else 0."""
    return np.where((self > min_val) & (self < max_val), grad, grad.dtype.type(0))


@hardtanh_backward.vjp("grad")
def hardtanh_backward_vjp_grad(grad_output: Any, self: Any, min_val: float, max_val: float) -> Any:
    return hardtanh_backward(grad_output, self, min_val, max_val)


@backward_card(dtypes=REALS, samples=None, layout="reversed")
def leaky_relu_backward(grad: Array, self: Array, negative_slope: Number) -> Any:
    """`grad` where `self` is positive, else `grad * negative_slope`."""
    return np.where(self > 0, grad, grad * negative_slope)


@leaky_relu_backward.vjp("grad")
def leaky_relu_backward_vjp_grad(grad_output: Any, self: Any, negative_slope: float) -> Any:
    return leaky_relu_backward(grad_output, self, negative_slope)


@backward_card(dtypes=REALS, samples=None)
def hardshrink_backward(grad: Array, self: Array, lambd: Number) -> Any:
    """`grad` where `self` is outside of the gap, else 0."""
    return np.where((self < -lambd) | (self > lambd), grad, grad.dtype.type(0))


@hardshrink_backward.vjp("grad")
def hardshrink_backward_vjp_grad(grad_output: Any, self: Any, lambd: float) -> Any:
    return hardshrink_backward(grad_output, self, lambd)


@backward_card(dtypes=REALS, samples=None)
def softshrink_backward(grad: Array, self: Array, lambd: Number) -> Any:
    """`grad` where `self` is outside of the gap, else 0."""
    return np.where((self < -lambd) | (self > lambd), grad, grad.dtype.type(0))


@softshrink_backward.vjp("grad")
def softshrink_backward_vjp_grad(grad_output: Any, self: Any, lambd: float) -> Any:
    return softshrink_backward(grad_output, self, lambd)


@backward_card(dtypes=REALS, samples=None, layout="reversed")
def threshold_backward(grad: Array, self: Array, threshold: Number) -> Any:
    """`grad` where `self` is above the threshold or NaN, else 0."""
    return np.where(self <= threshold, grad.dtype.type(0), grad)


@threshold_backward.vjp("grad")
def threshold_backward_vjp_grad(grad_output: Any, self: Any, threshold: float) -> Any:
    return threshold_backward(grad_output, self, threshold)


for _card, _numbers in (
    (hardtanh_backward, (-1.0, 1.0)),
    (leaky_relu_backward, (0.25,)),
    (hardshrink_backward, (0.5,)),
    (softshrink_backward, (0.5,)),
    (threshold_backward, (0.25,)),
):
    _card.vjp("self")(flat)
    _card.samples(nonzero_samples(*_numbers))


@backward_card(dtypes=REALS, samples=None, layout="reversed")
def prelu_kernel_backward(grad: Array, self: Array, weight: Array) -> Any:
    """`grad` where `self` is positive, else `grad * weight`; shapes broadcast."""
    return np.where(self > 0, grad, grad * weight)


@prelu_kernel_backward.vjp("grad")
def prelu_kernel_backward_vjp_grad(grad_output: Any, self: Any, weight: Any) -> Any:
    return prelu_kernel_backward(grad_output, self, weight)


@prelu_kernel_backward.vjp("weight")
def prelu_kernel_backward_vjp_weight(grad_output: Any, grad: Any, self: Any) -> Any:
    return prelu_weight_backward(grad_output * grad, self, True)


@backward_card(dtypes=REALS, samples=None, layout="reversed", node="PreluKernelBackwardBackward0")
def prelu_weight_backward(grad: Array, self: Array, ones: bool = False) -> Any:
    """Gradient of the weights of `prelu` before it is summed: `grad * self` where `self` is not positive, else 0.

    Args:
        ones: return `grad` itself, not times `self`: a second derivative, which torch takes as 0 at 0, too.
    """
    return np.where((self >= 0) if ones else (self > 0), grad.dtype.type(0), grad if ones else grad * self)


@prelu_weight_backward.vjp("grad")
def prelu_weight_backward_vjp_grad(grad_output: Any, self: Any, ones: bool) -> Any:
    return prelu_weight_backward(grad_output, self, ones)


@prelu_weight_backward.vjp("self")
def prelu_weight_backward_vjp_self(grad_output: Any, grad: Any, self: Any, ones: bool) -> Any:
    return flat(grad_output) if ones else prelu_weight_backward(grad_output * grad, self, True)


prelu_kernel_backward.vjp("self")(flat)


@prelu_kernel_backward.samples
def prelu_kernel_backward_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="nonzero"), make(1, 4))
    yield Sample(make(0, 2), make(0, 2), make(1, 2))


@prelu_weight_backward.samples
def prelu_weight_backward_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="nonzero"))
    yield Sample(make(0, 2), make(0, 2), True)
