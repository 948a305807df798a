"""Memory formats: orders of the elements in memory that programs ask for by name."""

from __future__ import annotations

from typing import Any

from .._core import layouts
from .._core.devices import channels_last, channels_last_3d, contiguous_format, preserve_format
from .._core.door import is_row_major

RANKS = {channels_last: 4, channels_last_3d: 5}


def strides_in(array: Any, order: Any) -> tuple[int, ...]:
    """The strides of a copy of an array in a memory format (None: its own order).

    Raises:
        RuntimeError: the array has not as many dimensions as the format is for.
    """
    if order is None or order is preserve_format:
        return layouts.preserved(array)
    if order not in RANKS:
        return layouts.row_major(array.shape)
    if array.ndim != RANKS[order]:
        raise RuntimeError(f"required rank {RANKS[order]} tensor to use {order.name} format")
    return layouts.channels_last(array.shape)


def copied(array: Any, order: Any) -> Any:
    """A copy of an array in the order of a memory format (None: its own)."""
    if order in (None, preserve_format, contiguous_format) and is_row_major(array):
        return array.copy()
    made = layouts.empty(array.shape, strides_in(array, order), array.dtype)
    made[...] = array
    return made


def is_in_format(array: Any, order: Any) -> bool:
    """Whether an array is dense in the order of a memory format (None: row-major)."""
    if order in RANKS:
        return array.ndim == RANKS[order] and layouts.is_channels_last(array)
    return bool(array.flags.c_contiguous)
