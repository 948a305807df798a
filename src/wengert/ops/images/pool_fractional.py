"""Fractional pooling: windows at random places, whose number need not divide the length."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.arguments import integers
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, op
from ..._core.errors import shown
from ..._core.operators.declaration import is_whole
from ..._core.types.sizes import check_room
from ..._kernels import positions
from ..._kernels.pool import lowest
from ..create.factory import refuse_dtype
from .pool import gather_planes, gather_volumes, of_maxima, scatter_planes, scatter_volumes

Ints = tuple[int, ...]
AXES = ("time", "height", "width")


def read(name: str, option: str, value: Any, count: int) -> Ints:
    """Return a number for each dimension.

    Raises:
        TypeError: if the numbers are not integers.
        RuntimeError: if there is neither one number nor one for each dimension.
    """
    if is_whole(value):
        return (value.__index__(),) * count
    numbers = integers(name, option, value)
    if len(numbers) != count:
        raise RuntimeError(f"{name}: {option} must either be a single Int or tuple of Ints, got {shown(numbers)}")
    return numbers


def read_fractional(
    name: str, self: Any, kernel_size: Any, output_size: Any, samples: Any, count: int
) -> tuple[Ints, Ints]:
    """Return the lengths of windows and the size of the result, with one number for each dimension, checked."""
    kernel, sizes = read(name, "kernel_size", kernel_size, count), read(name, "output_size", output_size, count)
    refuse_dtype(name, self, REALS)
    check_fractional(name, self, kernel, sizes, samples)
    return kernel, sizes


def check_fractional(name: str, self: Any, kernel: Ints, sizes: Ints, samples: Any) -> None:
    """Refuse windows that do not fit, and random numbers for another input.

    Raises:
        RuntimeError: if they do not fit.
    """
    count = len(kernel)
    if self.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got a tensor of size {shown(self.shape)}"
        )
    for dim in range(self.ndim - count - 1, self.ndim):
        if not self.shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got{shown(self.shape)} "
                f"with dimension {dim} being empty."
            )
    check_samples(name, self, samples, count)
    for axis, taps, size, length in zip(AXES[-count:], kernel, sizes, self.shape[-count:]):
        if taps < 1:
            raise RuntimeError(f"{name}(): kernel_size must be greater than zero, but got {shown(kernel)}")
        if size + taps - 1 > length - (count == 3):  # torch needs one more element for volumes
            raise RuntimeError(f"{name}(): pool {axis} {taps} too large relative to input {axis} {length}")
    out_shape = (*self.shape[:-count], *sizes)
    if min(sizes) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {shown(out_shape)}")
    check_room(name, out_shape)


def check_samples(name: str, self: Any, samples: Any, count: int) -> None:
    """Refuse random numbers for another input."""
    items = self.shape[0] if self.ndim == count + 2 else 1
    if samples.dtype != self.dtype:
        raise RuntimeError(f"Expect _random_samples to have the same dtype as input in {name}, got {samples.dtype}")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < items:
        raise RuntimeError(
            f"Expect _random_samples.size(0) no less then input batch size, got {samples.shape[0]} for {items}"
        )
    if samples.shape[1] != self.shape[-count - 1]:
        raise RuntimeError(
            f"Expect _random_samples.size(1) equals to input channel size, got {samples.shape[1]} for "
            f"{self.shape[-count - 1]}"
        )
    if samples.shape[2] != count:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {count}; got {samples.shape[2]}.")


def starts_of(samples: Any, length: int, count: int, kernel: int) -> Any:
    """Return the starts of the windows along an axis, for each random number: (..., count).

    Source:
        Graham, Fractional max-pooling (2014), pseudo-random sequences.
    """
    at = positions.arange(count)
    if count < 2:
        return np.broadcast_to(np.full(count, length - kernel, np.int64), (*samples.shape, count))
    step = samples.dtype.type(length - kernel) / samples.dtype.type(count - 1)
    places = ((at.astype(samples.dtype) + samples[..., None]) * step).astype(np.int64)
    starts = places - (samples[..., None] * step).astype(np.int64)
    return np.where(at == count - 1, length - kernel, starts)


def largest_at(self: Any, kernel: Ints, sizes: Ints, samples: Any) -> tuple[Any, Any]:
    """Maximum of each window, and its index: the first of equals, the last NaN."""
    count = len(kernel)
    lengths, lead = self.shape[-count:], self.shape[:-count]
    strides = [math.prod(lengths[axis + 1 :]) for axis in range(count)]
    samples = samples[: lead[0]] if len(lead) == 2 else samples[0]
    samples = np.nan_to_num(np.clip(samples[..., ::-1] if count == 2 else samples, 0, 1))  # those of columns come first
    first = np.zeros((*lead, *(1,) * count), np.int64)
    for axis in range(count):
        starts = starts_of(samples[..., axis], lengths[axis], sizes[axis], kernel[axis])
        first = (
            first + starts.reshape(*lead, *(sizes[axis] if dim == axis else 1 for dim in range(count))) * strides[axis]
        )
    flat = self.reshape(*lead, math.prod(lengths))
    index = first
    best = np.full(first.shape, lowest(self.dtype), self.dtype)
    for taps in itertools.product(*map(range, kernel)):
        place = first + sum(tap * stride for tap, stride in zip(taps, strides))
        value = np.take_along_axis(flat, place.reshape(*lead, math.prod(sizes)), -1).reshape(place.shape)
        better = (value > best) | (value != value)
        best, index = np.where(better, value, best), np.where(better, place, index)
    return best, index


fractional = partial(op, dtypes=REALS, layout="rows", outputs={"values": True, "indices": False}, public="neither")


@fractional(node="FractionalMaxPool2DBackward0")
def fractional_max_pool2d(self: Array, kernel_size: Any, output_size: Any, random_samples: Index) -> Any:
    """Maximum of each of `output_size` windows of planes, which begin at random places, and its index.

    Args:
        self: (N, C, H, W) or (C, H, W), floating.
        kernel_size: rows and columns of a window; a number or a pair.
        output_size: number of windows along rows and columns; a number or a pair.
        random_samples: (N, C, 2), from [0, 1), of the dtype of `self`: for columns and for rows.

    Raises:
        RuntimeError: if the windows do not fit, or the random numbers are for another input.
    """
    window = read_fractional("fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2)
    return largest_at(self, *window, random_samples)


@fractional(node="FractionalMaxPool3DBackward0")
def fractional_max_pool3d(self: Array, kernel_size: Any, output_size: Any, random_samples: Index) -> Any:
    """Maximum of each of `output_size` windows of volumes, which begin at random places, and its index.

    Args:
        self: (N, C, D, H, W) or (C, D, H, W), floating.
        kernel_size: depths, rows and columns of a window; a number or three.
        output_size: number of windows in each dimension; a number or three.
        random_samples: (N, C, 3), from [0, 1), of the dtype of `self`: for depths, rows and columns.

    Raises:
        RuntimeError: if the windows do not fit, or the random numbers are for another input.
    """
    window = read_fractional("fractional_max_pool3d", self, kernel_size, output_size, random_samples, 3)
    return largest_at(self, *window, random_samples)


def of_members(card: Any, count: int, self: Any, kernel: Any, sizes: Any, samples: Any) -> Any:
    """Batching rule: all members are more items."""
    if self.ndim == count + 2:  # a member is one item, which the first of its random numbers belong to
        return card.call((self, kernel, sizes, samples.select(1, 0) if samples.ndim == 4 else samples))
    size, items = self.shape[0], self.shape[1]
    if samples.ndim == 4:
        samples = samples.narrow(1, 0, min(items, samples.shape[1])).flatten(0, 1)
    results = card.call((self.flatten(0, 1), kernel, sizes, samples))
    return tuple([part.reshape((size, items, *part.shape[1:])) for part in results])


for card, count, scatter, gather in (
    (fractional_max_pool2d, 2, scatter_planes, gather_planes),
    (fractional_max_pool3d, 3, scatter_volumes, gather_volumes),
):
    card.constant_in("random_samples")
    of_maxima(scatter, gather, "Fractional", ordered=False)(card)
    card.batched(partial(of_members, card, count))


@fractional_max_pool2d.samples
def fractional_max_pool2d_samples(make: Any) -> Any:
    draws = make(2, 3, 2).detach()
    yield Sample(make(2, 3, 6, 7), 2, (3, 4), draws)
    yield Sample(make(3, 5, 6), (2, 3), (1, 4), draws)
    yield Bad(make(2, 3, 6, 7), 2, 6, draws, raises=RuntimeError, says="pool height 2 too large relative to input heig")
    yield Bad(
        make(2, 1, 6, 7), 2, 3, draws, raises=RuntimeError, says="_random_samples.size(1) equals to input channel"
    )
    yield Bad(
        make(2, 3, 6, 7), (2, 2, 2), 3, draws, raises=RuntimeError, says="must either be a single Int or tuple of"
    )
    yield Bad(make(2, 3, 6, 7), 2.5, 2, draws, raises=TypeError, says="'kernel_size' must be tuple of ints, not float")
    yield Bad(make(2, 3, 6, 7), 2, -1, draws, raises=RuntimeError, says="negative dimension -1")


@fractional_max_pool3d.samples
def fractional_max_pool3d_samples(make: Any) -> Any:
    draws = make(2, 2, 3).detach()
    yield Sample(make(2, 2, 4, 3, 5), 2, (2, 1, 3), draws)
    yield Sample(make(2, 4, 4, 5), (1, 2, 3), 2, draws)
    yield Bad(make(2, 2, 4, 3, 5), 2, 3, draws, raises=RuntimeError, says="pool time 2 too large relative to input")
    yield Bad(make(2, 2, 4, 3, 5), 2, 1, draws[..., :2], raises=RuntimeError, says="size(2) equals to 3; got 2.")
