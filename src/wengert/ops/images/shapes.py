"""The shapes of what is made of images, signals and volumes, by the checks that the bodies make first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import ALL, INTEGERS, ORDERED, REALS
from ..._core.operators import layouts
from ..._core.types import dtypes
from ..._core.types.dtypes import from_numpy
from ..create.factory import refuse_dtype
from ..dtype_checks import check_number, checked_number, refuse
from ..shape_rules import INT64, shape_of, shape_of_argument
from .conv import (
    check_backward,
    convolution,
    convolution_input,
    convolution_weight,
    convolution_window,
    result_shape,
    strides_of_result,
    strides_of_weight,
)
from .grid import affine_grid_generator, grid_shape, sampled
from .pad import constant_pad_nd, edge_pad, edge_pad_backward, places_of, read_pad
from .patches import (
    ADDED,
    check_columns,
    check_images,
    col2im,
    im2col,
    pixel_shuffle,
    pixel_unshuffle,
    read_options,
    read_pair,
    shuffled_shape,
    unshuffled_shape,
)
from .pool import (
    AVERAGED,
    avg_pool2d,
    avg_pool2d_backward,
    avg_pool3d,
    avg_pool3d_backward,
    gather_planes,
    gather_volumes,
    max_pool2d_with_indices,
    max_pool3d_with_indices,
    scatter_planes,
    scatter_volumes,
)
from .pool_adaptive import (
    adaptive_average,
    adaptive_average3d,
    adaptive_average3d_backward,
    adaptive_average_backward,
    adaptive_maximum,
    adaptive_maximum3d,
    check_adaptive,
)
from .pool_fractional import fractional_max_pool2d, fractional_max_pool3d, read_fractional
from .resize import check_sizes, resample, resample_backward, resample_bytes
from .unpool import check_unpool, check_volumes, max_unpool2d, max_unpool3d
from .windows import check_divisor, read_window, window_counts

shape_of(avg_pool2d_backward, avg_pool3d_backward, adaptive_average_backward, adaptive_average3d_backward)(
    shape_of_argument
)
resample_backward.shape(shape_of_argument)


# ---- convolution -----------------------------------------------------------------------------------------------------


@convolution.shape
def convolution_shape(input: Any, weight: Any, bias: Any, *options: Any) -> Any:
    stride, padding, dilation, transposed, output_padding, groups = options
    window = convolution_window(weight.ndim - 2, stride, padding, dilation, output_padding)
    shape = result_shape(input, weight, bias, window, transposed, groups)
    return shape, input.dtype, strides_of_result(shape, input, weight)


@convolution_input.shape
def convolution_input_shape(
    grad: Any, weight: Any, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    window = convolution_window(weight.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad, weight, weight.shape, tuple(shape), window, groups)
    return tuple(shape), grad.dtype, strides_of_result(tuple(shape), grad, weight)


@convolution_weight.shape
def convolution_weight_shape(
    grad: Any, input: Any, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    window = convolution_window(input.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad, input, tuple(shape), input.shape, window, groups)
    return tuple(shape), grad.dtype, strides_of_weight(tuple(shape), grad, window, groups)


# ---- pools -----------------------------------------------------------------------------------------------------------


def of_largest(card: Any, name: str, count: int) -> None:
    """Give the rule of the largest elements in windows along so many dimensions, with their places."""

    @card.shape
    def largest_shape(self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
        window = read_window(name, self.shape, count, (kernel_size, stride, padding, dilation), ceil_mode)
        refuse_dtype(name, self, ORDERED)
        shape = (*self.shape[:-count], *window_counts(self.shape, *window, ceil_mode))
        return [(shape, self.dtype), (shape, INT64)]


of_largest(max_pool2d_with_indices, "max_pool2d", 2)
of_largest(max_pool3d_with_indices, "max_pool3d", 3)


def of_average(card: Any, name: str, title: str, count: int) -> None:
    """Give the rule of the means of windows; `title` is what torch's errors call its kernel."""

    @card.shape
    def average_shape(
        self: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: Any,
    ) -> Any:
        window = read_window(name, self.shape, count, (kernel_size, stride, padding, 1), ceil_mode)
        check_divisor(name, divisor_override)
        refuse_dtype(title, self, AVERAGED)
        return (*self.shape[:-count], *window_counts(self.shape, *window, ceil_mode)), self.dtype


of_average(avg_pool2d, "avg_pool2d", "avg_pool2d", 2)
of_average(avg_pool3d, "avg_pool3d", "avg_pool3d_out_frame", 3)


@shape_of(scatter_planes, scatter_volumes)
def scattered_shape(grad: Any, indices: Any, shape: Any, *others: Any) -> Any:
    return tuple(shape), grad.dtype


@shape_of(gather_planes, gather_volumes)
def gathered_shape(self: Any, indices: Any) -> Any:
    refuse_dtype("gather_planes", self, ALL)
    return indices.shape, self.dtype


def of_adaptive(card: Any, name: str, title: str, taken: Any, count: int) -> None:
    """Give the rule of a pool of a given number of windows; `title` is what torch's errors call its kernel."""

    @card.shape
    def adaptive_shape(self: Any, output_size: Any) -> Any:
        sizes = check_adaptive(name, self.shape, output_size, count, computed=False)
        refuse_dtype(title, self, taken)
        shape = (*self.shape[:-count], *sizes)
        return [(shape, self.dtype), (shape, INT64)] if card.several else (shape, self.dtype)


of_adaptive(adaptive_average, "adaptive_avg_pool2d", "adaptive_avg_pool2d", REALS, 2)
of_adaptive(adaptive_average3d, "adaptive_avg_pool3d", "adaptive_avg_pool3d_cpu", REALS, 3)
of_adaptive(adaptive_maximum, "adaptive_max_pool2d", "adaptive_max_pool2d", REALS | INTEGERS, 2)
of_adaptive(adaptive_maximum3d, "adaptive_max_pool3d", "adaptive_max_pool3d_cpu", REALS, 3)


def of_fractional(card: Any, count: int) -> None:
    """Give the rule of a pool of windows at random places."""

    @card.shape
    def fractional_shape(self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
        _, sizes = read_fractional(card.name, self, kernel_size, output_size, random_samples, count)
        shape = (*self.shape[:-count], *sizes)
        return [(shape, self.dtype), (shape, INT64)]


of_fractional(fractional_max_pool2d, 2)
of_fractional(fractional_max_pool3d, 3)


@max_unpool2d.shape
def unpool_shape(input: Any, indices: Any, output_size: Any) -> Any:
    sizes = check_unpool("max_unpool2d", input, indices, output_size, 2)
    refuse_dtype("max_unpool2d", input, REALS)
    return (*input.shape[:-2], *sizes), input.dtype


@max_unpool3d.shape
def unpool_volume_shape(input: Any, indices: Any, output_size: Any, stride: Any, padding: Any) -> Any:
    sizes = check_volumes(input, indices, output_size, stride, padding)
    return (*input.shape[:-3], *sizes), input.dtype


# ---- borders, patches, other sizes -----------------------------------------------------------------------------------


@constant_pad_nd.shape
def constant_pad_shape(self: Any, pad: Any, value: Any) -> Any:
    if value is None:
        return self.shape  # a single element is refused in the operator's words
    kept, _, shape = places_of(self.shape, read_pad(pad, self.ndim))
    if shape is None:
        part = self.view(np.ndarray)[kept]
        return part.shape, self.dtype, layouts.preserved(part)
    checked_number(value, from_numpy(self.dtype))
    images = self.ndim > 3 and layouts.suggests_channels(self)
    return shape, self.dtype, layouts.channels_last(shape) if images else layouts.row_major(shape)


@edge_pad.shape
def edge_pad_shape(self: Any, pad: Any, mode: str) -> Any:
    if mode != "circular":
        word = "reflection" if mode == "reflect" else "replication"
        check_number("pad", f"{word}_pad{len(pad) // 2}d", self)
    shape = tuple([length + sum(side) for length, side in zip(self.shape, read_pad(pad, self.ndim))])
    suggested = mode != "circular" and self.ndim > 3 and layouts.suggests_channels(self)
    return shape, self.dtype, layouts.channels_last(shape) if suggested else layouts.row_major(shape)


@edge_pad_backward.shape
def edge_pad_backward_shape(grad: Any, pad: Any, mode: str, shape: Any) -> Any:
    read_pad(pad, len(shape))
    return tuple(shape), grad.dtype


@im2col.shape
def im2col_shape(input: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    (kernel, *_), blocks = check_images(input, kernel_size, dilation, padding, stride)
    return (*input.shape[:-3], input.shape[-3] * kernel[0] * kernel[1], blocks[0] * blocks[1]), input.dtype


@col2im.shape
def col2im_shape(input: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    options = read_options(kernel_size, dilation, padding, stride)
    plane = read_pair("output_size", output_size)
    refuse_dtype("col2im_out_cpu", input, ADDED)
    check_columns(input.shape, plane, *options)
    kernel = options[0]
    return (*input.shape[:-2], input.shape[-2] // (kernel[0] * kernel[1]), *plane), input.dtype


@pixel_shuffle.shape
def pixel_shuffle_shape(input: Any, upscale_factor: Any) -> Any:
    return shuffled_shape(input.shape, int(upscale_factor)), input.dtype


@pixel_unshuffle.shape
def pixel_unshuffle_shape(input: Any, downscale_factor: Any) -> Any:
    return unshuffled_shape(input.shape, int(downscale_factor)), input.dtype


@resample.shape
def resample_shape(self: Any, size: Any, mode: str, align_corners: bool, scales: Any, antialias: bool) -> Any:
    refuse_dtype("resample", self, REALS)
    check_sizes(self.shape, size, None)
    if antialias and from_numpy(self.dtype) is dtypes.float16:
        refuse("resample", "compute_index_ranges_weights", self)
    return (*self.shape[:2], *size), self.dtype


@resample_bytes.shape
def resample_bytes_shape(self: Any, size: Any, mode: str, *others: Any) -> Any:
    refuse_dtype("resample_bytes", self, {dtypes.uint8})
    check_sizes(self.shape, size, None)
    if mode in ("linear", "trilinear"):
        refuse("resample", "compute_indices_weights_linear", self)
    return (*self.shape[:2], *size), self.dtype


@sampled.shape
def sampled_shape(input: Any, grid: Any, *others: Any) -> Any:
    if input.dtype.kind not in "fV":
        refuse("grid_sampler", f"grid_sampler_{input.ndim - 2}d_cpu_kernel_impl", input)
    return (*input.shape[:2], *grid.shape[1:-1]), input.dtype


@affine_grid_generator.shape
def affine_grid_shape(theta: Any, size: Any, align_corners: bool) -> Any:
    return grid_shape(theta, size), theta.dtype
