"""Softmax and its logarithm along one axis, with their backward forms, in NumPy. Half precision computes in float32."""

from __future__ import annotations

import numpy as np

from .results import Array, wide_dtype


def lines(x: Array) -> Array:
    """`x`, wide enough, with at least one axis: a 0-dim array is a line of one element."""
    return np.atleast_1d(x.astype(wide_dtype(x.dtype), copy=False))


def shaped(result: Array, x: Array) -> Array:
    """`result` with the shape and dtype of `x`."""
    return result.reshape(x.shape).astype(x.dtype, copy=False)


def softmax(x: Array, axis: int) -> Array:
    """exp(x) / sum(exp(x)) along `axis`.

    Args:
        x: floating, any shape; of a 0-dim array the axis is 0 or -1.
        axis: along which the result sums to 1.

    Returns:
        A new array like `x`; NaN along lines that hold NaN or inf, or nothing but -inf.
    """
    line = lines(x)
    if line.size == 0:
        return x.copy()
    powers = np.exp(line - np.max(line, axis=axis, keepdims=True))
    return shaped(powers / np.sum(powers, axis=axis, keepdims=True), x)


def causal_softmax(x: Array) -> Array:
    """Softmax of the first i + 1 elements of each row i, with zeros behind them.

    Args:
        x: (..., rows, columns), floating.

    Returns:
        A new array like `x`.
    """
    seen = np.tri(*x.shape[-2:], dtype=np.bool_)
    made = softmax(np.where(seen, x, x.dtype.type(-np.inf)), -1)
    return np.where(seen, made, x.dtype.type(0))


def log_softmax(x: Array, axis: int) -> Array:
    """x - log(sum(exp(x))) along `axis`; arguments as for `softmax`."""
    line = lines(x)
    if line.size == 0:
        return x.copy()
    shifted = line - np.max(line, axis=axis, keepdims=True)
    return shaped(shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)), x)


def softmax_backward(grad: Array, result: Array, axis: int) -> Array:
    """Gradient of `softmax`: result * (grad - sum(grad * result))."""
    slope, value = lines(grad), lines(result)
    inner = np.sum(slope * value, axis=axis, keepdims=True)
    return shaped(value * (slope - inner), grad)


def log_softmax_backward(grad: Array, result: Array, axis: int) -> Array:
    """Gradient of `log_softmax`: grad - exp(result) * sum(grad)."""
    slope, value = lines(grad), lines(result)
    return shaped(slope - np.exp(value) * np.sum(slope, axis=axis, keepdims=True), grad)
