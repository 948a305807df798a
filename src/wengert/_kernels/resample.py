"""Resampling along an axis: neighbours of the new elements, and their weights."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from . import positions
from .results import Array

NEAREST = ("nearest", "nearest-exact")
STAYING = ("nearest", "linear", "bilinear", "trilinear")
"""Modes in which an axis whose length does not change is copied, whatever the scale."""
CUBIC, KEYS = -0.75, -0.5
"""The free parameter of the cubic kernel as torch has it, and as Keys has it (where torch smooths)."""
REACH = {"bilinear": 1, "bicubic": 2, "lanczos": 3}
"""Half-width of smoothing kernels, in elements of the coarser side."""
FEW = 6
"""Number of neighbours up to which they are taken one by one; more are a product with a matrix."""
SMALL = 4096
"""Number of elements up to which all neighbours are gathered at once, and up to which plans are cached."""


def pace_of(length: int, count: int, align: bool, scale: float | None) -> float:
    """Distance of the places of neighbouring new elements, in old elements."""
    if align:
        return (length - 1) / (count - 1) if count > 1 else 0.0
    return 1 / scale if scale is not None and scale > 0 else length / count


def taps(length: int, count: int, mode: str, align: bool, scale: float | None, wide: Any) -> tuple[Array, Array]:
    """Old places and weights of each of `count` new places: two arrays (count, taps).

    Source:
        Keys, Cubic convolution interpolation for digital image processing (1981), for "bicubic".
    """
    at = positions.arange(count)
    pace = pace_of(length, count, align, scale)
    if length == count and mode in STAYING:
        return at[:, None], np.ones((count, 1), wide)
    if mode == "nearest" and count == 2 * length:
        return at[:, None] // 2, np.ones((count, 1), wide)
    if mode in NEAREST:
        middle = np.float32(0.5 if mode == "nearest-exact" else 0)
        places = np.minimum(np.floor((at.astype(np.float32) + middle) * np.float32(pace)).astype(np.int64), length - 1)
        return places[:, None], np.ones((count, 1), wide)
    source = at.astype(wide) * wide(pace) if align else (at.astype(wide) + wide(0.5)) * wide(pace) - wide(0.5)
    if mode == "bicubic":
        first = np.floor(source).astype(np.int64)
        places = np.clip(first[:, None] + positions.arange(-1, 3), 0, length - 1)
        return places, cubic_weights(source - first)
    source = np.maximum(source, wide(0))
    first = np.minimum(source.astype(np.int64), length - 1)
    share = np.minimum(source - first, wide(1)).astype(wide)
    return np.stack([first, np.minimum(first + 1, length - 1)], 1), np.stack([1 - share, share], 1)


def cubic(distance: Array, free: float) -> Array:
    """The cubic kernel at distances from 0 to 2."""
    inner = ((free + 2) * distance - (free + 3)) * distance * distance + 1
    outer = ((free * distance - 5 * free) * distance + 8 * free) * distance - 4 * free
    return np.where(distance < 1, inner, outer)


def cubic_weights(share: Array) -> Array:
    """The weights of the four neighbours of points at `share` between the second and the third."""
    near, far = np.stack([share, 1 - share], 1), np.stack([share + 1, 2 - share], 1)
    inner = ((CUBIC + 2) * near - (CUBIC + 3)) * near * near + 1
    outer = ((CUBIC * far - 5 * CUBIC) * far + 8 * CUBIC) * far - 4 * CUBIC
    return np.stack([outer[:, 0], inner[:, 0], inner[:, 1], outer[:, 1]], 1).astype(share.dtype)


def smooth(distance: Array, mode: str) -> Array:
    """Antialiasing kernel at `distance`."""
    size = np.abs(distance)
    if mode == "bilinear":
        value = 1 - size
    elif mode == "bicubic":
        value = cubic(size, KEYS)
    else:
        value = np.sinc(size) * np.sinc(size / 3)
    return np.where(size < REACH[mode], value, 0)


def smooth_taps(length: int, count: int, mode: str, align: bool, scale: float | None, wide: Any) -> tuple[Array, Array]:
    """`taps` of kernels stretched to the coarser of both sides, against aliasing."""
    if length == count:
        return positions.arange(count)[:, None], np.ones((count, 1), wide)
    pace = pace_of(length, count, align, scale)
    stretch = max(pace, 1.0)
    middle = pace * (positions.arange(count) + 0.5)
    reach = REACH[mode] * stretch
    first = np.maximum((middle - reach + 0.5).astype(np.int64), 0)
    behind = np.minimum((middle + reach + 0.5).astype(np.int64), length)
    places = first[:, None] + positions.arange(max(int((behind - first).max(initial=1)), 1))
    weights = smooth((places - middle[:, None] + 0.5) / stretch, mode)
    weights = np.where(places < behind[:, None], weights, 0)
    weights = weights / weights.sum(1, keepdims=True)
    return np.minimum(places, length - 1), weights.astype(wide)


Plan = tuple[Array, Array]


def plan_of(length: int, count: int, mode: str, align: bool, scale: float | None, antialias: bool, wide: Any) -> Plan:
    """`taps` or `smooth_taps`: places and weights of the `count` new places along an axis of `length` elements."""
    make = few_taps if length * count <= SMALL else any_taps
    return make(length, count, mode, align, scale, antialias, wide)


def any_taps(length: int, count: int, mode: str, align: bool, scale: float | None, antialias: bool, wide: Any) -> Plan:
    """`plan_of`, not cached."""
    return (smooth_taps if antialias else taps)(length, count, mode, align, scale, wide)


@lru_cache(maxsize=256)
def few_taps(*args: Any) -> Plan:
    """`plan_of`, cached, and so read-only."""
    places, weights = any_taps(*args)
    places.flags.writeable = weights.flags.writeable = False
    return places, weights


def matrix_of(plan: Plan, length: int) -> Array:
    """The matrix (old, new) of places and weights."""
    places, weights = plan
    matrix = np.zeros((length, len(places)), weights.dtype)
    np.add.at(matrix, (places, positions.arange(len(places))[:, None]), weights)
    return matrix


def along_axis(array: Array, plan: Plan, axis: int) -> Array:
    """An array with one axis resampled."""
    places, weights = plan
    if places.shape[1] == 1:
        return positions.take(array, places[:, 0], axis)
    if places.shape[1] > FEW:
        product = np.tensordot(array, matrix_of(plan, array.shape[axis]), ((axis,), (0,)))
        return np.moveaxis(product, -1, axis)
    behind = (1,) * (array.ndim - axis - 1)
    if array.size // max(array.shape[axis], 1) * places.size <= SMALL:
        result = positions.take(array, places, axis)
        result *= weights.reshape(*weights.shape, *behind)
        return np.add.reduce(result, axis + 1)
    ending = (len(places), *behind)
    result = positions.take(array, places[:, 0], axis) * weights[:, 0].reshape(ending)
    for tap in range(1, places.shape[1]):
        result += positions.take(array, places[:, tap], axis) * weights[:, tap].reshape(ending)
    return result


def transposed_along(array: Array, plan: Plan, length: int, axis: int) -> Array:
    """The transpose of `along_axis`, to an axis of `length` elements."""
    matrix, count = matrix_of(plan, length), array.shape[axis]
    lead, behind = array.shape[:axis], array.shape[axis + 1 :]
    if behind:
        result = matrix @ array.reshape(math.prod(lead), count, math.prod(behind))
    else:
        result = array.reshape(math.prod(lead), count) @ matrix.T
    return result.reshape(*lead, length, *behind)


def of_bytes(array: Array, plans: list[Plan]) -> Array:
    """uint8 resampled, the last axis first, in whole numbers as torch does: weights have so many bits as fit in 16."""
    result = array
    for at in reversed(range(len(plans))):
        matrix = matrix_of(plans[at], array.shape[at + 2])
        bits = next(bits for bits in range(22) if int(0.5 + matrix.max() * 2 ** (bits + 1)) >= 1 << 15)
        weights = np.trunc(matrix * 2**bits + np.where(matrix < 0, -0.5, 0.5))
        total = np.tensordot(result.astype(np.float64), weights, ((at + 2,), (0,))) + 2 ** (bits - 1)
        result = np.moveaxis(np.clip(np.floor(total / 2**bits), 0, 255).astype(np.uint8), -1, at + 2)
    return np.ascontiguousarray(result)
