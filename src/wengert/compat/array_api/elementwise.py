"""Elementwise functions of `wengert.array_api`."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE
from .operands import binary, on_arrays, promoted, unary

Operand: TypeAlias = Tensor | bool | int | float | complex
NEAR_ZERO = 40.0
"""Limit beyond which subtracting 1 changes no digit of the exponential function."""


def abs(x: Tensor, /) -> Tensor:
    """Absolute values, or magnitudes of complex numbers."""
    return unary(wg.abs, np.absolute, x)


def acos(x: Tensor, /) -> Tensor:
    """Inverse cosines."""
    return wg.acos(x)


def acosh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic cosines."""
    return wg.acosh(x)


def add(x1: Operand, x2: Operand, /) -> Tensor:
    """Sums."""
    return binary(wg.add, np.add, x1, x2)


def asin(x: Tensor, /) -> Tensor:
    """Inverse sines."""
    return wg.asin(x)


def asinh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic sines."""
    return wg.asinh(x)


def atan(x: Tensor, /) -> Tensor:
    """Inverse tangents."""
    return wg.atan(x)


def atan2(x1: Operand, x2: Operand, /) -> Tensor:
    """Angles of the points (`x2`, `x1`)."""
    return binary(wg.atan2, np.arctan2, x1, x2)


def atanh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic tangents."""
    return wg.atanh(x)


def bitwise_and(x1: Operand, x2: Operand, /) -> Tensor:
    """Bitwise and."""
    return binary(wg.bitwise_and, np.bitwise_and, x1, x2)


def bitwise_invert(x: Tensor, /) -> Tensor:
    """Bitwise inversion of integers; logical not of booleans."""
    return unary(wg.bitwise_not, np.invert, x)


def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """Integers with their bits shifted to the left."""
    return binary(wg.bitwise_left_shift, np.left_shift, x1, x2)


def bitwise_or(x1: Operand, x2: Operand, /) -> Tensor:
    """Bitwise or."""
    return binary(wg.bitwise_or, np.bitwise_or, x1, x2)


def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """Integers with their bits shifted to the right."""
    return binary(wg.bitwise_right_shift, np.right_shift, x1, x2)


def bitwise_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """Bitwise exclusive or."""
    return binary(wg.bitwise_xor, np.bitwise_xor, x1, x2)


def ceil(x: Tensor, /) -> Tensor:
    """Elements rounded up."""
    return unary(wg.ceil, np.positive, x)


def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Elements limited to an interval, in the dtype of `x`.

    Args:
        min: the lower bound, a number or an array that broadcasts with `x`; None for no bound.
        max: the upper bound.
    """
    if min is None and max is None:
        return x.clone()
    bounds = (bound for bound in (min, max) if bound is not None)
    value, *limits = promoted("clip", x, *bounds)
    lower = None if min is None else limits[0]
    upper = None if max is None else limits[-1]
    result = on_arrays(np.clip, value, lower, upper) if value.dtype in WIDE else wg.clamp(value, lower, upper)
    return result.to(x.dtype)


def conj(x: Tensor, /) -> Tensor:
    """Complex conjugates."""
    return wg.conj_physical(x)


def copysign(x1: Operand, x2: Operand, /) -> Tensor:
    """Magnitudes of `x1` with the signs of `x2`."""
    return binary(wg.copysign, np.copysign, x1, x2)


def cos(x: Tensor, /) -> Tensor:
    """Cosines."""
    return wg.cos(x)


def cosh(x: Tensor, /) -> Tensor:
    """Hyperbolic cosines."""
    return wg.cosh(x)


def divide(x1: Operand, x2: Operand, /) -> Tensor:
    """Quotients."""
    return binary(wg.divide, np.divide, x1, x2)


def equal(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements are equal."""
    return binary(wg.eq, np.equal, x1, x2)


def exp(x: Tensor, /) -> Tensor:
    """Exponential function."""
    return wg.exp(x)


def expm1(x: Tensor, /) -> Tensor:
    """Exponential function minus 1, accurate for small `x`."""
    if not x.is_complex():
        return wg.expm1(x)
    # The form that is accurate near zero returns NaN at infinity and where a part overflows; use exp(x) - 1 there.
    near = wg.real(x).abs() < NEAR_ZERO
    exact = wg.expm1(wg.where(near, x, 0))
    return wg.where(near, exact, wg.exp(wg.where(near, 0, x)) - 1)


def floor(x: Tensor, /) -> Tensor:
    """Elements rounded down."""
    return unary(wg.floor, np.positive, x)


def floor_divide(x1: Operand, x2: Operand, /) -> Tensor:
    """Quotients rounded down; with an infinite operand the quotients themselves."""
    x1, x2 = promoted("floor_divide", x1, x2)
    if x1.dtype in WIDE:
        return on_arrays(np.floor_divide, x1, x2)
    result = wg.floor_divide(x1, x2)
    if not x1.is_floating_point():
        return result
    infinite = wg.isinf(x1) | wg.isinf(x2)
    return wg.where(infinite, x1.detach() / x2.detach(), result)


def greater(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements of `x1` are greater."""
    return binary(wg.greater, np.greater, x1, x2)


def greater_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements of `x1` are greater or equal."""
    return binary(wg.greater_equal, np.greater_equal, x1, x2)


def hypot(x1: Operand, x2: Operand, /) -> Tensor:
    """Square roots of the sums of squares."""
    return binary(wg.hypot, np.hypot, x1, x2)


def imag(x: Tensor, /) -> Tensor:
    """Imaginary parts; zeros for real numbers."""
    return wg.imag(x) if x.is_complex() else wg.zeros_like(x)


def isfinite(x: Tensor, /) -> Tensor:
    """True where elements are neither infinite nor NaN."""
    return wg.isfinite(x)


def isinf(x: Tensor, /) -> Tensor:
    """True where elements are infinite."""
    return wg.isinf(x)


def isnan(x: Tensor, /) -> Tensor:
    """True where elements are NaN."""
    return wg.isnan(x)


def less(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements of `x1` are less."""
    return binary(wg.less, np.less, x1, x2)


def less_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements of `x1` are less or equal."""
    return binary(wg.less_equal, np.less_equal, x1, x2)


def log(x: Tensor, /) -> Tensor:
    """Natural logarithms."""
    return wg.log(x)


def log10(x: Tensor, /) -> Tensor:
    """Logarithms to base 10."""
    return wg.log10(x)


def log1p(x: Tensor, /) -> Tensor:
    """Natural logarithms of 1 + `x`, accurate for small `x`."""
    return wg.log1p(x)


def log2(x: Tensor, /) -> Tensor:
    """Logarithms to base 2."""
    return wg.log2(x)


def logaddexp(x1: Operand, x2: Operand, /) -> Tensor:
    """Logarithms of the sums of exponentials."""
    return binary(wg.logaddexp, np.logaddexp, x1, x2)


def logical_and(x1: Operand, x2: Operand, /) -> Tensor:
    """True where both elements are true."""
    return binary(wg.logical_and, np.logical_and, x1, x2)


def logical_not(x: Tensor, /) -> Tensor:
    """True where elements are false."""
    return wg.logical_not(x)


def logical_or(x1: Operand, x2: Operand, /) -> Tensor:
    """True where at least one of both elements is true."""
    return binary(wg.logical_or, np.logical_or, x1, x2)


def logical_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """True where exactly one of both elements is true."""
    return binary(wg.logical_xor, np.logical_xor, x1, x2)


def maximum(x1: Operand, x2: Operand, /) -> Tensor:
    """The larger elements; NaN if one is NaN."""
    return binary(wg.maximum, np.maximum, x1, x2)


def minimum(x1: Operand, x2: Operand, /) -> Tensor:
    """The smaller elements; NaN if one is NaN."""
    return binary(wg.minimum, np.minimum, x1, x2)


def multiply(x1: Operand, x2: Operand, /) -> Tensor:
    """Products."""
    return binary(wg.multiply, np.multiply, x1, x2)


def negative(x: Tensor, /) -> Tensor:
    """Elements with the opposite sign."""
    return unary(wg.negative, np.negative, x)


def nextafter(x1: Operand, x2: Operand, /) -> Tensor:
    """The next numbers after `x1` towards `x2`."""
    return binary(wg.nextafter, np.nextafter, x1, x2)


def not_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """True where elements differ."""
    return binary(wg.not_equal, np.not_equal, x1, x2)


def positive(x: Tensor, /) -> Tensor:
    """The elements themselves."""
    return wg.positive(x)


def pow(x1: Operand, x2: Operand, /) -> Tensor:
    """Powers."""
    return binary(wg.pow, np.power, x1, x2)


def real(x: Tensor, /) -> Tensor:
    """Real parts."""
    return wg.real(x)


def reciprocal(x: Tensor, /) -> Tensor:
    """1 / `x`."""
    return wg.reciprocal(x)


def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """Remainders of the division, with the sign of `x2`."""
    return binary(wg.remainder, np.remainder, x1, x2)


def round(x: Tensor, /) -> Tensor:
    """Elements rounded to the nearest integers, halves to even; both parts of complex numbers."""
    if x.is_complex():
        return wg.complex(wg.round(wg.real(x)), wg.round(wg.imag(x)))
    return unary(wg.round, np.positive, x)


def sign(x: Tensor, /) -> Tensor:
    """Signs: -1, 0 or 1; complex numbers divided by their magnitudes; NaN stays NaN."""
    if x.is_complex():
        return wg.where(wg.isnan(x), complex(math.nan, math.nan), wg.sgn(x))
    if x.is_floating_point():
        return wg.where(wg.isnan(x), math.nan, wg.sign(x))
    return unary(wg.sign, np.sign, x)


def signbit(x: Tensor, /) -> Tensor:
    """True where the sign bit is set."""
    return wg.signbit(x)


def sin(x: Tensor, /) -> Tensor:
    """Sines."""
    return wg.sin(x)


def sinh(x: Tensor, /) -> Tensor:
    """Hyperbolic sines."""
    return wg.sinh(x)


def sqrt(x: Tensor, /) -> Tensor:
    """Square roots."""
    return wg.sqrt(x)


def square(x: Tensor, /) -> Tensor:
    """Squares."""
    return unary(wg.square, np.square, x)


def subtract(x1: Operand, x2: Operand, /) -> Tensor:
    """Differences."""
    return binary(wg.subtract, np.subtract, x1, x2)


def tan(x: Tensor, /) -> Tensor:
    """Tangents."""
    return wg.tan(x)


def tanh(x: Tensor, /) -> Tensor:
    """Hyperbolic tangents."""
    return wg.tanh(x)


def trunc(x: Tensor, /) -> Tensor:
    """Elements rounded towards zero."""
    return unary(wg.trunc, np.positive, x)
