"""Smooth activation functions, and the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, InPlace, Number, Out, Sample, composite
from ..._core.out_errors import FOUND, SCALAR_TYPE
from ..._kernels.activation import narrowed, widened
from ..family import describes
from .activation import floating
from .binary import check_tensor
from .power import any_tensor
from .smooth_backward import log_sigmoid_backward, softplus_backward
from .unary import function, native

_IN_PACKAGE = ("erf_", "erfc_")

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


@function(dtypes=REALS, native=native("erf"), kernel="erf_vml_cpu")
def erf(self: Array, *, out: Any = None) -> Any:
    """The error function of `self`, element by element: 2 / sqrt(pi) times the integral of exp(-t^2) from 0.

    Args:
        self: real tensor; integers become the default dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.erf(wg.tensor([-1.0, 0.0, 0.5]))
        tensor([-0.8427,  0.0000,  0.5205])
    """
    return kernels.erf(self, out=out)


erf.partials(self=lambda self: (-(self * self)).exp() * TWO_OVER_SQRT_PI)


@erf.vjp("self")
def erf_vjp(grad: Any, self: Any) -> Any:
    return (-(self * self)).exp() * TWO_OVER_SQRT_PI * grad


complement = np.frompyfunc(math.erfc, 1, 1)


@function(dtypes=REALS, native=native("erfc"), kernel="erfc_vml_cpu")
def erfc(self: Array, *, out: Any = None) -> Any:
    """1 - erf(self), element by element, accurate for large `self`.

    Args:
        self: real tensor; integers become the default dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.erfc(wg.tensor([-1.0, 0.0, 0.5]))
        tensor([1.8427, 1.0000, 0.4795])
    """
    return narrowed(np.asarray(complement(self)).astype(np.float64), self, out)


erfc.partials(self=lambda self: (-(self * self)).exp() * -TWO_OVER_SQRT_PI)


@erfc.vjp("self")
def erfc_vjp(grad: Any, self: Any) -> Any:
    return (-(self * self)).exp() * -TWO_OVER_SQRT_PI * grad


@floating(native=native("softplus"), inplace=InPlace(by_result=True), out=Out(words=FOUND))
def softplus(self: Array, beta: Number = 1.0, threshold: Number = 20.0, *, out: Any = None) -> Any:
    """log(1 + exp(beta * self)) / beta, element by element: a smooth `relu`.

    Args:
        beta: sharpness of the bend.
        threshold: the result is `self` where `beta * self` is above it.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.softplus(wg.tensor([-1.0, 0.0, 30.0]))
        tensor([ 0.3133,  0.6931, 30.0000])
    """
    wide = widened(self) * beta
    return narrowed(np.where(wide > threshold, widened(self), np.log1p(np.exp(wide)) / beta), self, out)


@softplus.vjp("self", native=native("softplus_rule"))
def softplus_vjp(grad: Any, self: Any, beta: float, threshold: float) -> Any:
    return softplus_backward(grad, self, beta, threshold)


@softplus.samples
def softplus_samples(make: Any) -> Any:
    yield from any_tensor(make)
    yield Sample(make(3, 4), 2.0, 1.0)


@floating(
    layout="rows",
    name="logsigmoid",
    node="LogSigmoidBackward0",
    out=Out(apart=None, words=SCALAR_TYPE, silent=True, writer="log_sigmoid_forward"),
    native=native("log_sigmoid"),
    inplace=InPlace(by_result=True),
    kernel="log_sigmoid_cpu",
)
def log_sigmoid(self: Array, *, out: Any = None) -> Any:
    """log(sigmoid(self)), element by element, accurate for large negative `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.logsigmoid(wg.tensor([-1.0, 0.0]))
        tensor([-1.3133, -0.6931])
    """
    wide = widened(self)
    return narrowed(np.minimum(wide, 0) - np.log1p(np.exp(-np.abs(wide))), self, out)


log_sigmoid.partials(self=lambda self: (-self).sigmoid())


@log_sigmoid.vjp("self")
def log_sigmoid_vjp(grad: Any, self: Any) -> Any:
    return log_sigmoid_backward(grad, self)


@floating(native=native("mish"), inplace=InPlace(by_result=True))
def mish(self: Array, *, out: Any = None) -> Any:
    """self * tanh(softplus(self)), element by element.

    Source:
        Misra, Mish: a self regularized non-monotonic activation function, 2020.
    """
    wide = widened(self)
    return narrowed(wide * np.tanh(np.logaddexp(wide, 0)), self, out)


@mish.vjp("self", native=native("mish_rule"))
def mish_vjp(grad: Any, self: Any) -> Any:
    above, below = self.sigmoid(), (-self).sigmoid()
    square = below * below
    share = square / (square + 1)  # the gate is 1 - 2 * share, without its digits far below 0
    gate = (1 - share * 2).where(self > 0, above * (below + 1) / (square + 1))
    return grad * (gate + self * above * share * (1 - share) * 4)


@floating(promote="float", inplace=False, name="_softsign", node="DivBackward0", public="hidden")
def softsign_of_reals(self: Array, *, out: Any = None) -> Any:
    """self / (1 + |self|), as one operator: the derivative of the quotient is a difference that cancels far from 0."""
    wide = widened(self)
    return narrowed(wide / (np.abs(wide) + 1), self, out)


@softsign_of_reals.vjp("self")
def softsign_vjp(grad: Any, self: Any) -> Any:
    inverse = (self.abs() + 1).reciprocal()
    return grad * inverse * inverse


OF_ONE = """
    Args:
        input: tensor.

    Returns:
        A new tensor of the same shape.
    """


@composite(method=False, function=False)
@describes(OF_ONE)
def softsign(input: Any) -> Any:
    """input / (1 + |input|), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.softsign(wg.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """
    check_tensor("softsign", input)
    return input / (input.abs() + 1) if input._array_.dtype.kind == "c" else softsign_of_reals(input)


@composite(method=False, function=False)
@describes(OF_ONE)
def tanhshrink(input: Any) -> Any:
    """input - tanh(input), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.tanhshrink(wg.tensor([-1.0, 3.0]))
        tensor([-0.2384,  2.0049])
    """
    check_tensor("tanhshrink", input)
    return input - input.tanh()


for card in (softsign, tanhshrink):
    card.samples(any_tensor)
