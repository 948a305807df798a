"""Softmax and its logarithm along one axis, with their backward forms, in NumPy. Half precision computes in float32."""

from __future__ import annotations

import numpy as np

from . import positions
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
    weights = softmax(np.where(seen, x, x.dtype.type(-np.inf)), -1)
    return np.where(seen, weights, x.dtype.type(0))


def log_softmax(x: Array, axis: int) -> Array:
    """x - log(sum(exp(x))) along `axis`; arguments as for `softmax`."""
    line = lines(x)
    if line.size == 0:
        return x.copy()
    shifted = line - np.max(line, axis=axis, keepdims=True)
    return shaped(shifted - log_total(np.exp(shifted), axis), x)


def softmax_backward(grad: Array, result: Array, axis: int) -> Array:
    """Gradient of `softmax`: result * (grad - sum(grad * result))."""
    grad_lines, value = lines(grad), lines(result)
    inner = np.sum(grad_lines * value, axis=axis, keepdims=True)
    grad_input = value * (grad_lines - inner)
    place = heavy_places(value, axis)
    if place is not None:
        top, rest = np.take_along_axis(value, place, axis), beside(value, place, axis)
        gaps = np.take_along_axis(grad_lines, place, axis) - grad_lines
        np.put_along_axis(gaps, place, 0, axis)
        mended = top * np.sum(rest * gaps, axis=axis, keepdims=True)
        mend(grad_input, place, axis, mended, top, np.sum(rest, axis=axis, keepdims=True))
    return shaped(grad_input, grad)


def log_softmax_backward(grad: Array, result: Array, axis: int) -> Array:
    """Gradient of `log_softmax`: grad - exp(result) * sum(grad)."""
    grad_lines, value = lines(grad), np.exp(lines(result))
    grad_input = grad_lines - value * np.sum(grad_lines, axis=axis, keepdims=True)
    place = heavy_places(value, axis)
    if place is not None:
        top, rest = np.take_along_axis(value, place, axis), np.sum(beside(value, place, axis), axis=axis, keepdims=True)
        others = np.sum(beside(grad_lines, place, axis), axis=axis, keepdims=True)
        mend(grad_input, place, axis, np.take_along_axis(grad_lines, place, axis) * rest - top * others, top, rest)
    return shaped(grad_input, grad)


NEARLY_ALL = 1 - 1 / 64
"""Weight from which the sum of the other weights of a line is more accurate than 1 minus the weight."""


def heavy_places(value: Array, axis: int) -> Array | None:
    """Index of the largest weight of each line; None if no weight is near 1."""
    if value.size == 0 or not (value > NEARLY_ALL).any():
        return None
    return positions.argmax(value, axis, keepdims=True)


def beside(value: Array, place: Array, axis: int) -> Array:
    """`value` with a zero at one place of each line."""
    result = value.copy()
    np.put_along_axis(result, place, 0, axis)
    return result


def mend(result: Array, place: Array, axis: int, mended: Array, top: Array, rest: Array) -> None:
    """Replace the elements whose weight is near 1 in lines whose weights add up to 1."""
    total = top + rest
    right = (top > NEARLY_ALL) & (total > NEARLY_ALL) & (total < 2 - NEARLY_ALL)
    np.put_along_axis(result, place, np.where(right, mended, np.take_along_axis(result, place, axis)), axis)


def log_total(powers: Array, axis: int) -> Array:
    """The logarithm of the sum of powers of which the largest is 1."""
    total = np.sum(powers, axis=axis, keepdims=True)
    result = np.log(total)
    near = total < 1 / NEARLY_ALL
    if near.any():
        rest = np.sum(beside(powers, positions.argmax(powers, axis, keepdims=True), axis), axis=axis, keepdims=True)
        result = np.where(near, np.log1p(rest), result)
    return result
