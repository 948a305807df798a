"""Two-dimensional pooling, forward and backward, in NumPy. All sizes are pairs (rows, columns)."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import positions
from .index import private
from .results import Array, wide_dtype

Pair = tuple[int, int]


def pooled_size(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """Number of windows along an axis; with `ceil_mode` one may hang over the end, if it starts before it."""
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def window_starts(size: int, count: int, stride: int, padding: int) -> Array:
    """Start of each window along an axis; negative inside the padding."""
    return positions.arange(count) * stride - padding


def lowest(dtype: np.dtype[Any]) -> Any:
    """Lowest value of a dtype."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def tap_numbers(starts: Array, kernel: int, dilation: int, size: int) -> Any:
    """Numbers of the elements of a window that are inside the axis in some window; the others are skipped."""
    if kernel <= 2 * size:
        return range(kernel)
    distance = positions.arange(size)[:, None] - starts
    seen = distance[(distance >= 0) & (distance % dilation == 0) & (distance // dilation < kernel)]
    return np.unique(seen // dilation).tolist()


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
        padding: places around the plane that count as -inf.
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
    taps_along = tap_numbers(columns, kernel_size[1], dilation[1], width)
    for i in tap_numbers(rows, kernel_size[0], dilation[0], height):
        row = rows + i * dilation[0]
        for j in taps_along:
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
    plane = positions.arange(len(planes))[:, None]
    np.add.at(planes, (plane, private(indices).reshape(len(planes), -1)), grad.reshape(len(planes), -1))
    return result


def divisors(
    shape: Pair, sizes: Pair, kernel: Pair, stride: Pair, padding: Pair, include_pad: bool, override: int | None
) -> Array:
    """Divisors of the sums of the windows (output height, output width): numbers of places, with or without padding."""
    if override is not None:
        return np.full(sizes, override)
    down, along = (places_counted(shape[a], sizes[a], kernel[a], stride[a], padding[a], include_pad) for a in (0, 1))
    return np.multiply.outer(down, along)


def places_counted(size: int, count: int, kernel: int, stride: int, padding: int, include_pad: bool) -> Array:
    """Number of places of each window along an axis, with or without padding."""
    start = window_starts(size, count, stride, padding)
    end = np.minimum(start + kernel, size + padding)
    if not include_pad:
        start, end = np.maximum(start, 0), np.minimum(end, size)
    return end - start


def taps(size: int, count: int, kernel: int, stride: int, padding: int) -> list[tuple[Array, Array]]:
    """For each element of a window: the windows in which it is inside the axis, and its place there."""
    starts = window_starts(size, count, stride, padding)
    pairs = []
    for tap in tap_numbers(starts, kernel, 1, size):
        place = starts + tap
        windows = positions.flatnonzero((place >= 0) & (place < size))
        pairs.append((windows, place[windows]))
    return pairs


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
    total = np.zeros((*x.shape[:-2], rows, columns), wide_dtype(x.dtype))
    taps_along = taps(shape[1], columns, kernel_size[1], stride[1], padding[1])
    for windows_down, row in taps(shape[0], rows, kernel_size[0], stride[0], padding[0]):
        for windows_along, column in taps_along:
            total[..., windows_down[:, None], windows_along] += x[..., row[:, None], column]
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
    result = np.zeros(input_shape, dtype)
    taps_along = taps(shape[1], sizes[1], kernel_size[1], stride[1], padding[1])
    for windows_down, row in taps(shape[0], sizes[0], kernel_size[0], stride[0], padding[0]):
        for windows_along, column in taps_along:
            result[..., row[:, None], column] += share[..., windows_down[:, None], windows_along]
    return result.astype(grad.dtype, copy=False)
