"""Convolution (cross-correlation, as in torch) in one to three dimensions, forward and backward, in NumPy."""

from __future__ import annotations

import itertools

import numpy as np

from .layout import strided
from .results import Array, wide_dtype

Ints = tuple[int, ...]
"""One number per spatial dimension."""
EVERY = (slice(None), slice(None))
"""Index of all items and channels, or of all kernels and their channels."""


def output_size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """Number of places of a kernel along an axis of `size` elements.

    Raises:
        ValueError: if a step is below 1, `padding` is negative, or the kernel is longer than the padded axis: `windows`
            would be outside of the memory.
    """
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if stride < 1 or dilation < 1 or padding < 0 or kernel < 0 or reach < -1:
        raise ValueError(
            f"convolution: a kernel of {kernel} elements with stride {stride}, padding {padding} and dilation "
            f"{dilation} does not fit an axis of {size}; stride and dilation must be at least 1, padding at least 0"
        )
    return reach // stride + 1


def windows(x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Array:
    """View of the elements under the kernel at each place.

    Args:
        x: (N, C, ...).
        kernel: its lengths.
        stride: step from place to place.
        padding: zeros on both sides of each axis.
        dilation: step from element to element of the kernel.

    Returns:
        (N, C, lengths of the kernel ..., places along each axis ...), a view of the padded array.
    """
    padded = np.pad(x, ((0, 0), (0, 0), *((width, width) for width in padding))) if any(padding) else x
    places = tuple(map(output_size, x.shape[2:], kernel, stride, padding, dilation))
    elements = tuple(gap * step for gap, step in zip(dilation, padded.strides[2:]))
    steps = tuple(far * step for far, step in zip(stride, padded.strides[2:]))
    return strided(padded, (*x.shape[:2], *kernel, *places), (*padded.strides[:2], *elements, *steps))


def convolution(
    x: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Convolution of each item with each kernel.

    Args:
        x: (N, C, ...), with one to three spatial dimensions.
        weight: (O, C / groups, ...).
        bias: (O,) or None.
        stride: step from place to place.
        padding: zeros on both sides of each axis.
        dilation: step from element to element of the kernel.
        groups: number of groups of channels, each with its own kernels.

    Returns:
        (N, O, places along each axis ...), new.
    """
    dtype = wide_dtype(x.dtype)
    count = len(stride)
    seen = windows(x.astype(dtype, copy=False), weight.shape[2:], stride, padding, dilation)
    result = np.empty((x.shape[0], weight.shape[0], *seen.shape[2 + count :]), dtype)
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    summed = tuple(range(1, 2 + count))
    for group in range(groups):
        part = seen[:, group * inputs : (group + 1) * inputs]
        kernels = weight[group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        product = np.tensordot(kernels, part, axes=(summed, summed))  # (outputs, N, ...)
        result[:, group * outputs : (group + 1) * outputs] = product.swapaxes(0, 1)
    if bias is not None:
        result += bias.reshape(1, -1, *(1,) * count)
    return result.astype(x.dtype, copy=False)


def convolution_backward_input(
    grad: Array, weight: Array, input_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Gradient of the input of `convolution`; for complex kernels the caller conjugates.

    Args:
        grad: (N, O, places along each axis ...).
        weight: (O, C / groups, ...).
        input_shape: (N, C, ...).
        stride, padding, dilation, groups: as for `convolution`.

    Returns:
        Array of shape `input_shape`, new.
    """
    dtype = wide_dtype(grad.dtype)
    lengths = tuple(length + 2 * width for length, width in zip(input_shape[2:], padding))
    padded = np.zeros((*input_shape[:2], *lengths), dtype)
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    for group in range(groups):
        target = padded[:, group * inputs : (group + 1) * inputs]
        part = grad[:, group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        kernels = weight[group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        for element in itertools.product(*map(range, weight.shape[2:])):
            first = [at * gap for at, gap in zip(element, dilation)]
            reached = tuple(
                slice(begin, begin + step * places, step) for begin, step, places in zip(first, stride, grad.shape[2:])
            )
            product = np.tensordot(kernels[EVERY + element], part, axes=((0,), (1,)))
            target[EVERY + reached] += product.swapaxes(0, 1)
    unpadded = tuple(slice(width, width + length) for width, length in zip(padding, input_shape[2:]))
    return np.ascontiguousarray(padded[EVERY + unpadded]).astype(grad.dtype, copy=False)


def convolution_backward_weight(
    grad: Array, x: Array, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Gradient of the kernels of `convolution`; for complex inputs the caller conjugates.

    Args:
        grad: (N, O, places along each axis ...).
        x: (N, C, ...).
        weight_shape: (O, C / groups, ...).
        stride, padding, dilation, groups: as for `convolution`.

    Returns:
        Array of shape `weight_shape`, new.
    """
    dtype = wide_dtype(x.dtype)
    count = len(stride)
    seen = windows(x.astype(dtype, copy=False), weight_shape[2:], stride, padding, dilation)
    result = np.empty(weight_shape, dtype)
    inputs, outputs = weight_shape[1], weight_shape[0] // groups
    places = tuple(range(2, 2 + count))
    axes = ((0, *places), (0, *(count + axis for axis in places)))
    for group in range(groups):
        part = seen[:, group * inputs : (group + 1) * inputs]
        grad_part = grad[:, group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        result[group * outputs : (group + 1) * outputs] = np.tensordot(grad_part, part, axes=axes)
    return result.astype(x.dtype, copy=False)
