"""Strides of views of the same memory under other shapes. No tensors, and no element is read.

The `base` of every view that is created here leads, from array to array, to one that spans the whole memory. So the
memory of any array is known, and no view can reach outside of it. (NumPy's `as_strided` checks nothing and breaks
this chain.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

PLAIN_KINDS = "biufc"


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The memory of an array from its first element on under another shape and strides (in bytes), within the array."""
    if array.flags.c_contiguous and array.flags.writeable and array.dtype.kind in PLAIN_KINDS and array.size:
        return np.ndarray(shape, array.dtype, array, 0, strides)  # the quick way to the same
    return reaching(array, shape, strides, 0)


def reaching(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], distance: int) -> Any:
    """The memory that an array is part of, under any shape and strides, `distance` bytes after its first element.

    Raises:
        RuntimeError: if the view would reach outside of that memory.
    """
    memory = memory_of(array)
    start = address(array) - address(memory) + distance
    if all(shape):
        steps = [(length - 1) * stride for length, stride in zip(shape, strides)]
        first = start + sum(step for step in steps if step < 0)
        end = start + sum(step for step in steps if step > 0) + array.itemsize
        if first < 0 or end > memory.size:
            raise RuntimeError(
                f"a view of shape {list(shape)} and strides {list(strides)} (in bytes) from byte {start} on is out of "
                f"bounds for memory of {memory.size} bytes"
            )
    else:
        start = min(max(start, 0), memory.size)  # there are no elements
    return np.ndarray(shape, array.dtype, memory, start, strides)


def memory_of(array: Any) -> Any:
    """All bytes of the memory that an array is part of, as far as it is known: that of the last `base`."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if not root.flags.c_contiguous:
        root = root.T
    if root.flags.c_contiguous:
        return root.reshape(-1).view(np.uint8)
    lowest = root[tuple([slice(None, None, -1 if stride < 0 else None) for stride in root.strides])]
    first = as_strided(lowest, (1,), (root.itemsize,)).view(np.uint8)
    steps = [(length - 1) * stride for length, stride in zip(lowest.shape, lowest.strides)]
    return as_strided(first, (root.itemsize + sum(steps) if root.size else 0,), (1,))


def address(array: Any) -> int:
    """Return the address of the first element. (`__array_interface__` ends the process where memory is short.)"""
    return array.ctypes.data


def row_major(shape: Sequence[int], step: int) -> tuple[int, ...]:
    """The strides of a dense array in row-major order whose elements are `step` apart."""
    strides: list[int] = []
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def view_strides(
    shape: Sequence[int], strides: Sequence[int], step: int, wanted: Sequence[int]
) -> tuple[int, ...] | None:
    """The strides under which memory of `shape` and `strides` can be seen as `wanted`; None if it cannot.

    Args:
        step: bytes of one element.

    Runs of dimensions that are dense in memory are one chunk; the wanted dimensions must fill chunk after chunk.
    """
    if not all(shape):
        return tuple(strides) if tuple(shape) == tuple(wanted) else row_major(wanted, step)
    result = [0] * len(wanted)
    at = len(wanted) - 1
    chunk = step if not shape else strides[-1]
    inside = filled = 1
    for dim in range(len(shape) - 1, -1, -1):
        inside *= shape[dim]
        if dim and (shape[dim - 1] == 1 or strides[dim - 1] == inside * chunk):
            continue
        while at >= 0 and (filled < inside or wanted[at] == 1):
            result[at] = filled * chunk
            filled *= wanted[at]
            at -= 1
        if filled != inside:
            return None
        if dim:
            chunk = strides[dim - 1]
            inside = filled = 1
    if not shape:
        return (step,) * len(wanted)
    return tuple(result) if at < 0 else None


def seen_as(array: Any, wanted: tuple[int, ...]) -> Any:
    """A view of `array` of the shape `wanted`, which has as many elements; None if that needs a copy."""
    if array.flags.c_contiguous:
        return array.reshape(wanted)
    strides = view_strides(array.shape, array.strides, array.itemsize, wanted)
    return None if strides is None else strided(array, wanted, strides)


__all__ = ["address", "memory_of", "reaching", "row_major", "seen_as", "strided", "view_strides"]
