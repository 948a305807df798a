"""Convolution and pooling: each element depends on the window that it is made from."""

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
    """A number for each of `count` dimensions."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return values * count if len(values) == 1 else values


def pairs(lengths: Ints, counts: Ints, used: Any, stride: Ints, padding: Ints, dilation: Ints) -> tuple[Any, Any]:
    """Which places a window is made of: the numbers of windows, and beside each that of a place in it.

    Args:
        lengths, made: of what the windows are taken of, and how many there are, in each dimension.
        used: which places of a window count.
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
    """Elements of all channels of a group, united by windows.

    Args:
        sets: of shape (batch, channels, ...) with `rank` dimensions behind these.
        linked: the numbers of elements of the result, and beside each that of an element it depends on, in a channel.
        shape: that of the result.
    """
    lead = sets.shape[: len(sets.shape) - rank]
    batch, size, count = prod(lead[:-1]), prod(sets.shape[len(lead) :]), prod(shape[len(lead) :])
    united = sets.reshaped((batch, groups, lead[-1] // groups, size)).united(2)
    rows, elements = linked
    first = np.arange(batch * groups)[:, np.newaxis]
    result = united.linked((first * count + rows).ravel(), (first * size + elements).ravel(), (batch, groups, 1, count))
    return result.broadcast((batch, groups, shape[len(lead) - 1] // groups, count)).reshaped(shape)


def geometry(call: Call, lengths: Ints, counts: Ints) -> tuple[Any, Any]:
    """`pairs` for a convolution; zeros of a kernel that stays as it is do not count."""
    options = [spread(call[name], len(lengths)) for name in ("stride", "padding", "dilation")]
    weight = call["weight"]._array_
    used = (weight != 0).any((0, 1)) if call.is_fixed(call["weight"]) else np.ones(weight.shape[2:], bool)
    return pairs(lengths, counts, used, *options)


def convolution(call: Call, result: Tensor) -> Sets | None:
    """The window in all channels of the group, and the weights and the offset of the channel."""
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
    """The sets of what is added to each channel."""
    bias = call.sets.get("bias")
    return None if bias is None else bias.reshaped((bias.shape[0], *(1,) * rank))


def convolution_back(call: Call, result: Tensor) -> Sets | None:
    """The transpose: the windows that an element is in."""
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
    """`pairs` for pooling in so many dimensions."""
    rank = len(lengths)
    kernel = spread(call["kernel_size"], rank)
    stride = spread(call["stride"], rank) if call["stride"] else kernel
    dilation = spread(call["dilation"], rank) if call.has("dilation") else (1,) * rank
    return pairs(lengths, counts, np.ones(kernel, bool), stride, spread(call["padding"], rank), dilation)


def pooled(rank: int) -> Any:
    """For pooling in so many dimensions: the window in the same channel."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        sets, shape = call.operands()[0], result._array_.shape
        linked = pooling(call, sets.shape[-rank:], shape[-rank:])
        return windowed(sets, sets.shape[-rank - 1], linked, shape, rank)

    return rule


def average_back(rank: int) -> Any:
    """The transpose of averages: the windows that an element is in."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        sets, shape = call.operands()[0], result._array_.shape
        if len(shape) <= rank:
            return everything(call, result)
        windows, places = pooling(call, shape[-rank:], sets.shape[-rank:])
        return windowed(sets, sets.shape[-rank - 1], (places, windows), shape, rank)

    return rule
