"""Trigonometric and hyperbolic functions, their inverses, and the angle of a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, Bad, InPlace, Sample, alias, pointwise
from ..._core.recording.recorded import conjugate
from ..._core.state.modes import current
from .binary import FLOATING, as_number, tensor_pairs
from .pairs import hypot
from .unary import function, native

_IN_PACKAGE = (
    "acos_",
    "acosh_",
    "arccos_",
    "arccosh_",
    "arcsin_",
    "arcsinh_",
    "arctan_",
    "arctanh_",
    "asin_",
    "asinh_",
    "atan_",
    "atanh_",
    "cos_",
    "cosh_",
    "sin_",
    "sinh_",
    "tan_",
)


def unit_tensor(make: Any) -> Any:
    """Samples of a function defined for reals between -1 and 1."""
    if make.dtype.category >= 2:
        yield Sample(make(3, 4, kind="unit"))
        yield Sample(make(2, low=-0.95, high=-0.05))
        yield Sample(make(kind="unit"))
    yield Sample(make(0, 2))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


def above_one(make: Any) -> Any:
    """Samples of a function of reals above 1."""
    yield Sample(make(3, 4, low=1.5, high=4))
    yield Sample(make(low=1.5, high=4))
    yield Sample(make(0, 2))


@function(native=native("sin"))
def sin(self: Array, *, out: Any = None) -> Any:
    """Sine of `self` (in radians), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.sin(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.4794, 0.8415])
    """
    return kernels.sin(self, out=out)


sin.partials(self=lambda self: self.cos(), native=native("sin_rule"))


@function(native=native("cos"))
def cos(self: Array, *, out: Any = None) -> Any:
    """Cosine of `self` (in radians), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.cos(wg.tensor([0.0, 0.5, 1.0]))
        tensor([1.0000, 0.8776, 0.5403])
    """
    return kernels.cos(self, out=out)


cos.partials(self=lambda self: -self.sin(), native=native("cos_rule"))


@function(native=native("tan"))
def tan(self: Array, *, out: Any = None) -> Any:
    """Tangent of `self` (in radians), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.tan(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.5463, 1.5574])
    """
    return kernels.tan(self, out=out)


tan.partials(self=lambda out: out * out + 1, native=native("tan_rule"))


def one_minus_square(self: Any) -> Any:
    """1 - self**2; for a complex number on a branch cut, on the side of the number.

    Subtracting a zero from one with a sign keeps that sign, while a sum of zeros, or 0 minus one, is positive. For
    reals at
    1 and -1 the difference must be +0: the derivative there is infinite, and never negative.
    """
    return -(self * self - 1) if self.dtype.is_complex else 1 - self * self


@function(native=native("arcsin"), inplace=InPlace(by_result=True))
def asin(self: Array, *, out: Any = None) -> Any:
    """Arc sine of `self` in radians, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.asin(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.5236, 1.5708])
    """
    return np.arcsin(self, out=out)


asin.partials(self=lambda self: one_minus_square(self).rsqrt())
asin.samples(unit_tensor)


@function(native=native("arccos"), inplace=InPlace(by_result=True))
def acos(self: Array, *, out: Any = None) -> Any:
    """Arc cosine of `self` in radians, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.acos(wg.tensor([0.0, 0.5, 1.0]))
        tensor([1.5708, 1.0472, 0.0000])
    """
    return np.arccos(self, out=out)


acos.partials(self=lambda self: -one_minus_square(self).rsqrt())
acos.samples(unit_tensor)


@function(native=native("arctan"), inplace=InPlace(by_result=True))
def atan(self: Array, *, out: Any = None) -> Any:
    """Arc tangent of `self` in radians, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.atan(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.4636, 0.7854])
    """
    return np.arctan(self, out=out)


atan.partials(self=lambda self: (self * self + 1).reciprocal())


@atan.vjp("self")
def atan_vjp(grad: Any, self: Any) -> Any:
    if current().grad and not self.dtype.is_complex:  # by the root of the square, which may be too large as a divisor
        root = asinh_derivative(self)
        return grad * root * root
    return grad / conjugate(self * self + 1)


@function(native=native("sinh"))
def sinh(self: Array, *, out: Any = None) -> Any:
    """Hyperbolic sine of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.sinh(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.5211, 1.1752])
    """
    return kernels.sinh(self, out=out)


sinh.partials(self=lambda self: self.cosh(), native=native("sinh_rule"))


@function(native=native("cosh"))
def cosh(self: Array, *, out: Any = None) -> Any:
    """Hyperbolic cosine of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.cosh(wg.tensor([0.0, 0.5, 1.0]))
        tensor([1.0000, 1.1276, 1.5431])
    """
    return kernels.cosh(self, out=out)


cosh.partials(self=lambda self: self.sinh(), native=native("cosh_rule"))


@function(inplace=InPlace(by_result=True, renamed=True), native=native("arcsinh"))
def asinh(self: Array, *, out: Any = None) -> Any:
    """Inverse hyperbolic sine of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.asinh(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.4812, 0.8814])
    """
    return np.arcsinh(self, out=out)


asinh.partials(self=lambda self: asinh_derivative(self))


def asinh_derivative(self: Any) -> Any:
    """Derivative of asinh, for real numbers without a square that may be too large."""
    if self.dtype.is_complex:
        return (self * self - (-1)).rsqrt()  # + 1 would lose the side of a branch cut, see `acosh_derivative`
    return hypot(self, self.new_ones(())).reciprocal()


@function(inplace=InPlace(by_result=True, renamed=True), native=native("arccosh"))
def acosh(self: Array, *, out: Any = None) -> Any:
    """Inverse hyperbolic cosine of `self`, element by element; NaN below 1.

    Examples:
        >>> import wengert as wg
        >>> wg.acosh(wg.tensor([1.0, 1.5, 2.0]))
        tensor([0.0000, 0.9624, 1.3170])
    """
    return np.arccosh(self, out=out)


acosh.partials(self=lambda self: acosh_derivative(self))


def acosh_derivative(self: Any) -> Any:
    """Derivative of acosh; for complex numbers in the form with the right branch."""
    size = self if self.dtype.is_complex else self.abs()  # for both signs, as in torch
    return (size - 1).rsqrt() * (size - (-1)).rsqrt()


acosh.samples(above_one)


@function(inplace=InPlace(by_result=True, renamed=True), native=native("arctanh"))
def atanh(self: Array, *, out: Any = None) -> Any:
    """Inverse hyperbolic tangent of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.atanh(wg.tensor([0.0, 0.5, 0.9]))
        tensor([0.0000, 0.5493, 1.4722])
    """
    return np.arctanh(self, out=out)


@atanh.vjp("self")
def atanh_vjp(grad: Any, self: Any) -> Any:
    return grad / conjugate(one_minus_square(self))


atanh.samples(unit_tensor)


@pointwise(promote="float", dtypes=REALS, numbers=False, inplace=True, native=native("arctan2"), describes=FLOATING)
def atan2(self: Array, other: Array, *, out: Any = None) -> Any:
    """Angle in radians, between -pi and pi, of the point (other, self) in the plane, element by element.

    Args:
        self: real tensor, the ordinate.
        other: real tensor that broadcasts with `self`, the abscissa.

    Examples:
        >>> import wengert as wg
        >>> wg.atan2(wg.tensor([1.0, -1.0]), wg.tensor([1.0, -1.0]))
        tensor([ 0.7854, -2.3562])
    """
    return kernels.arctan2(self, other, out=out)


def over_square(part: Any, self: Any, other: Any) -> Any:
    """`part` over the squared distance from the origin, of which only the root is computed; 0 at the origin."""
    origin = (self == 0) & (other == 0)
    distance = hypot(self.where(~origin, 1), other)
    return ((part / distance) / distance).masked_fill(origin, 0)


atan2.partials(
    self=lambda self, other: over_square(as_number(other), self, other),
    other=lambda self, other: over_square(-as_number(self), self, other),
)
atan2.samples(tensor_pairs)


alias("arcsin", asin)
alias("arccos", acos)
alias("arctan", atan)
alias("arcsinh", asinh)
alias("arccosh", acosh)
alias("arctanh", atanh)
alias("arctan2", atan2)
