"""Normal numbers from uniform ones, and permutations from steps, digit by digit as in torch.

Source: Box and Muller, A note on the generation of random normal deviates (1958). In float32 the logarithm, sine and
cosine are the polynomials of Moshier's Cephes library (logf, sinf, cosf), as torch's loops for AVX2 form them: rounded
once for each product with a sum (`fused`). In float64 they are those of the C library.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import positions
from .results import Array, as_array

BLOCK = 16
LOGARITHM = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
LOG_2 = (-2.12194440e-4, 0.693359375)
COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)
"""Numbers whose sum is pi / 4, the first ones short: products with small integers are exact."""

single = np.float32


def normal_blocks(uniform: Array) -> Array:
    """Standard normal numbers in blocks of sixteen: eight radii, eight angles; then eight cosines, eight sines.

    Args:
        uniform: float32 or float64 vector of numbers from [0, 1), a multiple of sixteen of them.

    Returns:
        A new vector of that dtype and length.
    """
    parts = uniform.reshape(-1, 2, BLOCK // 2)
    first, angle = 1 - parts[:, 0], parts[:, 1] * uniform.dtype.type(2 * math.pi)
    if uniform.dtype == np.float64:
        radius = np.sqrt(-2 * by_library(math.log, first))
        cosine, sine = by_library(math.cos, angle), by_library(math.sin, angle)
    else:
        radius = np.sqrt(single(-2) * logarithm(first))
        cosine, sine = circle(angle)
    return as_array(np.stack([radius * cosine, radius * sine], 1).reshape(-1))


def normal_pairs(uniform: Array) -> Array:
    """Standard normal numbers two by two: the angle is the first of two uniform numbers.

    Args:
        uniform: float64 array (n, 2) of numbers from [0, 1).

    Returns:
        A new array of that shape.
    """
    radius = np.sqrt(-2 * by_library(math.log1p, -uniform[:, 1]))
    angle = 2 * math.pi * uniform[:, 0]
    return as_array(np.stack([radius * by_library(math.cos, angle), radius * by_library(math.sin, angle)], 1))


def shuffle(order: Array, steps: Array) -> Array:
    """A copy of a vector in which each element in turn is swapped with the one that is `steps` places behind it.

    Args:
        order: int64 vector.
        steps: int64 vector, one shorter; none leads beyond the end.

    Raises:
        ValueError: if the lengths do not match, or a step leads out of the vector.
    """
    ends = positions.arange(len(steps)) + steps
    if len(steps) != max(len(order) - 1, 0) or (len(steps) and (steps.min() < 0 or ends.max() >= len(order))):
        raise ValueError(
            "shuffle: expected one step for each element but the last, and none beyond the end of the vector"
        )
    result = order.tolist()
    for at, end in enumerate(ends.tolist()):
        result[at], result[end] = result[end], result[at]
    return np.array(result, np.int64)


def by_library(function: Any, x: Array) -> Array:
    """A function of the C library for each element: NumPy's own differ in the last digit."""
    return np.array([function(element) for element in x.reshape(-1).tolist()]).reshape(x.shape)


LARGE = 2.0**512


def scaled(x: Array, factor: Any, offset: Any) -> Array:
    """x * factor + offset, rounded once."""
    if factor == 1 and offset == 0:
        return x
    if factor == 1 or offset == 0:
        return x * factor + offset
    if x.dtype == np.float32:
        return fused(x, factor, offset)
    if LARGE < max(abs(factor), abs(offset)) < np.inf:  # products of their parts would overflow
        return np.asarray(fused_doubles(x, factor / LARGE, offset / LARGE) * LARGE)
    return fused_doubles(x, factor, offset)


def fused(a: Any, b: Any, c: Any) -> Array:
    """a * b + c in float32, rounded once: the product is exact in float64, and the sum there is rounded to odd."""
    return odd_sum(np.asarray(a, np.float64) * b, np.asarray(c, np.float64)).astype(single)


def odd_sum(a: Any, b: Any) -> Array:
    """a + b in float64, rounded to odd: if it is not exact, the neighbour whose last digit is odd.

    Rounding it to fewer digits is then the same as rounding the exact sum.
    """
    total = np.asarray(a + b)
    rest = missing(a, b, total)
    uneven = np.nextafter(total, np.copysign(np.inf, rest))
    return np.where((rest != 0) & (total.view(np.int64) & 1 == 0) & np.isfinite(total), uneven, total)


def fused_doubles(a: Array, b: Any, c: Any) -> Array:
    """a * b + c in float64, rounded once, from a product of two parts.

    Source: Dekker, A floating-point technique for extending the available precision (1971); Boldo and Melquiond,
    Emulation of FMA and correctly rounded sums (2008).
    """
    product = np.asarray(a * b)
    a_high, b_high = upper(a), upper(np.asarray(b))
    a_low, b_low = a - a_high, b - b_high
    lost = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    behind = np.asarray(c + lost)
    total = np.asarray(product + behind)
    return as_array(total + odd_sum(missing(c, lost, behind), missing(product, behind, total)))


def upper(x: Array) -> Array:
    """The first half of the digits."""
    large = x * 134217729.0
    return as_array(large - (large - x))


def missing(a: Any, b: Any, total: Any) -> Array:
    """Rounding error of the sum of two numbers."""
    other = total - a
    return as_array((a - (total - other)) + (b - other))


def logarithm(x: Array) -> Array:
    """log(x) of float32 numbers that are neither subnormal nor negative."""
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 127).astype(single) + single(1)
    fraction = ((bits & 0x7FFFFF) | 0x3F000000).view(single)  # from [1/2, 1)
    small = fraction < single(math.sqrt(0.5))
    exponent -= small
    x = (fraction - single(1)) + np.where(small, fraction, single(0))
    square = x * x
    y = polynomial(LOGARITHM, x) * x
    y = fused(y, square, exponent * single(LOG_2[0]))
    return fused(exponent, single(LOG_2[1]), x + (y - square * single(0.5)))


def circle(angle: Array) -> tuple[Array, Array]:
    """Cosine and sine of float32 angles from [0, 2 pi]."""
    eighths = (angle * single(4 / math.pi)).astype(np.int32)
    eighths = (eighths + 1) & ~1
    x = angle
    for part in QUARTER_PI:
        x = fused(eighths.astype(single), single(-part), x)
    square = x * x
    cosine = polynomial(COSINE, square) * square
    cosine = fused(cosine, square, square * single(-0.5)) + single(1)
    sine = fused(polynomial(SINE, square) * square, x, x)
    swapped = eighths & 2 != 0
    cosine, sine = np.where(swapped, sine, cosine), np.where(swapped, cosine, sine)
    return np.where((eighths - 2) & 4 == 0, -cosine, cosine), np.where(eighths & 4 != 0, -sine, sine)


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """The value of a polynomial, the highest power first."""
    y: Any = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        y = fused(y, x, single(coefficient))
    return as_array(y)
