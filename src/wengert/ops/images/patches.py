"""Patches of images as columns (`unfold`), the reverse (`fold`), and channels as pixels (`pixel_shuffle`)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import FLOATS, WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.operators.declaration import is_whole
from ..._core.recording.saved_tensor import read_saved
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels import direct_function as native
from ..._kernels.conv import windows
from ..create.factory import refuse_dtype
from .windows import window_counts

Ints = tuple[int, ...]
Pair = tuple[int, int]
ADDED = FLOATS | {dtypes.bool_}


def read_pair(name: str, value: Any) -> Pair:
    """Return one number for rows and one for columns.

    Raises:
        TypeError: if the numbers are not integers.
        RuntimeError: if there are not two of them.
    """
    if is_whole(value):
        return (int(value), int(value))
    if not isinstance(value, (tuple, list)) or not all(is_whole(item) for item in value):
        raise TypeError(errors.wrong_type("unfold and fold", name, 2, "tuple of ints", value))
    if len(value) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
    return (int(value[0]), int(value[-1]))


def read_options(kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Pair, Pair, Pair, Pair]:
    """Return kernel, stride, padding and dilation as pairs.

    Raises:
        RuntimeError: if an option is out of range.
    """
    names = ("kernel_size", "dilation", "padding", "stride")
    pairs = [read_pair(name, value) for name, value in zip(names, (kernel, dilation, padding, stride))]
    words = (("kernel size", "kernel"), ("dilation", "dilation"), ("padding", "pad"), ("stride", "stride"))
    for (word, short), (rows, columns), least in zip(words, pairs, (1, 1, 0, 1)):
        if min(rows, columns) < least:
            kind = "greater than zero" if least else "non-negative"
            raise RuntimeError(f"{word} should be {kind}, but got {short}_height: {rows} {short}_width: {columns}")
    return pairs[0], pairs[3], pairs[2], pairs[1]


def blocks_of(plane: Ints, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair) -> Pair:
    """Return the number of patches along rows and columns.

    Raises:
        RuntimeError: if there are none.
    """
    rows, columns = window_counts(plane, kernel, stride, padding, dilation)
    if min(rows, columns) < 1:
        raise RuntimeError(
            f"Given input with spatial size ({plane[0]}, {plane[1]}), kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as ({rows}, {columns}), but its "
            "components must be at least one."
        )
    return rows, columns


def check_images(array: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Any, Pair]:
    """Return the options of `im2col` by dimension, and the number of blocks along each of them.

    Raises:
        RuntimeError: if the options do not fit, or there are no images.
        NotImplementedError: if there is no kernel for the dtype.
    """
    options = read_options(kernel_size, dilation, padding, stride)
    if array.ndim not in (3, 4) or 0 in array.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {shown(array.shape)}"
        )
    refuse_dtype("im2col_out_cpu", array, ADDED)
    return options, blocks_of(array.shape[-2:], *options)


rearrangement = partial(op, dtypes=ADDED, linear="input", public="neither")
"""Images as columns, and columns as images."""


@rearrangement(batching=folded(3, most=4), node="Im2ColBackward0", native=native("im2col"))
def im2col(input: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Patches of (N, C, H, W) or (C, H, W) as columns: (N, C * rows * columns, patches)."""
    options, blocks = check_images(input, kernel_size, dilation, padding, stride)
    images = input if input.ndim == 4 else input[None]
    kernel, step, side, gap = options
    seen = windows(images, kernel, step, side, gap)
    columns = seen.reshape(images.shape[0], images.shape[1] * kernel[0] * kernel[1], blocks[0] * blocks[1])
    return np.array(columns if input.ndim == 4 else columns[0])


im2col.shows(
    kernel_size="as pair",
    stride="as pair",
    padding="as pair",
    dilation="as pair",
    self_sym_argsize_minus_1=lambda node: read_saved(node, "input_shape")[-1],
    self_sym_argsize_minus_2=lambda node: read_saved(node, "input_shape")[-2],
)


@im2col.vjp("input")
def im2col_vjp(grad: Any, input_shape: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return col2im(grad, input_shape[-2:], kernel_size, dilation, padding, stride)


@im2col.samples
def im2col_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (2, 3))
    yield Sample(make(3, 5, 4), 2, 2, 1, (2, 1))
    yield Bad(make(1, 2, 3, 3), 4, raises=RuntimeError, says="its components must be at least one")
    yield Bad(make(3, 3), 2, raises=RuntimeError, says="Expected 3D or 4D (batch mode) tensor")


@rearrangement(batching=folded(2, most=3), node="Col2ImBackward0", native=native("col2im"))
def col2im(
    input: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Transpose of `im2col`: add columns (N, C * rows * columns, patches) up at the places of their patches."""
    kernel, step, side, gap = read_options(kernel_size, dilation, padding, stride)
    height, width = read_pair("output_size", output_size)
    refuse_dtype("col2im_out_cpu", input, ADDED)
    blocks = check_columns(input.shape, (height, width), kernel, step, side, gap)
    lead = input.shape[0] if input.ndim == 3 else 1
    channels = input.shape[-2] // (kernel[0] * kernel[1])
    parts = input.reshape(lead, channels, *kernel, *blocks)
    padded = np.zeros((lead, channels, height + 2 * side[0], width + 2 * side[1]), input.dtype)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            down, along = row * gap[0], column * gap[1]
            rows = slice(down, down + (blocks[0] - 1) * step[0] + 1, step[0])
            columns = slice(along, along + (blocks[1] - 1) * step[1] + 1, step[1])
            padded[:, :, rows, columns] += parts[:, :, row, column]
    inner = padded[:, :, side[0] : side[0] + height, side[1] : side[1] + width]
    return np.ascontiguousarray(inner if input.ndim == 3 else inner[0])


col2im.shows(kernel_size="as pair", stride="as pair", padding="as pair", dilation="as pair")


def check_columns(shape: Ints, plane: Pair, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair) -> Pair:
    """Return the number of patches along rows and columns for columns of `shape`.

    Raises:
        RuntimeError: if the columns do not fit the plane.
    """
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {shown(shape)}"
        )
    at = len(shape) - 2
    if shape[at] % (kernel[0] * kernel[1]):
        raise RuntimeError(
            f"Expected size of input's dimension {at} to be divisible by the product of kernel_size, but got "
            f"input.size({at})={shape[at]} and kernel_size={kernel}."
        )
    rows, columns = blocks_of(plane, kernel, stride, padding, dilation)
    if shape[at + 1] != rows * columns:
        raise RuntimeError(
            f"Given output_size={plane}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension {at + 1} to match the calculated number of sliding "
            f"blocks {rows} * {columns} = {rows * columns}, but got input.size({at + 1})={shape[at + 1]}."
        )
    return rows, columns


@col2im.vjp("input")
def col2im_vjp(grad: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return im2col(grad, kernel_size, dilation, padding, stride)


@col2im.samples
def col2im_samples(make: Any) -> Any:
    yield Sample(make(2, 12, 6), (3, 4), 2)
    yield Sample(make(4, 12), (5, 4), 2, 2, 1, (2, 1))
    yield Bad(make(2, 12, 5), (3, 4), 2, raises=RuntimeError, says="number of sliding blocks 2 * 3 = 6")


@composite(method=False, function=False, name="unfold_patches")
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Patches of images as columns.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: rows and columns of a patch; a number or a pair.
        dilation: step inside the patch.
        padding: zeros around each plane.
        stride: step between patches.

    Returns:
        A new tensor (N, C * rows * columns, patches), or without N.

    Raises:
        RuntimeError: if the patches do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.unfold(wg.arange(6.0).reshape(1, 1, 2, 3), 2)
        tensor([[[0., 1.],
                 [1., 2.],
                 [3., 4.],
                 [4., 5.]]])
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("unfold", "input", 1, "Tensor", input))
    return im2col(input, kernel_size, dilation, padding, stride)


@composite(method=False, function=False, name="fold_patches")
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Add up columns at the places of the patches that `unfold` would take them from.

    Args:
        input: (N, C * rows * columns, patches), or without N.
        output_size: height and width of the result.
        kernel_size, dilation, padding, stride: as for `unfold`.

    Returns:
        A new tensor (N, C, height, width), or without N.

    Raises:
        RuntimeError: if the columns do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.fold(wg.ones(1, 4, 2), (2, 3), 2)
        tensor([[[[1., 2., 1.],
                  [1., 2., 1.]]]])
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("fold", "input", 1, "Tensor", input))
    return col2im(input, output_size, kernel_size, dilation, padding, stride)


@unfold.samples
def unfold_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), 2)


@fold.samples
def fold_samples(make: Any) -> Any:
    yield Sample(make(2, 12, 6), (3, 4), 2)


def of_rows(name: str) -> Any:
    """Return a native function with row-major results, for tensors that are not channels-last. None without the
    extension.
    """
    function: Any = native(name)

    def call(input: Any, factor: Any) -> Any:
        inside = isinstance(input, np.ndarray) and input.ndim > 3 and not input.flags.c_contiguous
        return NotImplemented if inside else function(input, factor)

    return function and call


shuffle = partial(op, layout="suggested", dtypes=WIDE, linear="input", batching=folded(3), public="function")
"""Rearrangements of channels and pixels."""


@shuffle(native=of_rows("pixel_shuffle"))
def pixel_shuffle(input: Array, upscale_factor: int) -> Any:
    """Rearrange channels as pixels.

    Args:
        input: (..., C * r * r, H, W).
        upscale_factor: r.

    Returns:
        A new tensor (..., C, H * r, W * r).

    Raises:
        RuntimeError: if the number of channels is not a multiple of r * r.

    Examples:
        >>> import wengert as wg
        >>> wg.pixel_shuffle(wg.arange(4).reshape(1, 4, 1, 1), 2)
        tensor([[[[0, 1],
                  [2, 3]]]])
    """
    factor = int(upscale_factor)
    shuffled_shape(input.shape, factor)
    *lead, channels, height, width = input.shape
    parts = input.reshape(*lead, channels // (factor * factor), factor, factor, height, width)
    at = len(lead)
    order = (*range(at + 1), at + 3, at + 1, at + 4, at + 2)
    return parts.transpose(order).reshape(*lead, -1 if parts.size else parts.shape[at], height * factor, width * factor)


def shuffled_shape(shape: Ints, factor: int) -> Ints:
    """Return the shape of images whose channels have become pixels.

    Raises:
        RuntimeError: if there are no images, or the factor does not divide their channels.
    """
    check_shuffle("pixel_shuffle", shape, factor, "upscale_factor")
    *lead, channels, height, width = shape
    if channels % (factor * factor):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor * factor}"
        )
    return (*lead, channels // (factor * factor), height * factor, width * factor)


def unshuffled_shape(shape: Ints, factor: int) -> Ints:
    """Return the shape of images whose pixels have become channels.

    Raises:
        RuntimeError: if there are no images, or the factor does not divide their sides.
    """
    check_shuffle("pixel_unshuffle", shape, factor, "downscale_factor")
    *lead, channels, height, width = shape
    for at, (word, length) in zip((-2, -1), (("height", height), ("width", width))):
        if length % factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but input.size({at})={length} "
                f"is not divisible by {factor}"
            )
    return (*lead, channels * factor * factor, height // factor, width // factor)


def check_shuffle(name: str, shape: Ints, factor: int, option: str) -> None:
    """Refuse factors below 1 and inputs without planes."""
    if len(shape) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {option}, but got {factor}")


@pixel_shuffle.vjp("input")
def pixel_shuffle_vjp(grad: Any, upscale_factor: int) -> Any:
    return pixel_unshuffle(grad, upscale_factor)


@pixel_shuffle.samples
def pixel_shuffle_samples(make: Any) -> Any:
    yield Sample(make(2, 8, 3, 2), 2)
    yield Sample(make(9, 1, 2), 3)
    yield Bad(make(3, 2, 2), 2, raises=RuntimeError, says="is not divisible by 4")


@shuffle(native=of_rows("pixel_unshuffle"))
def pixel_unshuffle(input: Array, downscale_factor: int) -> Any:
    """Rearrange pixels as channels: the inverse of `pixel_shuffle`.

    Args:
        input: (..., C, H * r, W * r).
        downscale_factor: r.

    Returns:
        A new tensor (..., C * r * r, H, W).

    Raises:
        RuntimeError: if height or width is not a multiple of r.

    Examples:
        >>> import wengert as wg
        >>> wg.pixel_unshuffle(wg.arange(4).reshape(1, 1, 2, 2), 2).flatten()
        tensor([0, 1, 2, 3])
    """
    factor = int(downscale_factor)
    shape = unshuffled_shape(input.shape, factor)
    *lead, channels, height, width = input.shape
    parts = input.reshape(*lead, channels, height // factor, factor, width // factor, factor)
    at = len(lead)
    order = (*range(at + 1), at + 2, at + 4, at + 1, at + 3)
    return parts.transpose(order).reshape(shape)


@pixel_unshuffle.vjp("input")
def pixel_unshuffle_vjp(grad: Any, downscale_factor: int) -> Any:
    return pixel_shuffle(grad, downscale_factor)


@pixel_unshuffle.samples
def pixel_unshuffle_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 6, 4), 2)
    yield Bad(make(3, 3, 2), 2, raises=RuntimeError, says="expects height to be divisible by downscale_factor")


unfold = plain_case(unfold, im2col, card="unfold_patches", module=FUNCTIONAL)
fold = plain_case(fold, col2im, card="fold_patches", module=FUNCTIONAL)

__all__ = ["pixel_shuffle", "pixel_unshuffle"]
