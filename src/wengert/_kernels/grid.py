"""Places of a grid in an image, and the elements around each place.

The functions use operations that arrays and tensors share, so that values and rules share them; `Tools` has the rest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

FREE = -0.75
"""The free parameter of the cubic kernel."""
FAR = 2.0**31
"""Coordinates in volumes of this size or more, and NaN, count as `NOWHERE`."""
NOWHERE = -100.0


class Tools(NamedTuple):
    """`choose(mask, one, other)`; `whole(numbers)`, as int64; `number(mask, like)`, zeros and ones of a dtype;
    `floor(numbers)`, without derivative.
    """

    choose: Callable[[Any, Any, Any], Any]
    whole: Callable[[Any], Any]
    number: Callable[[Any, Any], Any]
    floor: Callable[[Any], Any]


def whole_array(numbers: Any) -> Any:
    """Non-negative numbers as int64, NaN as 0."""
    return np.where(numbers > 0, numbers, 0).astype(np.int64)


def number_array(mask: Any, like: Any) -> Any:
    """A mask as zeros and ones of the dtype of `like`."""
    return mask.astype(like.dtype)


ARRAYS = Tools(np.where, whole_array, number_array, np.floor)


class Tap(NamedTuple):
    """An element along one dimension for each place: its index, its weight, the derivative of the weight, and 1 where
    there is such an element, otherwise 0. (Places that are NaN have NaN as weights.)
    """

    index: Any
    weight: Any
    derivative: Any
    there: Any


def mirrored(at: Any, length: int, align: bool, tools: Tools) -> tuple[Any, Any]:
    """Coordinates reflected at the ends (the middles of the last elements, or their edges) until they are between them,
    and the derivative with respect to the original coordinates.
    """
    low, span = (0.0, length - 1.0) if align else (-0.5, float(length))
    if not span:
        return at * 0, at * 0
    away = at - low
    sign = tools.choose(away < 0, -1.0, 1.0)
    away = abs(away)
    turns = tools.floor(away / span)
    rest = away - turns * span
    odd = turns % 2 == 1
    return tools.choose(odd, span - rest, rest) + low, sign * tools.choose(odd, -1.0, 1.0)


def clipped(at: Any, length: int, volume: bool, tools: Tools) -> tuple[Any, Any]:
    """Coordinates moved to the nearest element (NaN to the first, of volumes to the last, as in torch), and the
    derivative with respect to the original coordinates: 0 at the ends, too, as second derivatives need it.
    """
    above, below = at > 0, at < length - 1
    if volume:
        coordinates = tools.choose(below, tools.choose(above, at, 0.0), length - 1.0)
    else:
        coordinates = tools.choose(above, tools.choose(below, at, length - 1.0), 0.0)
    return coordinates, tools.number(above & below, at)


def inside(at: Any, length: int, padding: str, align: bool, volume: bool, tools: Tools) -> tuple[Any, Any]:
    """Coordinates after padding, and the derivative with respect to the original coordinates."""
    if padding == "zeros":
        return tools.choose(abs(at) < FAR, at, NOWHERE) if volume else at, 1.0
    if padding == "border":
        return clipped(at, length, volume, tools)
    at, turned = mirrored(at, length, align, tools)
    at, unclipped = clipped(at, length, volume, tools)
    return at, turned * unclipped


def cubic(away: Any) -> tuple[Any, Any]:
    """The cubic kernel at a distance from 0 to 1, and its derivative."""
    return (
        ((FREE + 2) * away - (FREE + 3)) * away * away + 1,
        (3 * (FREE + 2) * away - 2 * (FREE + 3)) * away,
    )


def cubic_beyond(away: Any) -> tuple[Any, Any]:
    """The cubic kernel at a distance from 1 to 2, and its derivative."""
    return (
        ((FREE * away - 5 * FREE) * away + 8 * FREE) * away - 4 * FREE,
        (3 * FREE * away - 10 * FREE) * away + 8 * FREE,
    )


def taps_of(at: Any, mode: str, tools: Tools) -> list[tuple[Any, Any, Any]]:
    """Neighbours of coordinates: indices (whole numbers as floats), weights, derivatives of the weights."""
    if mode == "nearest":
        even = tools.number(at == at, at) * 0
        return [(at.round(), even + 1, even)]
    low = tools.floor(at)
    share = at - low
    if mode == "bilinear":
        even = tools.number(share == share, share) * 0
        return [(low, 1 - share, even - 1), (low + 1, share, even + 1)]
    parts = (cubic_beyond(share + 1), cubic(share), cubic(1 - share), cubic_beyond(2 - share))
    signs = (1, 1, -1, -1)
    return [(low + step - 1, part[0], sign * part[1]) for step, (part, sign) in enumerate(zip(parts, signs))]


def along(at: Any, length: int, mode: str, padding: str, align: bool, volume: bool, tools: Tools) -> list[Tap]:
    """The elements around places along one dimension, from coordinates between -1 and 1."""
    scale = (length - 1) / 2 if align else length / 2
    at = (at + 1) * scale - (0 if align else 0.5)
    turned: Any = 1.0
    if mode != "bicubic":
        at, turned = inside(at, length, padding, align, volume, tools)
    neighbours = []
    for index, weight, derivative in taps_of(at, mode, tools):
        if mode == "bicubic":
            index, _ = inside(index, length, padding, align, volume, tools)
        there = tools.number((index >= 0) & (index <= length - 1), weight)
        neighbours.append(
            Tap(tools.whole(index.clip(0, length - 1)), weight * there, derivative * turned * there * scale, there)
        )
    return neighbours


def corners(coordinates: list[Any], lengths: tuple[int, ...], options: Any, tools: Tools) -> Iterator[Any]:
    """The elements around each place.

    Args:
        coordinates: between -1 and 1, that of the last dimension first.
        lengths: of the image, that of the first dimension first.
        options: mode, padding, whether -1 and 1 are the middles of the last elements.
        tools: of arrays or of tensors.

    Yields:
        The place in the flat image, and a tap for each dimension, the last first.
    """
    order = lengths[::-1]
    mode, padding, align = options
    volume = len(lengths) == 3
    rows = [along(at, length, mode, padding, align, volume, tools) for at, length in zip(coordinates, order)]
    for taps in itertools.product(*rows):
        yield sum(tap.index * math.prod(order[:at]) for at, tap in enumerate(taps)), taps


def weight_of(taps: tuple[Tap, ...]) -> Any:
    """The weight of an element."""
    return math.prod((tap.weight for tap in taps[1:]), start=taps[0].weight)


def share_of(taps: tuple[Tap, ...], tools: Tools) -> Any:
    """Share of an element in the gradient of a value: its weight, 0 where there is no element."""
    return math.prod(tools.choose(tap.there > 0, tap.weight, 0.0) for tap in taps)


def is_element(taps: tuple[Tap, ...]) -> Any:
    """Mask of the places where the element exists: elements outside count as 0, whatever the edge holds."""
    return math.prod(tap.there for tap in taps) > 0


def weight_derivative(taps: tuple[Tap, ...], dim: int) -> Any:
    """Derivative of the weight of an element with respect to the coordinate of one dimension."""
    others = (tap.weight for at, tap in enumerate(taps) if at != dim)
    return math.prod(others, start=taps[dim].derivative)


def sample(image: Any, grid: Any, options: Any) -> Any:
    """The values of images (N, C, ...) at the places of grids (N, ..., dimensions): (N, C, ...)."""
    items, channels, *lengths = image.shape
    places = grid.reshape(items, math.prod(grid.shape[1:-1]), grid.shape[-1])
    flat = image.reshape(items, channels, math.prod(lengths))
    result = np.zeros((items, channels, places.shape[1]), image.dtype)
    for index, taps in corners([places[..., at] for at in range(places.shape[2])], tuple(lengths), options, ARRAYS):
        values = np.where(is_element(taps)[:, None], np.take_along_axis(flat, index[:, None], 2), 0)
        result += values * weight_of(taps)[:, None]
    return result.reshape(items, channels, *grid.shape[1:-1])
