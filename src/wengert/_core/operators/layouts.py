"""Memory layout of new results by torch's rules, which may differ from NumPy's.

Strides are counted in elements here. Those of dimensions with one element have no effect, but programs see them, so
they follow torch's rules too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door
from ..tensor import slots
from ..tensor.base import Tensor
from ..types import dtypes
from . import sources
from .declaration import Declaration

CHANNELS_LAST = {3: (1, 2, 0), 4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}
"""The dimensions of signals, images and volumes in channels-last order, the innermost first."""


def laid_out(op: Declaration, args: tuple[Any, ...], array: Any) -> Any:
    """A result in the memory layout of the operator's card, copied if the kernel returned another one.

    Args:
        op: the operator; `op.layout` is one of `sources.LAID_*`.
        args: its arguments.
        array: the result of its kernel.
    """
    layout: int = op.layout
    if layout == sources.LAID_OWN or (
        door.is_row_major(array) and (layout == sources.LAID_ROWS or keep_rows(op, args))
    ):
        return array
    return with_strides(array, strides_of_result(op, args, array))


def keep_rows(op: Declaration, args: tuple[Any, ...]) -> bool:
    """Return whether all tensors among the arguments are row-major, or expanded without implying another order."""
    tensor: Tensor
    for value in args:
        if isinstance(value, Tensor):
            tensor = value
            if not door.keeps_rows(tensor._array_):
                return False
        elif op.list_slot >= 0 and isinstance(value, (tuple, list)):
            for item in value:
                if isinstance(item, Tensor) and not door.keeps_rows(item._array_):
                    return False
    return True


def strides_of_result(op: Declaration, args: tuple[Any, ...], array: Any) -> tuple[int, ...]:
    """The strides that a result is to have."""
    shape: tuple[Any, ...] = array.shape
    layout: int = op.layout
    if layout == sources.LAID_POWER:
        return iterated(shape, operands_of(op, args)) if isinstance(args[0], Tensor) else row_major(shape)
    if layout == sources.LAID_ITERATOR or layout == sources.LAID_REVERSED:
        operands = operands_of(op, args)
        return iterated(shape, operands if layout == sources.LAID_ITERATOR else operands[::-1])
    if layout == sources.LAID_SCALED:
        return iterated(shape, scaled_operands(op, args))
    first: Any = args[op.tensor_slots[0]] if op.tensor_slots else None
    models = first if isinstance(first, (tuple, list)) else (first,)
    if layout == sources.LAID_SUGGESTED and len(shape) > 3:  # three dimensions may be an image without a batch
        for model in models:
            if len(shape) != model._array_.ndim or not suggests_channels(model._array_):
                return row_major(shape)
        return channels_last(shape)
    if layout == sources.LAID_LIKE and first._array_.shape == shape:
        return preserved(first._array_)
    return row_major(shape)


def with_strides(array: Any, strides: tuple[int, ...]) -> Any:
    """The values of an array in memory with these (dense) strides; the array itself if it has them."""
    size: int = array.itemsize
    wanted = tuple([step * size for step in strides])
    if array.strides == wanted:
        return array
    result = empty(array.shape, strides, array.dtype)
    slots.table.copy_into(result, array)
    return result


def empty(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
    """New memory for an array of dense strides."""
    count: int = 1
    for length in shape:
        count *= length
    size: int = dtype.itemsize
    return np.ndarray(shape, dtype, np.empty(count, dtype), 0, tuple([step * size for step in strides]))


def steps_of(array: Any) -> tuple[int, ...]:
    """The strides of an array in elements; row-major for arrays without elements, whose strides are 0 in NumPy."""
    if not array.size and not any(array.strides):
        return row_major(array.shape)
    size: int = array.itemsize
    return tuple([step // size for step in array.strides])


def address_of(array: Any) -> int:
    """The address of the first element of an array."""
    return door.address_of(array)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of row-major order; an empty dimension counts as one of one element."""
    return packed(shape, range(len(shape) - 1, -1, -1))


def channels_last(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The channels-last strides of three to five dimensions: the second one is innermost."""
    return packed(shape, CHANNELS_LAST[len(shape)])


def packed(shape: tuple[int, ...], order: Any) -> tuple[int, ...]:
    """Dense strides for dimensions in this order, the innermost first."""
    strides = [0] * len(shape)
    step: int = 1
    for dim in order:
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def preserved(array: Any) -> tuple[int, ...]:
    """The strides of a copy that preserves the order: those of a dense array, otherwise dense ones in its order."""
    if is_dense(array):
        steps = steps_of(array)
        if not steps or min(steps) >= 0:  # NumPy's arrays may have negative strides; new ones do not
            return steps
    return packed(array.shape, in_order(array.shape, [array.strides]))


def suggests_channels(array: Any) -> bool:
    """Return whether an array of three to five dimensions is channels-last, perhaps with gaps.

    False if lengths of 1 leave it open.
    """
    return channels_lie_inside(array.shape, array.strides)


def channels_lie_inside(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return `suggests_channels` of an array of this shape and these strides, in any unit."""
    order = CHANNELS_LAST.get(len(shape))
    if order is None or strides[1] == 0:
        return False
    least: int = 0
    for dim in order:
        if shape[dim] == 0 or strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * max(shape[dim], 1)
    return True


def is_dense(array: Any) -> bool:
    """Return whether the elements fill one block of memory without gaps or overlaps, in any order of dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    expected = array.itemsize
    if reach_of(array) != expected * (door.size_of(array) - 1):
        return False
    for stride, length in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != expected:
            return False
        expected *= length
    return True


def reach_of(array: Any) -> int:
    """The distance in bytes from the first to the last element of an array, forwards along all dimensions."""
    reach: int = 0
    for stride, length in zip(array.strides, array.shape):
        reach += abs(stride) * (length - 1)
    return reach


def is_channels_last(array: Any) -> bool:
    """Return whether an array of three to five dimensions is dense and channels-last."""
    order = CHANNELS_LAST.get(array.ndim)
    expected = array.itemsize
    for dim in order or ():
        if array.shape[dim] != 1 and array.strides[dim] != expected:
            return False
        expected *= array.shape[dim]
    return order is not None


def operands_of(op: Declaration, args: tuple[Any, ...]) -> list[Any]:
    """The arrays that a pointwise operator works on: a number has no dimensions, a cast operand is a copy."""
    arrays: list[Any] = []
    tensors: list[Any] = []
    plain: list[Any] = []
    position: int
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, Tensor):
            arrays.append(value._array_)
            if op.kinds[position] != sources.INDEX:
                tensors.append(value._array_)
        elif value is not None:
            arrays.append(np.asarray(value))
            if not hasattr(value, "dtype"):
                plain.append(value)
    if op.promotion is None or not tensors:
        return arrays
    common = dtypes.result_type(tensors, plain)
    if op.promotion == "float" and common.category < dtypes.FLOAT:
        common = dtypes.get_default_dtype()
    wanted = common.numpy
    for at in range(len(arrays)):
        if arrays[at].dtype != wanted and is_among(arrays[at], tensors):
            arrays[at] = empty(arrays[at].shape, preserved(arrays[at]), wanted)
    return arrays


def scaled_operands(op: Declaration, args: tuple[Any, ...]) -> list[Any]:
    """The operands of a product with a power of the second one, which is row-major beside integers, and beside
    float32 unless it is of integers itself: a peculiarity of torch."""
    operands = operands_of(op, args)
    dtype: Any = args[0].dtype
    if dtype.category < dtypes.FLOAT or (dtype is dtypes.float32 and args[1].dtype.category >= dtypes.FLOAT):
        operands[1] = empty(operands[1].shape, row_major(operands[1].shape), operands[1].dtype)
    return operands


def is_among(array: Any, others: list[Any]) -> bool:
    """Return whether an array is one of the others."""
    for other in others:
        if other is array:
            return True
    return False


def iterated(shape: tuple[int, ...], operands: list[Any]) -> tuple[int, ...]:
    """The strides of a result computed element by element from operands that broadcast to `shape`.

    If the operands agree, their strides. Otherwise the dimensions are sorted by the strides of the first operand where
    two of them differ.
    """
    first: Any = operands[0]
    rows: bool = True
    channels: bool = len(shape) == 4
    alike: bool = True
    whole: bool = True
    for operand in operands:
        if operand.ndim > len(shape):
            return row_major(shape)  # a reduction of the computed values
        whole = whole and operand.shape == shape
        rows = rows and operand.flags.c_contiguous
        channels = channels and is_channels_last(operand)
        alike = alike and steps_of(operand) == steps_of(first)
    if whole and (rows or channels):
        return row_major(shape) if rows else channels_last(shape)
    if whole and alike and is_dense(first):
        return preserved(first)
    return ordered(shape, [stretched(operand, shape) for operand in operands])


def ordered(shape: tuple[int, ...], operands: list[Any]) -> tuple[int, ...]:
    """The strides of a result whose dimensions are sorted by the strides of operands."""
    order = in_order(shape, operands)
    if order == list(range(len(shape) - 1, -1, -1)):
        return row_major(shape)
    strides = [0] * len(shape)
    step: int = 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def stretched(array: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides with which an array is read when it is broadcast to `shape`."""
    missing: int = len(shape) - array.ndim
    strides = array.strides if array.size else steps_of(array)
    steps = [
        0 if length == 1 and target != 1 else step
        for length, target, step in zip(array.shape, shape[missing:], strides)
    ]
    return (*[0] * missing, *steps)


def in_order(shape: tuple[int, ...], operands: list[Any]) -> list[int]:
    """The dimensions sorted by the strides of operands, the innermost first; they begin in row-major order.

    A stride of 0 decides nothing, and the next operand is compared; if none decides, the dimensions keep their order.
    """
    order = list(range(len(shape) - 1, -1, -1))
    for at in range(1, len(order)):
        place = at
        for before in range(at - 1, -1, -1):
            verdict = compared(order[before], order[place], shape, operands)
            if verdict < 0:
                break
            if verdict > 0:
                order[before], order[place] = order[place], order[before]
                place = before
    return order


def compared(one: int, other: int, shape: tuple[int, ...], operands: list[Any]) -> int:
    """Return 1 if dimension `one` is outside of `other`, -1 if inside, 0 if nothing decides."""
    for steps in operands:
        if steps[one] and steps[other]:
            if steps[one] != steps[other]:
                return 1 if steps[one] > steps[other] else -1
            if shape[one] > shape[other]:
                return 1
    return 0
