"""Activation functions whose derivatives are fused kernels.

Each derivative is a private operator (`tanh_backward`), with rules of its own, so that second and higher derivatives
follow. For complex numbers it is grad * conj(f'), which depends on the conjugate of the value: hence the conjugates in
its own rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import (
    BOOLS,
    COMPLEXES,
    FLOATS,
    INTEGERS,
    REALS,
    WIDE,
    Array,
    Bad,
    Index,
    Out,
    Sample,
    op,
    pointwise,
)
from ..._core.operators.batch_rules import elementwise
from ..._core.out_errors import FOUND
from ..._core.recording.recorded import conjugate
from ..._core.state.modes import current
from ..._core.tensor.base import wrap
from .power import any_tensor, nonzero_tensor, single
from .unary import function, native

_IN_PACKAGE = ("relu_", "sigmoid_", "tanh_")


def backward_samples(make: Any) -> Any:
    """Samples of a fused derivative: a gradient, and the input or result at which the derivative is taken."""
    yield Sample(make(3, 4), make(3, 4, kind="unit"))
    yield Sample(make(), make(kind="unit"))
    yield Sample(make(0, 2), make(0, 2))


def nonzero_samples(*numbers: float) -> Callable[[Any], Any]:
    """Return the samples of a fused derivative with a kink at 0: a gradient, the input, and `numbers`."""

    def samples(make: Any) -> Any:
        yield Sample(make(3, 4), make(3, 4, kind="nonzero"), *numbers)
        yield Sample(make(), make(kind="nonzero"), *numbers)
        yield Sample(make(0, 2), make(0, 2), *numbers)

    return samples


backward_card = partial(pointwise, numbers=False, linear="grad", public="neither", samples=backward_samples)
"""Card decorator for a fused derivative."""
floating = partial(
    single,
    dtypes=REALS,
    public="neither",
    describes="""
    Args:
        self: floating-point tensor.

    Returns:
        A new tensor of the same shape and dtype.
    """,
)
"""Card decorator for a function of `nn.functional`."""


@op(layout="iterator", dtypes=WIDE, linear="grad", public="neither", batching=elementwise)
def kept_gradient(grad: Array, mask: Index) -> Any:
    """`grad` where `mask` holds, else 0; the strides of the result follow `grad`."""
    return kernels.where(mask, grad, np.zeros((), grad.dtype))


@kept_gradient.vjp("grad")
def kept_gradient_vjp(grad_output: Any, mask: Any) -> Any:
    return kept_gradient(grad_output, mask)


@kept_gradient.samples
def kept_gradient_samples(make: Any) -> Any:
    yield Sample(make(2), wrap(np.array([True, False])))
    yield Sample(make(0, 2), wrap(np.zeros((0, 2), bool)))


@backward_card(dtypes=FLOATS, native=native("tanh_rule"))
def tanh_backward(grad: Array, result: Array, tail: Index = None) -> Any:
    """grad * conj(1 - result^2), the derivative of tanh by its result; by its operand `tail` if there is one."""
    return kernels.tanh_backward(grad, result) if tail is None else kernels.tanh_backward_from_input(grad, tail)


@tanh_backward.vjp("grad")
def tanh_backward_vjp_grad(grad_output: Any, result: Any, tail: Any) -> Any:
    return tanh_backward(grad_output, conjugate(result), None if tail is None else conjugate(tail))


@tanh_backward.vjp("result")
def tanh_backward_vjp_result(grad_output: Any, grad: Any, result: Any) -> Any:
    return conjugate(grad_output) * grad * conjugate(result) * -2


tanh_backward.jvp("result")(tanh_backward_vjp_result)  # a function of the conjugate


@function(native=native("tanh"))
def tanh(self: Array, *, out: Any = None) -> Any:
    """Hyperbolic tangent of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.tanh(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """
    return kernels.tanh(self, out=out)


tanh.saturates(kernels.tanh_saturates)


@tanh.vjp("self", native=native("tanh_rule"))
def tanh_vjp(grad: Any, out: Any, self_tail: Any) -> Any:
    return tanh_backward(grad, out, self_tail)


@tanh.jvp("self")
def tanh_jvp(tangent: Any, self: Any, out: Any) -> Any:
    return tanh_backward(tangent, conjugate(out), conjugate(self.detach()))


@backward_card(dtypes=FLOATS, native=native("sigmoid_rule"))
def sigmoid_backward(grad: Array, result: Array, tail: Index = None) -> Any:
    """grad * conj((1 - result) * result), the derivative of sigmoid by its result; by its operand `tail` if any."""
    return kernels.sigmoid_backward(grad, result) if tail is None else kernels.sigmoid_backward_from_input(grad, tail)


@sigmoid_backward.vjp("grad")
def sigmoid_backward_vjp_grad(grad_output: Any, result: Any, tail: Any) -> Any:
    return sigmoid_backward(grad_output, conjugate(result), None if tail is None else conjugate(tail))


@sigmoid_backward.vjp("result")
def sigmoid_backward_vjp_result(grad_output: Any, grad: Any, result: Any) -> Any:
    return conjugate(grad_output) * grad * (1 - conjugate(result) * 2)


sigmoid_backward.jvp("result")(sigmoid_backward_vjp_result)  # a function of the conjugate


@function(native=native("sigmoid"))
def sigmoid(self: Array, *, out: Any = None) -> Any:
    """1 / (1 + exp(-self)), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.sigmoid(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """
    return kernels.sigmoid(self, out=out)


sigmoid.saturates(kernels.sigmoid_saturates)


@sigmoid.vjp("self", native=native("sigmoid_rule"))
def sigmoid_vjp(grad: Any, out: Any, self_tail: Any) -> Any:
    return sigmoid_backward(grad, out, self_tail)


@sigmoid.jvp("self")
def sigmoid_jvp(tangent: Any, self: Any, out: Any) -> Any:
    return sigmoid_backward(tangent, conjugate(out), conjugate(self.detach()))


@backward_card(layout="reversed", dtypes=REALS, node="ThresholdBackwardBackward0", native=native("relu_backward"))
def relu_backward(grad: Array, result: Array) -> Any:
    """`grad` where `result` is positive or NaN, else 0."""
    return kernels.relu_backward(grad, result)


@relu_backward.vjp("grad")
def relu_backward_vjp_grad(grad_output: Any, result: Any) -> Any:
    return relu_backward(grad_output, result)


@relu_backward.vjp("result")
def relu_backward_vjp_result(grad_output: Any) -> Any:
    return grad_output.new_zeros(grad_output.shape)


@single(dtypes=REALS | INTEGERS, explained=COMPLEXES | BOOLS, native=native("relu"))
def relu(self: Array, *, out: Any = None) -> Any:
    """The larger of `self` and 0, element by element; NaN stays NaN.

    Args:
        self: real tensor.

    Raises:
        RuntimeError: if `self` is bool or complex.

    Derivative:
        0 at 0.

    Examples:
        >>> import wengert as wg
        >>> wg.relu(wg.tensor([-1.0, 0.0, 2.0]))
        tensor([0., 0., 2.])
    """
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if self.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return kernels.relu(self, out=out)


@relu.vjp("self", native=native("relu_backward"))
def relu_vjp(grad: Any, out: Any) -> Any:
    return relu_backward(grad, out)


@relu.samples
def relu_samples(make: Any) -> Any:
    yield from nonzero_tensor(make)
    yield Sample(make(8, kind="special"))


@backward_card(dtypes=FLOATS, native=native("silu_backward"))
def silu_backward(grad: Array, self: Array) -> Any:
    """grad * conj(s * (1 + self * (1 - s))) with s = sigmoid(self), the derivative of silu."""
    return kernels.silu_backward(grad, self)


@silu_backward.vjp("grad")
def silu_backward_vjp_grad(grad_output: Any, self: Any) -> Any:
    return silu_backward(grad_output, conjugate(self))


@silu_backward.vjp("self")
def silu_backward_vjp_self(grad_output: Any, grad: Any, self: Any) -> Any:
    value = conjugate(self)
    gate, rest = value.sigmoid(), (-value).sigmoid()
    bend = gate * rest * (value * (rest - gate) + 2)
    return conjugate(grad_output) * grad * bend


silu_backward.jvp("self")(silu_backward_vjp_self)  # a function of the conjugate


@floating(dtypes=FLOATS, native=native("silu"))
def silu(self: Array, *, out: Any = None) -> Any:
    """self * sigmoid(self), element by element: the sigmoid linear unit, or swish.

    Args:
        self: floating-point or complex tensor.
    """
    return kernels.silu(self, out=out)


@silu.vjp("self", native=native("silu_backward"))
def silu_vjp(grad: Any, self: Any) -> Any:
    if not current().grad:
        return silu_backward(grad, self)
    return grad * conjugate(self.sigmoid()) * conjugate(1 + self * (-self).sigmoid())


TANH_SCALE = math.sqrt(2 / math.pi)
TANH_CUBIC = 0.044715
NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)


@backward_card(dtypes=REALS, native=native("gelu_backward"))
def gelu_backward(grad: Array, self: Array, approximate: str = "none") -> Any:
    """`grad` times the derivative of gelu at `self`."""
    return kernels.gelu_backward(grad, self, approximate)


@gelu_backward.vjp("grad")
def gelu_backward_vjp_grad(grad_output: Any, self: Any, approximate: str) -> Any:
    return gelu_backward(grad_output, self, approximate)


@gelu_backward.vjp("self")
def gelu_backward_vjp_self(grad_output: Any, grad: Any, self: Any, approximate: str) -> Any:
    return grad_output * grad * gelu_second_derivative(self, approximate)


def gelu_second_derivative(self: Any, approximate: str) -> Any:
    """The second derivative of gelu.

    For the exact form x Phi(x) it is phi(x) (2 - x^2); for x (1 + tanh u) / 2 with u = k (x + c x^3) it follows by the
    chain rule.
    """
    square = self * self
    if approximate == "none":
        return (square * -0.5).exp() * NORMAL_PEAK * (2 - square)
    twice = (square * TANH_CUBIC + 1) * self * (2 * TANH_SCALE)
    share, rest = twice.sigmoid(), (-twice).sigmoid()
    first = (square * (3 * TANH_CUBIC) + 1) * TANH_SCALE
    second = self * (6 * TANH_CUBIC * TANH_SCALE)
    return share * rest * (first * 4 + self * 2 * (second - (share - rest) * first * first * 2))


@gelu_backward.samples
def gelu_backward_samples(make: Any) -> Any:
    for approximate in ("none", "tanh"):
        yield Sample(make(3, 4), make(3, 4), approximate)
        yield Sample(make(0, 2), make(0, 2), approximate)


@floating(native=native("gelu"), out=Out(words=FOUND), kernel="GeluKernelImpl")
def gelu(self: Array, *, approximate: str = "none", out: Any = None) -> Any:
    """`self` times the normal distribution function at `self`, element by element: the Gaussian error linear unit.

    Args:
        approximate: "none" for the exact form, "tanh" for the approximation by tanh.

    Raises:
        RuntimeError: if `approximate` is neither "none" nor "tanh".

    Source:
        Hendrycks and Gimpel, Gaussian error linear units, 2016.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.gelu(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return kernels.gelu(self, approximate, out=out)


@gelu.vjp("self", native=native("gelu_backward"))
def gelu_vjp(grad: Any, self: Any, approximate: str) -> Any:
    return gelu_backward(grad, self, approximate)


@gelu.samples
def gelu_samples(make: Any) -> Any:
    yield from any_tensor(make)
    yield Sample(make(3, 4), approximate="tanh")
    yield Bad(make(2), approximate="exact", raises=RuntimeError, says="must be either none or tanh")


@backward_card(dtypes=REALS, native=native("hardswish_backward"))
def hardswish_backward(grad: Array, self: Array) -> Any:
    """`grad` times the derivative of hardswish at `self`."""
    inner = grad * (self / self.dtype.type(3) + self.dtype.type(0.5))
    return np.where(self <= -3, grad.dtype.type(0), np.where(self >= 3, grad, inner))


@hardswish_backward.vjp("grad")
def hardswish_backward_vjp_grad(grad_output: Any, self: Any) -> Any:
    return hardswish_backward(grad_output, self)


@hardswish_backward.vjp("self")
def hardswish_backward_vjp_self(grad_output: Any, grad: Any, self: Any) -> Any:
    return kept_gradient(grad_output * grad / 3, (self > -3) & (self < 3))
