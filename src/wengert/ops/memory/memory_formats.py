"""Memory formats: orders of elements in memory, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ... import _kernels as kernels
from ..._core.door import is_row_major
from ..._core.operators import layouts
from ..._core.types.devices import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format as MemoryFormat,
    preserve_format,
)

RANKS = {channels_last: 4, channels_last_3d: 5}


def strides_in(array: Any, order: Any) -> tuple[int, ...]:
    """Return the strides of a copy of an array in a memory format (None: its own order).

    Raises:
        RuntimeError: if the array has another number of dimensions than the format.
    """
    if order is None or order is preserve_format:
        return layouts.preserved(array)
    if order not in RANKS:
        return layouts.row_major(array.shape)
    if array.ndim != RANKS[order]:
        raise RuntimeError(f"required rank {RANKS[order]} tensor to use {order.name} format")
    return layouts.channels_last(array.shape)


def copied(array: Any, order: Any) -> Any:
    """Copy an array in the order of a memory format (None: its own)."""
    if order in (None, preserve_format, contiguous_format) and is_row_major(array):
        return array.copy()
    result = layouts.empty(array.shape, strides_in(array, order), array.dtype)
    kernels.copy_into(result, array)
    return result


def in_order_of(grad: Any, *sources: tuple[Any, Any]) -> Any:
    """Return a channels-last gradient if one of some tensors is channels-last, otherwise a row-major one.

    torch's kernels for images first bring the gradient into the order of the operator's input, and so the result has
    that order, too.

    Args:
        grad: tensor.
        sources: shape and strides of the tensors, one of which suffices.
    """
    array = grad._array_
    if not any(layouts.channels_lie_inside(tuple(shape), tuple(strides)) for shape, strides in sources):
        return grad if array.flags.c_contiguous else grad.contiguous()
    steps = layouts.channels_last(array.shape)
    if array.strides == tuple([step * array.itemsize for step in steps]):
        return grad
    return grad._restrided(steps)


def in_order_like(grad: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """Return a gradient with the strides that a copy of a tensor of its dtype has.

    Args:
        grad: tensor.
        shape, strides: those of the other tensor, which broadcasts to `grad`; strides in bytes.
    """
    array = grad._array_
    if array.strides == strides:
        return grad
    model = as_strided(np.empty(1, array.dtype), shape, strides)  # never read
    steps = layouts.preserved(model if shape == array.shape else np.broadcast_to(model, array.shape))
    return grad if steps == layouts.steps_of(array) else grad._restrided(steps)


def suggested_format(array: Any) -> Any:
    """Return the memory format that an array seems to have, among those that programs can name."""
    if array.ndim < 4 or not layouts.suggests_channels(array):
        return contiguous_format
    return channels_last if array.ndim == 4 else channels_last_3d


def is_in_format(array: Any, order: Any) -> bool:
    """Return whether an array is dense in the order of a memory format (None: row-major)."""
    if order is not None and order in RANKS:
        return array.ndim == RANKS[order] and layouts.is_channels_last(array)
    return bool(array.flags.c_contiguous)


def in_format(array: Any, memory_format: Any) -> Any:
    """Allocate memory of the shape of an array, in a memory format.

    Raises:
        TypeError: if `memory_format` is not a memory format.
        RuntimeError: if it is `preserve_format`, or for another number of dimensions.
    """
    if not isinstance(memory_format, MemoryFormat):
        type_text = type(memory_format).__name__
        raise TypeError(f"empty(): argument 'memory_format' must be torch.memory_format, not {type_text}")
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    if memory_format not in RANKS:
        return array
    if array.ndim != RANKS[memory_format]:
        raise RuntimeError(f"required rank {RANKS[memory_format]} tensor to use {memory_format.name} format")
    return layouts.empty(array.shape, layouts.channels_last(array.shape), array.dtype)
