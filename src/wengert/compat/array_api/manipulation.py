"""Functions of `wengert.array_api` that rearrange elements or select them by index."""

from __future__ import annotations

from typing import Any

import wengert as wg

from ..._tensor import Tensor
from .operands import only_axis, promoted


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Broadcast arrays to their common shape."""
    return list(wg.broadcast_tensors(*arrays))


def broadcast_to(x: Tensor, /, shape: Any) -> Tensor:
    """Broadcast `x` to a shape."""
    return wg.broadcast_to(x, tuple(shape))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """Concatenate arrays along a dimension; flatten them first if `axis` is None."""
    arrays = promoted("concat", *arrays)
    return wg.cat([array.reshape(-1) for array in arrays], 0) if axis is None else wg.cat(arrays, axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """Add a dimension of length 1.

    Args:
        axis: its position in the result.

    Raises:
        IndexError: if `axis` is out of range.
    """
    return wg.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    """Reverse the elements along dimensions, all by default."""
    if axis is None:
        axis = tuple(range(x.ndim))
    return wg.flip(x, (axis,) if isinstance(axis, int) else tuple(axis))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """Move dimensions to other positions."""
    return wg.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: Any) -> Tensor:
    """Permute the dimensions of `x`."""
    return wg.permute(x, tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Repeat every element.

    Args:
        repeats: number of repetitions: an integer, or a 1-dim array of integers, one for each element along `axis`.
        axis: the dimension; None flattens `x` first.
    """
    if isinstance(repeats, Tensor):
        repeats = repeats.to(wg.int64)
    return wg.repeat_interleave(x, repeats, dim=axis)


def reshape(x: Tensor, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """Return the elements in another shape.

    Args:
        copy: whether to copy; None copies only if needed.

    Raises:
        ValueError: if `copy` is false and a copy is needed.
    """
    if copy:
        return x.clone().reshape(shape)
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError:
            raise ValueError(f"reshape: {tuple(x.shape)} cannot become {shape} without a copy") from None
    return x.reshape(shape)


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Roll elements along dimensions; those beyond the end come first.

    Args:
        shift: distance: one number for all dimensions, or one for each.
        axis: the dimensions; None rolls the flattened elements.
    """
    if isinstance(shift, int) and not isinstance(axis, int | None):
        shift = (shift,) * len(axis)
    return wg.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    """Remove dimensions of length 1.

    Raises:
        ValueError: if one of the dimensions has another length.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for dim in axes:
        if length("squeeze", x, dim) != 1:
            raise ValueError(f"squeeze: dimension {dim} has length {x.shape[dim]}, not 1")
    return wg.squeeze(x, axes)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Stack arrays along a new dimension."""
    return wg.stack(promoted("stack", *arrays), axis)


def tile(x: Tensor, repetitions: Any, /) -> Tensor:
    """Repeat `x` along each dimension."""
    return wg.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Split `x` into the parts along a dimension."""
    return wg.unbind(x, axis)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Select parts of `x` by indices along a dimension.

    Args:
        indices: integers; negative ones count from the end.
        axis: the dimension; optional for a 1-dim array.

    Raises:
        ValueError: if `axis` is None for an array that is not 1-dim.
    """
    axis = only_axis("take", x, axis)
    indices = from_the_start(indices, length("take", x, axis))
    return x.index_select(axis, indices) if indices.ndim else x.select(axis, int(indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Select elements by indices along a dimension; in the other dimensions `indices` broadcasts with `x`."""
    return wg.take_along_dim(x, from_the_start(indices, length("take_along_axis", x, axis)), axis)


def length(function: str, x: Tensor, axis: int) -> int:
    """Return the length of a dimension.

    Raises:
        IndexError: if there is no such dimension.
    """
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"{function}: axis {axis} is out of range for {x.ndim} dimensions")
    return x.shape[axis]


def from_the_start(indices: Tensor, count: int) -> Tensor:
    """Return indices as int64, negative ones counted from the start of `count` elements."""
    indices = indices.to(wg.int64)
    return wg.where(indices < 0, indices + count, indices)
