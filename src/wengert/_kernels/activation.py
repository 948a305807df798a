"""Activation functions and their derivatives in NumPy.

Arrays are floating or complex, `grad` is the gradient of the result, half precision computes in float32.
"""

from __future__ import annotations

import math

import numpy as np

from .results import Array, as_array, deliver, wide_dtype

HALF_SQRT_TWO = math.sqrt(0.5)  # erf's argument for the normal distribution
NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)  # density of the normal distribution at 0
TANH_SCALE = math.sqrt(2 / math.pi)
TANH_CUBIC = 0.044715

float64_erf = np.frompyfunc(math.erf, 1, 1)
float64_erfc = np.frompyfunc(math.erfc, 1, 1)


def widened(x: Array) -> Array:
    """Convert `x` to the dtype of the computation."""
    return x.astype(wide_dtype(x.dtype), copy=False)


def narrowed(result: Array, x: Array, out: Array | None) -> Array:
    """Convert `result` to the dtype of `x`; write it to `out` unless that is None."""
    return deliver(np.asarray(result).astype(x.dtype, copy=False), out)


def relu(x: Array, out: Array | None = None) -> Array:
    """The larger of `x` and 0; NaN stays NaN, -0.0 stays -0.0."""
    return narrowed(np.where(x < 0, x.dtype.type(0), x), x, out)


def relu_backward(grad: Array, result: Array, out: Array | None = None) -> Array:
    """`grad` where `result` is positive or NaN, else 0; selected, not multiplied: an infinite grad makes no NaN."""
    return narrowed(np.where(result <= 0, grad.dtype.type(0), grad), grad, out)


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """1 / (1 + exp(-x)), for complex numbers without overflow of the exponential."""
    wide = widened(x)
    if x.dtype.kind == "c":
        power = np.exp(np.where(wide.real > 0, -wide, wide))
        return narrowed(np.where(wide.real > 0, 1, power) / (1 + power), x, out)
    return narrowed(1 / (1 + np.exp(-wide)), x, out)


def sigmoid_backward(grad: Array, result: Array, out: Array | None = None) -> Array:
    """grad * conj((1 - result) * result)."""
    return narrowed(grad * np.conjugate((1 - result) * result), grad, out)


def tanh_backward(grad: Array, result: Array, out: Array | None = None) -> Array:
    """grad * conj(1 - result^2)."""
    return narrowed(grad * np.conjugate(1 - result * result), grad, out)


def silu(x: Array, out: Array | None = None) -> Array:
    """x * sigmoid(x)."""
    wide = widened(x)
    return narrowed(wide / (1 + np.exp(-wide)), x, out)


def silu_backward(grad: Array, x: Array, out: Array | None = None) -> Array:
    """Gradient of `silu`: grad * s * (1 + x * (1 - s)) with s = sigmoid(x)."""
    wide = widened(x)
    gate = 1 / (1 + np.exp(-wide))
    return narrowed(grad * np.conjugate(gate * (1 + wide * (1 - gate))), x, out)


def erf(x: Array, out: Array | None = None) -> Array:
    """The error function of real `x`."""
    return narrowed(as_array(float64_erf(x)).astype(np.float64), x, out)


def normal_share(wide: Array) -> Array:
    """Normal distribution function of each element; accurate for small probabilities."""
    return as_array(float64_erfc(wide * -HALF_SQRT_TWO)).astype(np.float64) / 2


def gelu_tanh_gates(wide: Array) -> tuple[Array, Array]:
    """(1 + tanh u) / 2, u as in the approximation of gelu, and its product with (1 - tanh u) / 2."""
    inner = 2 * TANH_SCALE * (wide + TANH_CUBIC * wide * wide * wide)
    power = np.exp(-np.abs(inner))
    both = 1 / (1 + power)
    return as_array(np.where(inner > 0, both, power * both)), as_array(power * both * both)


def gelu(x: Array, approximate: str = "none", out: Array | None = None) -> Array:
    """x times the normal distribution function at x.

    Args:
        x: floating, any shape.
        approximate: "none", exact, or "tanh".
        out: where to put the result.

    Returns:
        Array like `x`.

    Source: Hendrycks and Gimpel, Gaussian error linear units, 2016.
    """
    wide = widened(x)
    share = gelu_tanh_gates(wide)[0] if approximate == "tanh" else normal_share(wide)
    return narrowed(wide * share, x, out)


def gelu_backward(grad: Array, x: Array, approximate: str = "none", out: Array | None = None) -> Array:
    """Gradient of `gelu` at `x`; arguments as there."""
    wide = widened(x)
    if approximate == "tanh":
        share, product = gelu_tanh_gates(wide)
        inner_derivative = TANH_SCALE * (1 + 3 * TANH_CUBIC * wide * wide)
        return narrowed(grad * (share + np.where(product == 0, 0, 2 * wide * product * inner_derivative)), x, out)
    density = NORMAL_PEAK * np.exp(-0.5 * wide * wide)
    return narrowed(grad * (normal_share(wide) + wide * density), x, out)


# Bounds beyond which a derivative computed from the result is inaccurate: by more than a thousandth (of half
# precision by some hundredths), since 1 - sigmoid(x) = exp(-x) keeps only the digits that 1 leaves it.
BOUNDS = {"float16": 4.0, "bfloat16": 3.0, "float32": 9.5, "float64": 21.5, "complex64": 9.5, "complex128": 21.5}


def real_parts(x: Array) -> Array:
    """Real parts of `x` in a dtype that NumPy compares; empty for dtypes without a bound."""
    return widened(x).real if x.dtype.name in BOUNDS else np.zeros(0)


def sigmoid_saturates(x: Array) -> bool:
    """Return whether `sigmoid` of an element is so near to 1 that the difference from 1 has lost its digits."""
    return not bool((real_parts(x) <= BOUNDS.get(x.dtype.name, 0)).all())


def tanh_saturates(x: Array) -> bool:
    """Return whether `tanh` of an element is so near to 1 or -1 that the difference has lost its digits."""
    return not bool((np.abs(real_parts(x)) <= BOUNDS.get(x.dtype.name, 0) / 2).all())


def expm1_saturates(x: Array) -> bool:
    """Return whether `expm1` of an element is so near to -1 that the difference has lost its digits."""
    return not bool((real_parts(x) >= -BOUNDS.get(x.dtype.name, 0)).all())


def ratio(x: Array) -> Array:
    """e / (1 + e)^2, where e is the smaller of exp(-x) and exp(x)."""
    power = np.exp(np.where(x.real > 0, -x, x))
    return np.asarray(power / (1 + power) ** 2)


def sigmoid_backward_from_input(grad: Array, x: Array, out: Array | None = None) -> Array:
    """`grad` times the conjugate of the derivative of `sigmoid` at `x`."""
    return narrowed(widened(grad) * np.conjugate(ratio(widened(x))), grad, out)


def tanh_backward_from_input(grad: Array, x: Array, out: Array | None = None) -> Array:
    """`grad` times the conjugate of the derivative of `tanh` at `x`."""
    return narrowed(widened(grad) * np.conjugate(4 * ratio(2 * widened(x))), grad, out)
