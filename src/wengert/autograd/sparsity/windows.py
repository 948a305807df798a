"""Rules of convolution and pooling: each element depends on its window."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..._core.tensor.base import Tensor
from .calls import Call, everything
from .sets import Sets, union

Ints = Sequence[int]


def spread(value: Any, count: int) -> tuple[int, ...]:
    """Return a number for each of `count` dimensions."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return values * count if len(values) == 1 else values


def pairs(lengths: Ints, counts: Ints, used: Any, stride: Ints, padding: Ints, dilation: Ints) -> tuple[Any, Any]:
    """Return the places of windows: arrays of the numbers of windows, and of a place in each.

    Args:
        lengths, counts: the size of the input, and the number of windows, in each dimension.
        used: mask of the places of a window that count.
    """
    windows, places = [np.zeros(0, int)], [np.zeros(0, int)]
    for offsets in np.argwhere(used):
        starts = [np.arange(count) * step - before for count, step, before in zip(counts, stride, padding)]
        at = [start + offset * spacing for start, offset, spacing in zip(starts, offsets, dilation)]
        inside = [np.flatnonzero((index >= 0) & (index < length)) for index, length in zip(at, lengths)]
        windows.append(np.ravel_multi_index(np.ix_(*inside), counts).ravel())
        places.append(np.ravel_multi_index(np.ix_(*[index[fit] for index, fit in zip(at, inside)]), lengths).ravel())
    return np.concatenate(windows), np.concatenate(places)


def windowed(sets: Sets, groups: int, linked: tuple[Any, Any], shape: Ints, rank: int) -> Sets:
    """Return the union of elements over windows and all channels of a group.

    Args:
        sets: an array of shape (batch, channels, ...) with `rank` further dimensions.
        linked: arrays of the numbers of elements of the result, and of an element that each depends on, in a channel.
        shape: the shape of the result.
    """
    lead = sets.shape[: len(sets.shape) - rank]
    batch, size, count = prod(lead[:-1]), prod(sets.shape[len(lead) :]), prod(shape[len(lead) :])
    united = sets.reshaped((batch, groups, lead[-1] // groups, size)).united(2)
    rows, elements = linked
    first = np.arange(batch * groups)[:, np.newaxis]
    result = united.linked((first * count + rows).ravel(), (first * size + elements).ravel(), (batch, groups, 1, count))
    return result.broadcast((batch, groups, shape[len(lead) - 1] // groups, count)).reshaped(shape)


def geometry(call: Call, lengths: Ints, counts: Ints) -> tuple[Any, Any]:
    """Return `pairs` for a convolution; zeros of a constant kernel do not count."""
    options = [spread(call[name], len(lengths)) for name in ("stride", "padding", "dilation")]
    weight = call["weight"]._array_
    used = (weight != 0).any((0, 1)) if call.is_fixed(call["weight"]) else np.ones(weight.shape[2:], bool)
    return pairs(lengths, counts, used, *options)


def convolution(call: Call, result: Tensor) -> Sets | None:
    """Rule of convolution: the window in all channels of the group, and the weights and bias of the channel."""
    if call["transposed"]:
        return convolution_back(call, result)
    shape = result._array_.shape
    sets, weight = call.sets["input"], call.sets["weight"]
    rank = call["weight"]._array_.ndim - 2
    if weight is not None:
        weight = weight.united(range(1, rank + 2)).reshaped((weight.shape[0], *(1,) * rank))
    if sets is not None:
        linked = geometry(call, sets.shape[-rank:], shape[-rank:])
        sets = windowed(sets, call["groups"], linked, shape, rank)
    return union([sets, weight, offset(call, rank)], shape)


def offset(call: Call, rank: int) -> Sets | None:
    """Return the sets of the bias of each channel."""
    bias = call.sets.get("bias")
    return None if bias is None else bias.reshaped((bias.shape[0], *(1,) * rank))


def convolution_back(call: Call, result: Tensor) -> Sets | None:
    """Rule of the gradient of a convolution: the windows that contain an element."""
    shape = result._array_.shape
    sets = call.sets["grad"] if call.has("grad") else call.sets["input"]
    weight = call.sets["weight"]
    rank = call["weight"]._array_.ndim - 2
    if weight is not None:
        weight = weight.united().reshaped(())
    if sets is not None:
        windows, places = geometry(call, shape[-rank:], sets.shape[-rank:])
        sets = windowed(sets, call["groups"], (places, windows), shape, rank)
    return union([sets, weight, offset(call, rank)], shape)


def pooling(call: Call, lengths: Ints, counts: Ints) -> tuple[Any, Any]:
    """Return `pairs` for pooling."""
    rank = len(lengths)
    kernel = spread(call["kernel_size"], rank)
    stride = spread(call["stride"], rank) if call["stride"] else kernel
    dilation = spread(call["dilation"], rank) if call.has("dilation") else (1,) * rank
    return pairs(lengths, counts, np.ones(kernel, bool), stride, spread(call["padding"], rank), dilation)


def pooled(rank: int) -> Any:
    """Return the rule of pooling in `rank` dimensions: the window in the same channel."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        sets, shape = call.operands()[0], result._array_.shape
        linked = pooling(call, sets.shape[-rank:], shape[-rank:])
        return windowed(sets, sets.shape[-rank - 1], linked, shape, rank)

    return rule


def average_back(rank: int) -> Any:
    """Return the rule of the gradient of average pooling: the windows that contain an element."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        sets, shape = call.operands()[0], result._array_.shape
        if len(shape) <= rank:
            return everything(call, result)
        windows, places = pooling(call, shape[-rank:], sets.shape[-rank:])
        return windowed(sets, sets.shape[-rank - 1], (places, windows), shape, rank)

    return rule
