"""Convolution in one, two and three dimensions, of arrays with any strides.

Three maps, each linear in both arrays: `forward`, and its transposes `input_gradient` and `weight_gradient`. A
transposed convolution is `input_gradient`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._kernels import conv

Array = Any
Ints = tuple[int, ...]
"""One to three integers."""


def places_along(length: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """Return the number of places of a kernel along an axis."""
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def places_of(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Ints:
    """Return the number of places of a kernel along each axis of `shape` (N, C, ...)."""
    return tuple(places_along(*window) for window in zip(shape[2:], kernel, stride, padding, dilation))


def compact(array: Array) -> Array:
    """Return a row-major array, as the native kernels need."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def filled(grad: Array, places: Ints) -> Array:
    """Append zeros to a gradient for places behind its own, which a transposed convolution with output padding may
    omit."""
    if grad.shape[2:] == places:
        return compact(grad)
    result = np.zeros((*grad.shape[:2], *places), grad.dtype)
    result[(slice(None), slice(None), *(slice(length) for length in grad.shape[2:]))] = grad
    return result


def forward(
    x: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Convolution of `x` (N, C, ...) with `weight` (O, C / groups, ...): (N, O, ...)."""
    return kernels.convolution(compact(x), compact(weight), bias, stride, padding, dilation, groups)


def input_gradient(
    grad: Array, weight: Array, shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Transpose of `forward` with respect to `x`: an array of `shape` (N, C, ...) from `grad` (N, O, ...)."""
    places = places_of(shape, weight.shape[2:], stride, padding, dilation)
    if grad.shape[2:] != places and not np.isfinite(weight).all():  # zero times infinity would not be zero
        return conv.convolution_backward_input(grad, weight, shape, stride, padding, dilation, groups)
    grad = filled(grad, places)
    return kernels.convolution_backward_input(grad, compact(weight), shape, stride, padding, dilation, groups)


def weight_gradient(
    grad: Array, x: Array, shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Transpose of `forward` with respect to `weight`: an array of `shape` (O, C / groups, ...) from `grad` (N, O, ...)
    and `x`."""
    grad = filled(grad, places_of(x.shape, shape[2:], stride, padding, dilation))
    return kernels.convolution_backward_weight(grad, compact(x), shape, stride, padding, dilation, groups)
