"""Element-wise arithmetic, comparison and common functions in NumPy.

All take arrays that the caller has promoted to one dtype, with shapes that broadcast; where two operands are taken one
of them may be a Python number, which then has the array's dtype. All return an array, 0-dim included, or fill `out`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .results import Array, as_array, deliver

Operand = Array | float | int | complex | bool
BinaryFunction = Callable[..., Array]


def binary(ufunc: np.ufunc) -> BinaryFunction:
    """Wrap a two-operand ufunc so that it always returns an array.

    Args:
        ufunc: NumPy's function.

    Returns:
        function(a, b, out=None).
    """

    def function(a: Operand, b: Operand, out: Array | None = None) -> Array:
        result = ufunc(a, b) if out is None else ufunc(a, b, out=out)
        return result if type(result) is np.ndarray else np.asarray(result)

    function.__name__ = function.__qualname__ = ufunc.__name__
    function.__doc__ = f"`numpy.{ufunc.__name__}(a, b)` as an array."
    return function


def unary(ufunc: np.ufunc) -> Callable[..., Array]:
    """Wrap a one-operand ufunc so that it always returns an array.

    Args:
        ufunc: NumPy's function.

    Returns:
        function(x, out=None).
    """

    def function(x: Array, out: Array | None = None) -> Array:
        result = ufunc(x) if out is None else ufunc(x, out=out)
        return result if type(result) is np.ndarray else np.asarray(result)

    function.__name__ = function.__qualname__ = ufunc.__name__
    function.__doc__ = f"`numpy.{ufunc.__name__}(x)` as an array."
    return function


add = binary(np.add)
subtract = binary(np.subtract)
multiply = binary(np.multiply)
divide = binary(np.divide)
fmod = binary(np.fmod)
maximum = binary(np.maximum)
minimum = binary(np.minimum)
arctan2 = binary(np.arctan2)
equal = binary(np.equal)
not_equal = binary(np.not_equal)
less = binary(np.less)
less_equal = binary(np.less_equal)
greater = binary(np.greater)
greater_equal = binary(np.greater_equal)
logical_and = binary(np.logical_and)
logical_or = binary(np.logical_or)
logical_xor = binary(np.logical_xor)
bitwise_and = binary(np.bitwise_and)
bitwise_or = binary(np.bitwise_or)
bitwise_xor = binary(np.bitwise_xor)

absolute = unary(np.absolute)
exp = unary(np.exp)
expm1 = unary(np.expm1)
log = unary(np.log)
log2 = unary(np.log2)
log10 = unary(np.log10)
sqrt = unary(np.sqrt)
square = unary(np.square)
sin = unary(np.sin)
cos = unary(np.cos)
tan = unary(np.tan)
sinh = unary(np.sinh)
cosh = unary(np.cosh)
tanh = unary(np.tanh)
floor = unary(np.floor)
ceil = unary(np.ceil)
trunc = unary(np.trunc)
rint = unary(np.rint)
conjugate = unary(np.conjugate)
logical_not = unary(np.logical_not)
isnan = unary(np.isnan)
isinf = unary(np.isinf)
isfinite = unary(np.isfinite)


def add_scaled(a: Array, b: Array, factor: float, out: Array | None = None) -> Array:
    """a + factor * b, element by element.

    Args:
        a: the array.
        b: the other one, of its dtype.
        factor: a number.
        out: where the result goes; None for a new array.
    """
    return add(a, multiply(b, factor), out)


def negative(x: Array, out: Array | None = None) -> Array:
    """-x, element by element; unsigned integers wrap around.

    `numpy.negative` of NumPy 2.4 and before reads neighbouring elements where elements are 16 bytes apart (in place
    also 64) and `out` is not contiguous either. A product does not.
    """
    if out is None or x.dtype.kind == "c":
        return as_array(np.negative(x) if out is None else np.negative(x, out=out))
    if x.dtype.kind == "u":
        return np.subtract(x.dtype.type(0), x, out=out)
    return np.multiply(x, x.dtype.type(-1), out=out)


def log1p(x: Array, out: Array | None = None) -> Array:
    """log(1 + x); of complex numbers near 0 accurate where NumPy's 1 + x loses the small number.

    Args:
        x: the array.
        out: where to put the result.

    Returns:
        An array of its shape.
    """
    if x.dtype.kind != "c":
        return as_array(np.log1p(x) if out is None else np.log1p(x, out=out))
    result = as_array(np.log1p(x))
    near = np.abs(x) < 0.5
    real, imaginary = x.real[near], x.imag[near]
    result.real[near] = np.log1p(real * (2 + real) + imaginary * imaginary) / 2
    return deliver(result, out)


def refuse_zero_divisor(a: Operand, b: Operand) -> None:
    """Refuse a zero among integer divisors, unless `a` is empty; NumPy would only warn.

    Raises:
        RuntimeError: if an element of an integer divisor is 0.
    """
    divisor = np.asarray(b)
    if divisor.dtype.kind in "iub" and np.size(a) and not divisor.all():
        raise RuntimeError("ZeroDivisionError")


def is_integral(a: Operand, b: Operand) -> bool:
    """Return whether the operands' common dtype is an integer or bool."""
    return all(np.asarray(operand).dtype.kind in "iub" for operand in (a, b))


def floor_divide(a: Operand, b: Operand, out: Array | None = None) -> Array:
    """Quotient rounded towards minus infinity; an integer division by zero raises RuntimeError, as in torch."""
    if is_integral(a, b):
        refuse_zero_divisor(a, b)
    return as_array(np.floor_divide(a, b, out=out))


def trunc_divide(a: Operand, b: Operand, out: Array | None = None) -> Array:
    """Quotient rounded towards zero; an integer division by zero raises RuntimeError, as in torch."""
    if not is_integral(a, b):
        return as_array(np.trunc(np.divide(a, b), out=out))
    refuse_zero_divisor(a, b)
    return deliver(np.floor_divide(np.subtract(a, np.fmod(a, b)), b), out)


def remainder(a: Operand, b: Operand, out: Array | None = None) -> Array:
    """Remainder with the divisor's sign; an integer division by zero raises RuntimeError, as in torch."""
    if is_integral(a, b):
        refuse_zero_divisor(a, b)
    return as_array(np.remainder(a, b, out=out))


def complex_limits(base: Operand, exponent: Array, raised: Array) -> Array:
    """Complex powers, where powers of 0 and of non-finite numbers follow the formula `exp(exponent * log(base))`.

    0 to the power 0 is 1, as for a number as exponent and for real tensors; torch's tensors have NaN there, and NaN for
    the derivative of the first power.
    """
    bases = np.asarray(base, raised.dtype)
    limits = ((bases == 0) & (exponent != 0)) | (~np.isfinite(bases) & (~np.isnan(bases) | (exponent == 0)))
    limits &= np.isfinite(exponent) | (np.imag(exponent) == 0)
    if np.any(limits):
        np.copyto(raised, np.exp(np.asarray(exponent, raised.dtype) * np.log(bases)), where=limits)
    return raised


def power(a: Operand, b: Operand, out: Array | None = None) -> Array:
    """`a` to the power `b`.

    An integer to a negative power is the integer part of the quotient, as in torch: 0 unless the base is 1 or -1.
    """
    if not is_integral(a, b):
        raised = as_array(np.power(a, b, out=out))
        return complex_limits(a, b, raised) if raised.dtype.kind == "c" and isinstance(b, np.ndarray) else raised
    base, exponent = np.asarray(a), np.asarray(b)
    dtype = base.dtype if isinstance(a, np.ndarray) else exponent.dtype
    raised = np.power(base, np.maximum(exponent, 0))
    if exponent.dtype.kind == "i":
        unit_power = np.where(exponent % 2 == 0, 1, base)  # of 1 and -1
        raised = np.where(exponent < 0, np.where(np.abs(base) == 1, unit_power, 0), raised)
    return deliver(np.asarray(raised).astype(dtype, copy=False), out)


def where(condition: Array, a: Operand, b: Operand) -> Array:
    """`a` where `condition` holds, else `b`.

    Args:
        condition: bool, broadcasts with the others.
        a: array or Python number.
        b: array or Python number.

    Returns:
        A new array.
    """
    return as_array(np.where(condition, a, b))


def clamp(x: Array, low: Operand | None, high: Operand | None, out: Array | None = None) -> Array:
    """`x` limited to [low, high]; NaN stays NaN; where low > high the result is high. None is no limit."""
    result: Array = x
    if low is not None:
        result = np.maximum(result, low)
    if high is not None:
        result = np.minimum(result, high)
    return deliver(x.copy() if result is x else result, out)


def sign(x: Array, out: Array | None = None) -> Array:
    """1, 0 or -1; 0 for NaN, as in torch; for complex numbers x / |x|, and 0 for 0."""
    if x.dtype.kind == "c":
        size = np.abs(x)
        return deliver(np.where(size == 0, 0, x / np.where(size == 0, 1, size)).astype(x.dtype, copy=False), out)
    if x.dtype.kind == "b":
        return deliver(x.copy(), out)
    return deliver(np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype), out)


def reciprocal(x: Array, out: Array | None = None) -> Array:
    """1 / x, of a floating or complex array."""
    return as_array(np.divide(x.dtype.type(1), x, out=out))


def rsqrt(x: Array, out: Array | None = None) -> Array:
    """1 / sqrt(x), of a floating or complex array; inf at 0, NaN below."""
    return as_array(np.divide(x.dtype.type(1), np.sqrt(x), out=out))
