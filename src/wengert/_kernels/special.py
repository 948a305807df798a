"""Special functions: SciPy's, which is loaded with the first call of one.

Arrays are real and floating; half precision computes in float32, which SciPy's functions do by themselves.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .._start.loading import load
from .results import Array, as_array, deliver


@functools.cache
def scipy_special() -> Any:
    """SciPy's module.

    Raises:
        ImportError: if SciPy is not installed.
    """
    try:
        return load("scipy.special")
    except ImportError as error:
        raise ImportError("special functions need SciPy: pip install 'wengert[full]'") from error


def special(name: str, *operands: Array | float, out: Array | None = None) -> Array:
    """One of SciPy's special functions.

    Args:
        name: what SciPy calls it.
        operands: arrays of one dtype that broadcast, and Python numbers.
        out: where to put the result.

    Returns:
        An array of the dtype of the operands.
    """
    result = as_array(ufunc(name)(*operands))
    typed: Any = operands[0] if hasattr(operands[0], "dtype") else operands[1]
    like = typed.dtype
    if result.dtype != like:
        result = result.astype(like)
    return result if out is None else deliver(result, out)


@functools.cache
def ufunc(name: str) -> Any:
    """SciPy's function of that name."""
    return getattr(scipy_special(), name)


def gammaln(x: Array, out: Array | None = None) -> Array:
    """The logarithm of the absolute value of the gamma function.

    At -inf infinite, as in C, where SciPy says -inf; of subnormal numbers -log|x|, where SciPy says infinite.
    """
    size = np.abs(x)
    tiny = (size > 0) & (size < np.finfo(x.dtype).tiny)
    result = np.where(tiny, -np.log(np.where(tiny, size, 1)), special("gammaln", x))
    return deliver(np.where(x == -np.inf, size, result), out)


def digamma(x: Array, out: Array | None = None) -> Array:
    """The derivative of the logarithm of the gamma function; NaN at negative integers.

    Source: Abramowitz and Stegun, Handbook of mathematical functions, 6.3.7 below 0: psi(1 - x) - pi / tan(pi x), where
    SciPy's function loses the digits of the distance to a pole. The tangent is taken of that distance, which is exact.
    """
    lower = x < -0.5
    if not lower.any():
        return special("psi", x, out=out)
    wide = x.astype(np.float64)
    distance = wide - np.rint(wide)
    mirrored = ufunc("psi")(np.where(lower, 1 - wide, wide))
    pole = np.pi / np.tan(np.pi * np.where(lower, distance, 1))
    result = np.where(lower, np.where(distance == 0, np.nan, mirrored - pole), mirrored)
    return deliver(result.astype(x.dtype), out)


def polygamma(order: int, x: Array) -> Array:
    """The derivative of order `order` of digamma; order 0 is digamma.

    Source: Abramowitz and Stegun, Handbook of mathematical functions, 6.4.10: (-1)^(n+1) n! zeta(n+1, x).
    """
    if order == 0:
        return digamma(x)
    library, wide = scipy_special(), x.astype(np.float64)
    sign = 1.0 if order % 2 else -1.0
    return np.asarray(sign * library.gamma(order + 1.0) * library.zeta(order + 1.0, wide)).astype(x.dtype)


def modified_bessel(x: Array, order: int, scaled: bool = False) -> Array:
    """The modified Bessel function of the first kind of an integer order, or exp(-|x|) times it.

    Source: Abramowitz and Stegun, Handbook of mathematical functions, 9.6.26 for order 2, which takes a fifth of the
    time of SciPy's where nothing is cancelled.
    """
    wide = x.astype(np.float64)
    if order == 2:
        far = np.abs(wide) > BESSEL_FAR
        safe = np.where(far, wide, 1.0)
        ends = ("i0e", "i1e") if scaled else ("i0", "i1")
        result = np.where(far, ufunc(ends[0])(safe) - 2 / safe * ufunc(ends[1])(safe), 0)
        near = np.where(far, 0, wide)
        square, total = near * near / 4, np.zeros_like(near)
        for coefficient in BESSEL_SERIES:
            total = total * square + coefficient
        total *= square
        result = np.where(far, result, total * np.exp(-np.abs(near)) if scaled else total)
    else:
        result = ufunc("ive" if scaled else "iv")(order, wide)
    return result.astype(x.dtype)


BESSEL_FAR = 4.0
"""Argument from which the recurrence loses less than two bits."""
BESSEL_SERIES = [1 / (math.factorial(k) * math.factorial(k + 2)) for k in range(20, -1, -1)]
"""The power series of order 2 over (x / 2)^2, the highest power first: the next at `BESSEL_FAR` is 4^21 / 21! 23!."""


AIRY_END = 103.9
"""Argument from which its values are 0, in float64 too, as in torch."""


def airy_ai(x: Array, out: Array | None = None, *, derivative: bool = False) -> Array:
    """Airy's function Ai, or its derivative: the first two of the four values that SciPy's function computes."""
    far = (x > AIRY_END) & np.isfinite(x)  # where SciPy returns NaN; at infinity torch does, too
    result = np.where(far, 0, scipy_special().airy(x)[int(derivative)])
    return deliver(result.astype(x.dtype, copy=False), out)


def spherical_bessel_j0(x: Array, out: Array | None = None) -> Array:
    """sin(x) / x; 1 at 0, and 0 at infinity."""
    wide = x.astype(np.float64)
    finite = np.where((wide == 0) | np.isinf(wide), 1, wide)
    ratio = np.where(wide == 0, 1, np.where(np.isinf(wide), 0, np.sin(finite) / finite))
    return deliver(ratio.astype(x.dtype, copy=False), out)
