"""Strides: how the same memory can be seen under another shape. No tensors, and no element is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

PLAIN_KINDS = "biufc"


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The memory of an array from its first element on under another shape and strides (in bytes)."""
    if array.flags.c_contiguous and array.flags.writeable and array.dtype.kind in PLAIN_KINDS and array.size:
        return np.ndarray(shape, array.dtype, array, 0, strides)  # several times faster than as_strided, and checked
    return as_strided(array, shape, strides)


def row_major(shape: Sequence[int], step: int) -> tuple[int, ...]:
    """The strides of a dense array in row-major order whose elements lie `step` apart."""
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

    Runs of dimensions that lie densely in memory are one chunk; the wanted dimensions must fill chunk after chunk.
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


__all__ = ["row_major", "seen_as", "strided", "view_strides"]
