"""Convolution in one, two and three dimensions, on arrays, from the two-dimensional kernels.

Three maps, each linear in both of its arrays: `forward`, and `input_gradient` and `weight_gradient`, its transposes.
A transposed convolution is `input_gradient`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import _kernels as kernels

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
    depth, *rest = places_of(x.shape, weight.shape[2:], stride, padding, dilation)
    result = np.zeros((x.shape[0], depth, weight.shape[0], *rest), x.dtype)
    for at, valid, read in slabs(x.shape[2], weight.shape[2], depth, stride[0], padding[0], dilation[0]):
        part = kernels.conv2d(
            slab_of(x, read), compact(weight[:, :, at]), None, stride[1:], padding[1:], dilation[1:], groups
        )
        result[:, valid] += part.reshape(x.shape[0], -1, *part.shape[1:])
    result = np.ascontiguousarray(np.moveaxis(result, 1, 2))
    if bias is not None:
        result += bias.reshape(-1, 1, 1, 1)
    return result


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
    result = np.zeros((shape[0], shape[2], shape[1], *shape[3:]), grad.dtype)
    for at, valid, read in slabs(shape[2], weight.shape[2], grad.shape[2], stride[0], padding[0], dilation[0]):
        part, taps = slab_of(grad, valid), compact(weight[:, :, at])
        plane = (part.shape[0], shape[1], *shape[3:])
        made = kernels.conv2d_backward_input(part, taps, plane, stride[1:], padding[1:], dilation[1:], groups)
        result[:, read] += made.reshape(shape[0], -1, *plane[1:])
    return np.ascontiguousarray(np.moveaxis(result, 1, 2))


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
    result = np.zeros(shape, grad.dtype)
    for at, valid, read in slabs(x.shape[2], shape[2], grad.shape[2], stride[0], padding[0], dilation[0]):
        taps = (*shape[:2], *shape[3:])
        result[:, :, at] = kernels.conv2d_backward_weight(
            slab_of(grad, valid), slab_of(x, read), taps, stride[1:], padding[1:], dilation[1:], groups
        )
    return result


def slabs(
    length: int, kernel: int, places: int, stride: int, padding: int, dilation: int
) -> Iterator[tuple[int, Array, Array]]:
    """For each depth of the kernel: the places at which it reads data rather than padding, and the depths it reads
    there."""
    for at in range(kernel):
        read = np.arange(places) * stride + at * dilation - padding
        valid = np.flatnonzero((read >= 0) & (read < length))
        if valid.size:
            yield at, valid, read[valid]


def slab_of(x: Array, depths: Array) -> Array:
    """(N, C, D, H, W) at some depths, as (N * depths, C, H, W)."""
    picked = np.ascontiguousarray(np.moveaxis(x[:, :, depths], 2, 1))
    return picked.reshape(-1, *picked.shape[2:])
