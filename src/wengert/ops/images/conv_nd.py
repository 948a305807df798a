"""Convolution in one, two and three dimensions, on arrays, from the two-dimensional kernels.

Three maps, each linear in both of its arrays: `forward`, and `input_gradient` and `weight_gradient`, its transposes.
A transposed convolution is `input_gradient`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._kernels.layout import strided
from ..._kernels.results import wide_dtype

Array = Any
Ints = Any
"""A tuple of one to three integers; the kernels are typed for pairs."""


def places_along(length: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """How many places a kernel takes along an axis."""
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def places_of(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Ints:
    """How many places a kernel takes along each axis of `shape` (N, C, ...)."""
    return tuple(places_along(*each) for each in zip(shape[2:], kernel, stride, padding, dilation))


def compact(array: Array) -> Array:
    """The array in row-major order, as the native kernels like it."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def filled(grad: Array, places: Ints) -> Array:
    """A gradient with zeros where places lie behind its own: a transposed convolution with output padding may leave
    some out."""
    if grad.shape[2:] == places:
        return compact(grad)
    result = np.zeros((*grad.shape[:2], *places), grad.dtype)
    result[(slice(None), slice(None), *(slice(length) for length in grad.shape[2:]))] = grad
    return result


def planes(x: Array) -> Array:
    """(N, C, L) as (N, C, 1, L)."""
    return compact(x)[:, :, None]


def forward(
    x: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """Convolution of `x` (N, C, ...) with `weight` (O, C / groups, ...): (N, O, ...)."""
    if len(stride) == 2:
        return kernels.conv2d(compact(x), compact(weight), bias, stride, padding, dilation, groups)
    if len(stride) == 1:
        made = kernels.conv2d(planes(x), planes(weight), bias, (1, *stride), (0, *padding), (1, *dilation), groups)
        return made[:, :, 0]
    depth = places_along(x.shape[2], weight.shape[2], stride[0], padding[0], dilation[0])
    seen = depths_as_channels(x, weight.shape[2], depth, stride[0], padding[0], dilation[0])
    result = kernels.conv2d(seen, flat_kernels(weight), bias, stride[1:], padding[1:], dilation[1:], groups)
    return np.ascontiguousarray(np.moveaxis(result.reshape(len(x), depth, *result.shape[1:]), 1, 2))


def input_gradient(
    grad: Array, weight: Array, shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """The transpose of `forward` in `x`: an array of `shape` (N, C, ...) from `grad` (N, O, ...)."""
    grad = filled(grad, places_of(shape, weight.shape[2:], stride, padding, dilation))
    if len(stride) == 2:
        return kernels.conv2d_backward_input(grad, compact(weight), shape, stride, padding, dilation, groups)
    if len(stride) == 1:
        flat = (*shape[:2], 1, shape[2])
        wide = ((1, *stride), (0, *padding), (1, *dilation))
        return kernels.conv2d_backward_input(grad[:, :, None], planes(weight), flat, *wide, groups)[:, :, 0]
    batch, channels, length, *plane = shape
    depth, taps = grad.shape[2], weight.shape[2]
    seen = (batch * depth, channels * taps, *plane)
    options = (seen, stride[1:], padding[1:], dilation[1:], groups)
    made = kernels.conv2d_backward_input(planes_of(grad), flat_kernels(weight), *options)
    made = made.reshape(batch, depth, channels, taps, *plane)
    result = np.zeros((batch, channels, length + 2 * padding[0], *plane), wide_dtype(grad.dtype))
    for tap in range(taps):
        first = tap * dilation[0]
        result[:, :, first : first + (depth - 1) * stride[0] + 1 : stride[0]] += made[:, :, :, tap].swapaxes(1, 2)
    return np.ascontiguousarray(result[:, :, padding[0] : padding[0] + length], grad.dtype)


def weight_gradient(
    grad: Array, x: Array, shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """The transpose of `forward` in `weight`: an array of `shape` (O, C / groups, ...) from `grad` (N, O, ...) and
    `x`."""
    grad = filled(grad, places_of(x.shape, shape[2:], stride, padding, dilation))
    if len(stride) == 2:
        return kernels.conv2d_backward_weight(grad, compact(x), shape, stride, padding, dilation, groups)
    if len(stride) == 1:
        flat = (*shape[:2], 1, shape[2])
        wide = ((1, *stride), (0, *padding), (1, *dilation))
        return kernels.conv2d_backward_weight(grad[:, :, None], planes(x), flat, *wide, groups)[:, :, 0]
    outputs, inputs, taps, *kernel = shape
    seen = depths_as_channels(x, taps, grad.shape[2], stride[0], padding[0], dilation[0])
    options = ((outputs, inputs * taps, *kernel), stride[1:], padding[1:], dilation[1:], groups)
    return kernels.conv2d_backward_weight(planes_of(grad), seen, *options).reshape(shape)


def depths_as_channels(x: Array, taps: int, places: int, stride: int, padding: int, dilation: int) -> Array:
    """What a kernel sees at its places along the depth, each depth of the kernel as a channel of its own.

    (N, C, D, H, W) becomes (N * places, C * taps, H, W): a convolution of volumes is one of these planes, with the
    kernels' own memory.
    """
    if padding:
        padded = np.zeros((*x.shape[:2], x.shape[2] + 2 * padding, *x.shape[3:]), x.dtype)
        padded[:, :, padding : padding + x.shape[2]] = x
        x = padded
    batch, channel, depth, *plane = x.strides
    shape = (x.shape[0], places, x.shape[1], taps, *x.shape[3:])
    seen = strided(x, shape, (batch, depth * stride, channel, depth * dilation, *plane))
    return np.ascontiguousarray(seen).reshape(shape[0] * places, shape[2] * taps, *shape[4:])


def flat_kernels(weight: Array) -> Array:
    """Kernels of volumes (O, C / groups, depths, ...) as kernels of planes with a channel for each depth."""
    return compact(weight).reshape(weight.shape[0], weight.shape[1] * weight.shape[2], *weight.shape[3:])


def planes_of(x: Array) -> Array:
    """(N, C, D, H, W) as (N * D, C, H, W)."""
    picked = np.ascontiguousarray(np.moveaxis(x, 2, 1))
    return picked.reshape(picked.shape[0] * picked.shape[1], *picked.shape[2:])
