"""Two-dimensional pooling, forward and backward, in NumPy. All sizes are pairs (rows, columns)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .results import Array, wide_dtype

Pair = tuple[int, int]


def pooled_size(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows lie along an axis; with `ceil_mode` one may hang over the end, if it starts before it."""
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def window_starts(size: int, count: int, stride: int, padding: int) -> Array:
    """Where each window starts along an axis; negative inside the padding."""
    return np.arange(count) * stride - padding


def lowest(dtype: np.dtype[Any]) -> Any:
    """The value below all others of a dtype."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def max_pool2d(
    x: Array,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    ceil_mode: bool = False,
) -> tuple[Array, Array]:
    """Largest element of each window.

    Args:
        x: (N, C, H, W) or (C, H, W), real.
        kernel_size: of the window.
        stride: from window to window.
        padding: places around the plane that hold less than anything.
        dilation: step inside the window.
        ceil_mode: whether a last window may hang over the end.

    Returns:
        The values and their int64 positions, each counted within its plane; the first of equals, NaN before all.
    """
    height, width = x.shape[-2:]
    sizes = [pooled_size(x.shape[a - 2], kernel_size[a], stride[a], padding[a], dilation[a], ceil_mode) for a in (0, 1)]
    rows = window_starts(height, sizes[0], stride[0], padding[0])
    columns = window_starts(width, sizes[1], stride[1], padding[1])
    first_row = np.where(rows < 0, rows % dilation[0], rows)  # the first place of each window that is not padding
    first_column = np.where(columns < 0, columns % dilation[1], columns)
    shape = (*x.shape[:-2], *sizes)
    best = np.full(shape, lowest(x.dtype), x.dtype)
    index = np.broadcast_to(first_row[:, None] * width + first_column, shape).astype(np.int64)
    for i in range(kernel_size[0]):
        row = rows + i * dilation[0]
        for j in range(kernel_size[1]):
            column = columns + j * dilation[1]
            inside = ((row >= 0) & (row < height))[:, None] & ((column >= 0) & (column < width))
            value = x[..., np.clip(row, 0, height - 1)[:, None], np.clip(column, 0, width - 1)]
            better = inside & ((value > best) | (value != value))
            best = np.where(better, value, best)
            index = np.where(better, row[:, None] * width + column, index)
    return best, index


def max_pool2d_backward(grad: Array, indices: Array, input_shape: tuple[int, ...]) -> Array:
    """Gradient of `max_pool2d`: each element of `grad` is added where its value came from.

    Args:
        grad: like the values returned there.
        indices: as returned there.
        input_shape: of `x` there.

    Returns:
        Array of shape `input_shape`, new.
    """
    area = input_shape[-2] * input_shape[-1]
    result = np.zeros(input_shape, grad.dtype)
    if result.size == 0 or grad.size == 0:
        return result
    planes = result.reshape(-1, area)
    plane = np.arange(len(planes))[:, None]
    np.add.at(planes, (plane, indices.reshape(len(planes), -1)), grad.reshape(len(planes), -1))
    return result


def divisors(
    shape: Pair, sizes: Pair, kernel: Pair, stride: Pair, padding: Pair, include_pad: bool, override: int | None
) -> Array:
    """What each window's sum is divided by, (output height, output width): its places, those of the padding or not."""
    if override is not None:
        return np.full(sizes, override)
    counts = []
    for a in (0, 1):
        start = window_starts(shape[a], sizes[a], stride[a], padding[a])
        end = np.minimum(start + kernel[a], shape[a] + padding[a])
        if not include_pad:
            start, end = np.maximum(start, 0), np.minimum(end, shape[a])
        counts.append(end - start)
    return np.multiply.outer(counts[0], counts[1])


def padded_shape(shape: Pair, sizes: Pair, kernel: Pair, stride: Pair, padding: Pair) -> Pair:
    """The smallest plane, padding first, that holds the input and all windows."""
    rows, columns = (max((sizes[a] - 1) * stride[a] + kernel[a], shape[a] + padding[a]) for a in (0, 1))
    return rows, columns


def avg_pool2d(
    x: Array,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Mean of each window.

    Args:
        x: (N, C, H, W) or (C, H, W), floating.
        kernel_size: of the window.
        stride: from window to window.
        padding: zeros around the plane.
        ceil_mode: whether a last window may hang over the end.
        count_include_pad: whether padding counts as elements.
        divisor_override: divide by this instead.

    Returns:
        A new array.
    """
    shape = (x.shape[-2], x.shape[-1])
    rows, columns = (pooled_size(shape[a], kernel_size[a], stride[a], padding[a], 1, ceil_mode) for a in (0, 1))
    whole = padded_shape(shape, (rows, columns), kernel_size, stride, padding)
    padded = np.zeros((*x.shape[:-2], *whole), wide_dtype(x.dtype))
    padded[..., padding[0] : padding[0] + shape[0], padding[1] : padding[1] + shape[1]] = x
    total = np.zeros((*x.shape[:-2], rows, columns), padded.dtype)
    for i in range(kernel_size[0]):
        for j in range(kernel_size[1]):
            down = slice(i, i + (rows - 1) * stride[0] + 1, stride[0])
            along = slice(j, j + (columns - 1) * stride[1] + 1, stride[1])
            total += padded[..., down, along]
    count = divisors(shape, (rows, columns), kernel_size, stride, padding, count_include_pad, divisor_override)
    return (total / count.astype(total.dtype)).astype(x.dtype, copy=False)


def avg_pool2d_backward(
    grad: Array,
    input_shape: tuple[int, ...],
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """Gradient of `avg_pool2d`, whose other arguments it takes: each element of `grad` is spread over its window.

    Args:
        grad: like the result there.
        input_shape: of `x` there.
        kernel_size: as there.
        stride: as there.
        padding: as there.
        ceil_mode: as there.
        count_include_pad: as there.
        divisor_override: as there.

    Returns:
        Array of shape `input_shape`, new.
    """
    shape, sizes = (input_shape[-2], input_shape[-1]), (grad.shape[-2], grad.shape[-1])
    count = divisors(shape, sizes, kernel_size, stride, padding, count_include_pad, divisor_override)
    dtype = wide_dtype(grad.dtype)
    share = grad.astype(dtype, copy=False) / count.astype(dtype)
    padded = np.zeros((*input_shape[:-2], *padded_shape(shape, sizes, kernel_size, stride, padding)), dtype)
    for i in range(kernel_size[0]):
        for j in range(kernel_size[1]):
            down = slice(i, i + (sizes[0] - 1) * stride[0] + 1, stride[0])
            along = slice(j, j + (sizes[1] - 1) * stride[1] + 1, stride[1])
            padded[..., down, along] += share
    inner = padded[..., padding[0] : padding[0] + shape[0], padding[1] : padding[1] + shape[1]]
    return np.ascontiguousarray(inner).astype(grad.dtype, copy=False)
