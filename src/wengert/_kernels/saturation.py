"""Where results that level off have lost the digits that their derivatives are told by; and derivatives by the operand.

Beyond the bounds the derivative, as the result tells it, would be off by more than a thousandth (of halves by some
hundredths): 1 - sigmoid(x) is exp(-x) in the digits that 1 leaves it.
"""

from __future__ import annotations

import numpy as np

from .activation import narrowed, widened
from .results import Array

BOUNDS = {"float16": 4.0, "bfloat16": 3.0, "float32": 9.5, "float64": 21.5, "complex64": 9.5, "complex128": 21.5}


def real_parts(x: Array) -> Array:
    """The numbers that decide, in a dtype that NumPy compares."""
    return widened(x).real if x.dtype.name in BOUNDS else np.zeros(0)


def sigmoid_saturates(x: Array) -> bool:
    """Whether `sigmoid` of an element is so near to 1 that its distance from that has lost its digits."""
    return not bool((real_parts(x) <= BOUNDS.get(x.dtype.name, 0)).all())


def tanh_saturates(x: Array) -> bool:
    """The same of `tanh`, near to 1 or -1."""
    return not bool((np.abs(real_parts(x)) <= BOUNDS.get(x.dtype.name, 0) / 2).all())


def expm1_saturates(x: Array) -> bool:
    """The same of `expm1`, near to -1."""
    return not bool((real_parts(x) >= -BOUNDS.get(x.dtype.name, 0)).all())


def ratio(x: Array) -> Array:
    """e / (1 + e)^2 with e = exp(-x) or exp(x), whichever is the smaller one."""
    power = np.exp(np.where(x.real > 0, -x, x))
    return np.asarray(power / (1 + power) ** 2)


def sigmoid_slope(grad: Array, x: Array, out: Array | None = None) -> Array:
    """`grad` times the conjugate of the derivative of `sigmoid` at `x`."""
    return narrowed(widened(grad) * np.conjugate(ratio(widened(x))), grad, out)


def tanh_slope(grad: Array, x: Array, out: Array | None = None) -> Array:
    """`grad` times the conjugate of the derivative of `tanh` at `x`."""
    return narrowed(widened(grad) * np.conjugate(4 * ratio(2 * widened(x))), grad, out)
