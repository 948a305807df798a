"""Bessel and Airy functions."""

from __future__ import annotations

import functools
import math
from functools import partial
from typing import Any

from ..._core.cards.card import REALS, Array, Sample, pointwise
from ..._kernels.activation import narrowed, widened
from ..._kernels.special import (
    airy_ai as kernel_airy_ai,
    modified_bessel as kernel_modified,
    special,
    spherical_bessel_j0 as kernel_spherical,
)
from .binary import native
from .gamma import of_reals
from .normal import SQRT_TWO_PI, of_special
from .power import any_tensor
from .series import polynomial_at
from .unary import positive_tensor

_IN_PACKAGE = ("i0_",)


@of_reals(samples=any_tensor, native=native("i0"), kernel="i0_vml_cpu")
def i0(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the first kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.i0(wg.tensor([0.0, 1.0, 2.0]))
        tensor([1.0000, 1.2661, 2.2796])
    """
    return special("i0", self, out=out)


@i0.vjp("self")
def i0_vjp(grad: Any, self: Any) -> Any:
    return grad * i1(self)


@pointwise(promote="float", dtypes=REALS, numbers=False, name="_modified_bessel", public="hidden")
def modified_bessel(self: Array, order: int, scaled: bool, *, out: Any = None) -> Any:
    """Modified Bessel function of the first kind, of an integer order from 2 on, or exp(-|self|) times it.

    Derivatives of orders 0 and 1 consist of these: I_n' = (I_(n-1) + I_(n+1)) / 2, without cancellation.

    Source:
        Abramowitz and Stegun, Handbook of mathematical functions, 9.6.26.
    """
    return narrowed(kernel_modified(widened(self), order, scaled), self, out)


def of_order(self: Any, order: int, scaled: bool) -> Any:
    """The function of any integer order, negative ones included."""
    if order > 1:
        return modified_bessel(self, order, scaled)
    return ((i0e if scaled else i0), (i1e if scaled else i1))[abs(order)](self)


def bessel_derivative(self: Any, order: int) -> Any:
    """Derivative of a modified Bessel function."""
    if order == 0:
        return i1(self)
    return (of_order(self, order - 1, False) + of_order(self, order + 1, False)) / 2


def scaled_bessel_derivative(self: Any, out: Any, order: int) -> Any:
    """Derivative of a scaled modified Bessel function far from 0, a small difference, by Hankel's expansion.

    Source:
        Abramowitz and Stegun, Handbook of mathematical functions, 9.7.1.
    """
    far = self.abs() > FAR * (1 + order * order)
    size = self.abs().where(far, 1)
    inverse = size.reciprocal()
    terms = [-(k + 0.5) * term / SQRT_TWO_PI for k, term in enumerate(hankel_terms(order))]
    tail = inverse.sqrt() * inverse * polynomial_at(inverse, terms)
    tail = tail if order % 2 else tail * self.sgn()
    if order == 0:
        mixed = i1e(self)
    else:
        mixed = (of_order(self, order - 1, True) + of_order(self, order + 1, True)) / 2
    return tail.where(far, mixed - self.sgn() * out)


FAR = 25.0
"""Argument from which, for order 0, the omitted terms are below the rounding of float64."""


@functools.cache
def hankel_terms(order: int) -> tuple[float, ...]:
    """Coefficients of the powers of 1 / x in sqrt(2 pi x) e^-x I_n(x)."""
    terms = [1.0]
    for k in range(1, 16):
        terms.append(-terms[-1] * (4 * order * order - (2 * k - 1) ** 2) / (8 * k))
    return tuple(terms)


@modified_bessel.vjp("self")
def modified_bessel_vjp(grad: Any, self: Any, order: int, scaled: bool, out: Any) -> Any:
    return grad * (scaled_bessel_derivative(self, out, order) if scaled else bessel_derivative(self, order))


@modified_bessel.samples
def modified_bessel_samples(make: Any) -> Any:
    for order in (2, 3):
        yield Sample(make(3, 4), order, False)
        yield Sample(make(3, 4, kind="nonzero"), order, True)
    yield Sample(make(0, 2), 2, False)


@of_special(name="special_i1", samples=any_tensor, native=native("i1"))
def i1(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the first kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.i1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.2579, 0.5652, 1.5906])
    """
    return special("i1", self, out=out)


@i1.vjp("self")
def i1_vjp(grad: Any, self: Any) -> Any:
    return grad * bessel_derivative(self, 1)


@of_special(name="special_i0e", node="SpecialI0EBackward0", samples=any_tensor, native=native("i0e"))
def i0e(self: Array, *, out: Any = None) -> Any:
    """exp(-|self|) times the modified Bessel function of the first kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.i0e(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.6450, 0.4658, 0.3085])
    """
    return special("i0e", self, out=out)


@i0e.vjp("self")
def i0e_vjp(grad: Any, self: Any, out: Any) -> Any:
    return grad * scaled_bessel_derivative(self, out, 0)


@of_special(name="special_i1e", node="SpecialI1EBackward0", samples=any_tensor, native=native("i1e"))
def i1e(self: Array, *, out: Any = None) -> Any:
    """exp(-|self|) times the modified Bessel function of the first kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.i1e(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.1564, 0.2079, 0.2153])
    """
    return special("i1e", self, out=out)


@i1e.vjp("self")
def i1e_vjp(grad: Any, self: Any, out: Any) -> Any:
    return grad * scaled_bessel_derivative(self, out, 1).where(self == self, 0.5)  # for NaN, as in torch


of_bessel = partial(
    of_special,
    samples=any_tensor,
    describes="""
    Args:
        self: real tensor; integers become the default dtype.
        x: real tensor; integers become the default dtype.

    Returns:
        A new tensor of the same shape.

    Raises:
        NotImplementedError: if the tensor is complex.
    """,
)
"""Card decorator for a function without a derivative in torch."""
of_positive = partial(of_bessel, samples=positive_tensor)
"""Card decorator for a function without a derivative in torch that is NaN for negative numbers, and infinite at 0."""


@of_bessel(name="special_bessel_j0", native=native("j0"))
def bessel_j0(self: Array, *, out: Any = None) -> Any:
    """Bessel function of the first kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.bessel_j0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.9385, 0.7652, 0.2239])
    """
    return special("j0", self, out=out)


@bessel_j0.vjp("self")
def bessel_j0_vjp(grad: Any, self: Any) -> Any:
    return grad * -bessel_j1(self)


@of_bessel(name="special_bessel_j1", native=native("j1"))
def bessel_j1(self: Array, *, out: Any = None) -> Any:
    """Bessel function of the first kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.bessel_j1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.2423, 0.4401, 0.5767])
    """
    return special("j1", self, out=out)


@bessel_j1.vjp("self")
def bessel_j1_vjp(grad: Any, self: Any, out: Any) -> Any:
    near = self.abs() < 1
    quotient = out / self.where(~near, 1)
    series = polynomial_at(self.where(near, 0).square(), J1_QUOTIENT)
    return grad * (bessel_j0(self) - series.where(near, quotient))


J1_QUOTIENT = [(-0.25) ** k / (2 * math.factorial(k) * math.factorial(k + 1)) for k in range(14)]
"""The coefficients of the powers of x**2 in J1(x) / x.

Source:
    Abramowitz and Stegun, Handbook of mathematical functions, 9.1.10.
"""


@of_positive(name="special_bessel_y0", native=native("y0"))
def bessel_y0(self: Array, *, out: Any = None) -> Any:
    """Bessel function of the second kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.bessel_y0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([-0.4445,  0.0883,  0.5104])
    """
    return special("y0", self, out=out)


@bessel_y0.vjp("self")
def bessel_y0_vjp(grad: Any, self: Any) -> Any:
    return grad * -bessel_y1(self)


@of_positive(name="special_bessel_y1", native=native("y1"))
def bessel_y1(self: Array, *, out: Any = None) -> Any:
    """Bessel function of the second kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.bessel_y1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([-1.4715, -0.7812, -0.1070])
    """
    return special("y1", self, out=out)


@bessel_y1.vjp("self")
def bessel_y1_vjp(grad: Any, self: Any, out: Any) -> Any:
    return grad * (bessel_y0(self) - out / self).where(self != 0, float("inf"))


@of_bessel(name="special_modified_bessel_i0", native=native("i0"))
def modified_bessel_i0(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the first kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.modified_bessel_i0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([1.0635, 1.2661, 2.2796])
    """
    return special("i0", self, out=out)


@modified_bessel_i0.vjp("self")
def modified_bessel_i0_vjp(grad: Any, self: Any) -> Any:
    return grad * modified_bessel_i1(self)


@of_bessel(name="special_modified_bessel_i1", native=native("i1"))
def modified_bessel_i1(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the first kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.modified_bessel_i1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.2579, 0.5652, 1.5906])
    """
    return special("i1", self, out=out)


modified_bessel_i1.vjp("self")(i1_vjp)


@of_positive(name="special_modified_bessel_k0", native=native("k0"))
def modified_bessel_k0(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the second kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.modified_bessel_k0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.9244, 0.4210, 0.1139])
    """
    return special("k0", self, out=out)


@modified_bessel_k0.vjp("self")
def modified_bessel_k0_vjp(grad: Any, self: Any) -> Any:
    return grad * -modified_bessel_k1(self)


@of_positive(name="special_modified_bessel_k1", native=native("k1"))
def modified_bessel_k1(self: Array, *, out: Any = None) -> Any:
    """Modified Bessel function of the second kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.modified_bessel_k1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([1.6564, 0.6019, 0.1399])
    """
    return special("k1", self, out=out)


@modified_bessel_k1.vjp("self")
def modified_bessel_k1_vjp(grad: Any, self: Any, out: Any) -> Any:
    return grad * -(modified_bessel_k0(self) + out / self)


@of_positive(name="special_scaled_modified_bessel_k0", native=native("k0e"))
def scaled_modified_bessel_k0(x: Array, *, out: Any = None) -> Any:
    """exp(x) times the modified Bessel function of the second kind, of order 0, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.scaled_modified_bessel_k0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([1.5241, 1.1445, 0.8416])
    """
    return special("k0e", x, out=out)


@scaled_modified_bessel_k0.vjp("x")
def scaled_modified_bessel_k0_vjp(grad: Any, x: Any, out: Any) -> Any:
    return grad * (out - scaled_modified_bessel_k1(x)).where(x != 0, float("-inf"))


@of_positive(name="special_scaled_modified_bessel_k1", native=native("k1e"))
def scaled_modified_bessel_k1(x: Array, *, out: Any = None) -> Any:
    """exp(x) times the modified Bessel function of the second kind, of order 1, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.scaled_modified_bessel_k1(wg.tensor([0.5, 1.0, 2.0]))
        tensor([2.7310, 1.6362, 1.0335])
    """
    return special("k1e", x, out=out)


@scaled_modified_bessel_k1.vjp("x")
def scaled_modified_bessel_k1_vjp(grad: Any, x: Any, out: Any) -> Any:
    return grad * (out - scaled_modified_bessel_k0(x) - out / x).where(x != 0, float("-inf"))


@of_bessel(name="special_spherical_bessel_j0")
def spherical_bessel_j0(x: Array, *, out: Any = None) -> Any:
    """Spherical Bessel function of the first kind, of order 0, element by element: sin(x) / x.

    Examples:
        >>> import wengert as wg
        >>> wg.special.spherical_bessel_j0(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.9589, 0.8415, 0.4546])
    """
    return kernel_spherical(x, out=out)


RATIOS = (304, 238, 180, 130, 88, 54, 28, 10)
"""Factors between terms in the series of the derivative of sin(x) / x, the last one first: -x^2 divided by these."""


@spherical_bessel_j0.vjp("x")
def spherical_bessel_j0_vjp(grad: Any, x: Any) -> Any:
    near = x.abs() < 1
    small = x.where(near, 0)
    series, square = small.new_ones(()), small * small
    for ratio in RATIOS:
        series = 1 - square * series / ratio
    large = x.where(near.logical_or(x.isinf()).logical_not(), 1)
    quotient = ((large.cos() - large.sin() / large) / large).where(x.isinf().logical_not(), 0)
    return grad * (small * series / -3).where(near, quotient)


@of_bessel(name="special_airy_ai")
def airy_ai(x: Array, *, out: Any = None) -> Any:
    """Airy function Ai, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.special.airy_ai(wg.tensor([0.5, 1.0, 2.0]))
        tensor([0.2317, 0.1353, 0.0349])
    """
    return kernel_airy_ai(x, out=out)


@airy_ai.vjp("x")
def airy_ai_vjp(grad: Any, x: Any) -> Any:
    return grad * airy_ai_derivative(x)


@of_bessel(name="_airy_ai_derivative")
def airy_ai_derivative(x: Array, *, out: Any = None) -> Any:
    """The derivative of the Airy function Ai, element by element."""
    return kernel_airy_ai(x, out=out, derivative=True)


@airy_ai_derivative.vjp("x")
def airy_ai_derivative_vjp(grad: Any, x: Any) -> Any:
    return grad * (x * airy_ai(x))
