"""The normal distribution: inverse error function, distribution function, quantiles; and entropy."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import Array, Bad, Sample, composite
from ..._kernels.activation import narrowed, widened
from ..._kernels.special import special
from .binary import check_tensor, mul, native, times
from .gamma import of_reals
from .power import any_tensor
from .series import polynomial_at
from .trigonometry import unit_tensor

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)
SQRT_HALF = math.sqrt(0.5)
SQRT_TWO_PI = math.sqrt(2 * math.pi)

of_special = partial(of_reals, inplace=False, public="neither")
"""Card decorator for a function of `wengert.special` alone."""


@of_reals(samples=unit_tensor, native=native("erfinv"), kernel="erfinv_vml_cpu")
def erfinv(self: Array, *, out: Any = None) -> Any:
    """The inverse of the error function, element by element; NaN outside of -1 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.erfinv(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.4769,    inf])
    """
    inside = np.abs(self) <= 1
    if inside.all():
        return special("erfinv", self, out=out)
    result = special(
        "erfinv", np.where(inside, self, self.dtype.type(0)), out=out
    )  # SciPy reports others, which is slow
    result[~inside] = np.nan
    return result


@erfinv.vjp("self")
def erfinv_vjp(grad: Any, self: Any) -> Any:
    return (self.erfinv() ** 2).exp() * (math.sqrt(math.pi) / 2) * grad


@erfinv.jvp("self")
def erfinv_jvp(tangent: Any, out: Any) -> Any:
    return tangent * (out * out).exp() * (math.sqrt(math.pi) / 2)


@of_special(name="special_erfcx", native=native("erfcx"))
def erfcx(self: Array, *, out: Any = None) -> Any:
    """exp(self^2) * erfc(self), element by element, without overflow.

    Examples:
        >>> import wengert as wg
        >>> wg.special.erfcx(wg.tensor([0.0, 100.0]))
        tensor([1.0000, 0.0056])
    """
    return special("erfcx", self, out=out)


@erfcx.vjp("self")
def erfcx_vjp(grad: Any, self: Any, out: Any) -> Any:
    far = self > ERFCX_FAR
    inverse = self.where(far, ERFCX_FAR).reciprocal()
    tail = inverse * inverse * polynomial_at(inverse * inverse, ERFCX_TERMS)
    return grad * tail.where(far, self * out * 2 - TWO_OVER_SQRT_PI)


ERFCX_FAR = 9.0
"""Argument from which the derivative, a small difference, is its asymptotic series; omitted terms are below 1e-17."""
ERFCX_TERMS = [-TWO_OVER_SQRT_PI * math.prod(range(1, 2 * k + 2, 2)) * (-1) ** k / 2 ** (k + 1) for k in range(18)]
"""Coefficients of the powers of 1 / x^2 in x^2 times the derivative of erfcx: Abramowitz and Stegun, 7.1.23."""


def probabilities(make: Any) -> Any:
    """Samples of a function of probabilities."""
    if make.dtype.category >= 2:
        yield Sample(make(3, 4, kind="unit"))
        yield Sample(make(kind="unit"))
    yield Sample(make(0, 2))
    yield Sample(make(8, kind="special"))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


def bounded_tensor(make: Any) -> Any:
    """Samples of a function of all numbers, where it is neither 0 nor infinite in half precision."""
    yield from any_tensor(make)
    yield Sample(make(8, kind="special"))


@of_special(name="special_ndtri", samples=probabilities, native=native("ndtri"))
def ndtri(self: Array, *, out: Any = None) -> Any:
    """Quantiles of the normal distribution: values that a number is below with probability `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.special.ndtri(wg.tensor([0.5, 0.975]))
        tensor([0.0000, 1.9600])
    """
    return special("ndtri", self, out=out)


@ndtri.vjp("self")
def ndtri_vjp(grad: Any, out: Any) -> Any:
    return grad * (out * out / 2).exp() * SQRT_TWO_PI


@of_special(name="special_log_ndtr", samples=bounded_tensor, native=native("log_ndtr"))
def log_ndtr(self: Array, *, out: Any = None) -> Any:
    """Logarithm of the normal distribution function at `self`, element by element, accurate far below 0.

    Examples:
        >>> import wengert as wg
        >>> wg.special.log_ndtr(wg.tensor([0.0, -100.0]))
        tensor([-6.9315e-01, -5.0055e+03])
    """
    return special("log_ndtr", self, out=out)


@log_ndtr.vjp("self")
def log_ndtr_vjp(grad: Any, self: Any, out: Any) -> Any:
    """Density over distribution, from `erfcx` where that cannot overflow."""
    upper = self > 0
    below, above = self.where(~upper, 0), self.where(upper, 0)
    small = (above * above * -0.5 - out.where(upper, 0)).exp() / SQRT_TWO_PI
    return grad * small.where(upper, erfcx(below * -SQRT_HALF).reciprocal() * math.sqrt(2 / math.pi))


@composite(method=False, function=False, name="special_ndtr")
def ndtr(input: Any, *, out: Any = None) -> Any:
    """The normal distribution function at `input`, element by element: the probability of a number below it.

    Args:
        input: real tensor; integers become the default dtype.
        out: a tensor to write into.

    Returns:
        A new tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.special.ndtr(wg.tensor([0.0, 1.96]))
        tensor([0.5000, 0.9750])
    """
    check_tensor("special_ndtr", input)
    doubled = times(input, -SQRT_HALF).erfc()  # keeps the digits of small probabilities, which 1 + erf(x) loses
    return times(doubled, 0.5) if out is None else mul(doubled, 0.5, out=out)


ndtr.samples(any_tensor)


def entropies(make: Any) -> Any:
    """Samples of an entropy: positive numbers, and 0 and below, where the value is fixed."""
    yield Sample(make(3, 4, kind="positive"))
    yield Sample(make(kind="positive"))
    yield Sample(make(0, 2))
    yield Sample(make(8, kind="special"))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


@of_special(name="special_entr", samples=entropies, native=native("entr"))
def entr(self: Array, *, out: Any = None) -> Any:
    """-self * log(self), element by element: 0 at 0, minus infinity below 0.

    Examples:
        >>> import wengert as wg
        >>> wg.special.entr(wg.tensor([0.0, 0.5, -1.0]))
        tensor([0.0000, 0.3466,   -inf])
    """
    wide = widened(self)
    result = np.asarray(-wide * np.log(wide))
    np.copyto(result, 0, where=wide == 0)
    np.copyto(result, -np.inf, where=wide < 0)
    return narrowed(result, self, out)


@entr.vjp("self")
def entr_vjp(grad: Any, self: Any) -> Any:
    return grad * (-self.log() - 1)
