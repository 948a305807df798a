"""Two-dimensional convolution (cross-correlation, as in torch), forward and backward, in NumPy."""

from __future__ import annotations

import numpy as np

from .layout import strided
from .results import Array, wide_dtype

Pair = tuple[int, int]


def output_size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """How many places a kernel takes along an axis of `size` elements.

    Raises:
        ValueError: steps below 1, negative padding, or a kernel that reaches beyond the padded axis: `windows` would
            lie outside of the memory.
    """
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if stride < 1 or dilation < 1 or padding < 0 or kernel < 0 or reach < -1:
        raise ValueError(
            f"convolution: a kernel of {kernel} elements with stride {stride}, padding {padding} and dilation "
            f"{dilation} does not fit an axis of {size}; stride and dilation must be at least 1, padding at least 0"
        )
    return reach // stride + 1


def windows(x: Array, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair) -> Array:
    """What the kernel sees at each place.

    Args:
        x: (N, C, H, W).
        kernel: height and width.
        stride: step from place to place.
        padding: zeros around each plane.
        dilation: step from element to element of the kernel.

    Returns:
        (N, C, kernel height, kernel width, output height, output width), a view of the padded array.
    """
    (rows, columns), (down, right), (top, left), (row_gap, column_gap) = kernel, stride, padding, dilation
    padded = np.pad(x, ((0, 0), (0, 0), (top, top), (left, left))) if top or left else x
    height = output_size(x.shape[2], rows, down, top, row_gap)
    width = output_size(x.shape[3], columns, right, left, column_gap)
    batch, channel, row, column = padded.strides
    strides = (batch, channel, row * row_gap, column * column_gap, row * down, column * right)
    return strided(padded, (*x.shape[:2], rows, columns, height, width), strides)


def kernel_size(weight_shape: tuple[int, ...]) -> Pair:
    """Height and width of a kernel (O, C / groups, rows, columns)."""
    return weight_shape[2], weight_shape[3]


def conv2d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    groups: int = 1,
) -> Array:
    """Convolution of each image with each kernel.

    Args:
        x: (N, C, H, W).
        weight: (O, C / groups, rows, columns).
        bias: (O,) or None.
        stride: step from place to place.
        padding: zeros around each plane.
        dilation: step from element to element of the kernel.
        groups: the channels fall into this many groups, each with its own kernels.

    Returns:
        (N, O, output height, output width), new.
    """
    dtype = wide_dtype(x.dtype)
    seen = windows(x.astype(dtype, copy=False), kernel_size(weight.shape), stride, padding, dilation)
    result = np.empty((x.shape[0], weight.shape[0], *seen.shape[4:]), dtype)
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    for group in range(groups):
        part = seen[:, group * inputs : (group + 1) * inputs]
        kernels = weight[group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        product = np.tensordot(kernels, part, axes=((1, 2, 3), (1, 2, 3)))  # (outputs, N, height, width)
        result[:, group * outputs : (group + 1) * outputs] = product.swapaxes(0, 1)
    if bias is not None:
        result += bias.reshape(1, -1, 1, 1)
    return result.astype(x.dtype, copy=False)


def conv2d_backward_input(
    grad: Array,
    weight: Array,
    input_shape: tuple[int, ...],
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
) -> Array:
    """Gradient of the input of `conv2d`; for complex kernels the caller conjugates.

    Args:
        grad: (N, O, output height, output width).
        weight: (O, C / groups, rows, columns).
        input_shape: (N, C, H, W).
        stride: as for `conv2d`.
        padding: as for `conv2d`.
        dilation: as for `conv2d`.
        groups: as for `conv2d`.

    Returns:
        Array of shape `input_shape`, new.
    """
    batch, channels, height, width = input_shape
    (top, left), (down, right) = padding, stride
    dtype = wide_dtype(grad.dtype)
    padded = np.zeros((batch, channels, height + 2 * top, width + 2 * left), dtype)
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    places = grad.shape[2:]
    for group in range(groups):
        target = padded[:, group * inputs : (group + 1) * inputs]
        part = grad[:, group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        kernels = weight[group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        for row in range(weight.shape[2]):
            for column in range(weight.shape[3]):
                first_row, first_column = row * dilation[0], column * dilation[1]
                rows = slice(first_row, first_row + down * places[0], down)
                columns = slice(first_column, first_column + right * places[1], right)
                product = np.tensordot(kernels[:, :, row, column], part, axes=((0,), (1,)))
                target[:, :, rows, columns] += product.swapaxes(0, 1)
    return np.ascontiguousarray(padded[:, :, top : top + height, left : left + width]).astype(grad.dtype, copy=False)


def conv2d_backward_weight(
    grad: Array,
    x: Array,
    weight_shape: tuple[int, ...],
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
) -> Array:
    """Gradient of the kernels of `conv2d`; for complex inputs the caller conjugates.

    Args:
        grad: (N, O, output height, output width).
        x: (N, C, H, W).
        weight_shape: (O, C / groups, rows, columns).
        stride: as for `conv2d`.
        padding: as for `conv2d`.
        dilation: as for `conv2d`.
        groups: as for `conv2d`.

    Returns:
        Array of shape `weight_shape`, new.
    """
    dtype = wide_dtype(x.dtype)
    seen = windows(x.astype(dtype, copy=False), kernel_size(weight_shape), stride, padding, dilation)
    result = np.empty(weight_shape, dtype)
    inputs, outputs = weight_shape[1], weight_shape[0] // groups
    for group in range(groups):
        part = seen[:, group * inputs : (group + 1) * inputs]
        slope = grad[:, group * outputs : (group + 1) * outputs].astype(dtype, copy=False)
        result[group * outputs : (group + 1) * outputs] = np.tensordot(slope, part, axes=((0, 2, 3), (0, 4, 5)))
    return result.astype(x.dtype, copy=False)


def conv2d_backward_bias(grad: Array) -> Array:
    """Gradient of the bias of `conv2d`: the sum of `grad` (N, O, height, width) for each of the O kernels."""
    wide = wide_dtype(grad.dtype)
    return np.asarray(np.sum(grad, axis=(0, 2, 3), dtype=wide)).astype(grad.dtype, copy=False)
