"""Checks that the target of a write shares no memory with itself, or with what the write reads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import door, errors
from ..tensor.base import Tensor
from . import sources
from .declaration import Declaration
from .layouts import is_dense


def check(op: Declaration, target: Tensor, args: tuple[Any, ...]) -> None:
    """Refuse a target whose memory is shared in a way that `op` does not allow.

    Args:
        op: the operator whose result is written; `op.apart` says what is refused.
        args: its arguments; the first one, the target, is not compared.

    Raises:
        RuntimeError: if elements of the target share memory with each other, or with another argument.
    """
    apart: int = op.apart
    if apart == sources.APART_NEVER or (op.overwrites and is_same(target, args[1])):
        return
    if door.has_zero_stride(target._array_) and overlaps_itself(target._array_):
        if apart != sources.APART_WARNED:
            raise RuntimeError(errors.OVERLAP_IN_PLACE)
        op.warn_shared(args)  # type: ignore[attr-defined]  # of a card
    if apart == sources.APART_WARNED:
        return
    positions: tuple[Any, ...] = op.tensor_slots
    if apart == sources.APART_ITSELF or len(positions) == 1:
        return
    for position in positions[1:]:
        if isinstance(args[position], Tensor):
            check_other(target, args[position], apart == sources.APART_WHOLLY)


def is_same(target: Tensor, other: Any) -> bool:
    """Return whether another tensor has the same elements in the same order, so that a copy of it changes nothing."""
    if not isinstance(other, Tensor):
        return False
    tensor: Tensor = other
    return (
        tensor._storage_.array is target._storage_.array
        and tensor._array_.dtype == target._array_.dtype
        and layout(tensor._array_) == layout(target._array_)
    )


def check_other(target: Tensor, other: Tensor, wholly: bool) -> None:
    """Run `refuse_shared` for tensors; those of different storages share nothing."""
    if other._storage_.array is target._storage_.array:
        refuse_shared(target._array_, other._array_, wholly)


def check_resized(target: Tensor, shape: Any, steps: Any, other: Tensor, wholly: bool) -> None:
    """Run `check_other` for a target as if it had been resized: it may grow over memory that it did not share before.

    Args:
        shape, steps: the new shape, and its strides in elements, of a dense order.

    Raises:
        RuntimeError: if the two would share memory.
    """
    array: Any = other._array_
    size: int = math.prod(shape) * target._array_.itemsize
    if other._storage_.array is not target._storage_.array or not size or not array.size or not is_dense(array):
        return
    begin: int = door.address_of(target._array_)
    first: int = door.address_of(array)
    if first < begin + size and begin < first + array.nbytes:
        moving = [step for length, step in zip(shape, steps) if length != 1]
        if wholly or layout(array) != (begin, size, len(shape), moving):
            raise RuntimeError(errors.PARTIAL_OVERLAP)


def refuse_shared(target: Any, other: Any, wholly: bool) -> None:
    """Refuse an array that shares memory with the target; the same elements are allowed unless `wholly` is set.

    Raises:
        RuntimeError: if two dense arrays overlap. (Torch does not detect others either; here they are read first.)
    """
    if target.size and other.size and is_dense(target) and is_dense(other) and np.may_share_memory(target, other):
        if wholly or layout(target) != layout(other):
            raise RuntimeError(errors.PARTIAL_OVERLAP)


def overlaps_itself(array: Any) -> bool:
    """Return whether two elements share memory by a stride of zero (as `expand` makes)."""
    if array.size > 1:
        for stride, length in zip(array.strides, array.shape):
            if stride == 0 and length > 1:
                return True
    return False


def overlaps(array: Any) -> bool:
    """Return whether two elements may share memory: not if every stride exceeds the range of the shorter ones."""
    reach: int = array.itemsize
    if array.ndim == 0:
        return False
    if array.ndim == 1:
        return abs(array.strides[0]) < reach and array.size > 1
    for stride, length in sorted([(abs(stride), length) for stride, length in zip(array.strides, array.shape)]):
        if length > 1:
            if stride < reach:
                return True
            reach = stride * (length - 1) + reach
    return False


def is_seen_twice(array: Any) -> bool:
    """Return whether two elements share memory: exact, where `overlaps` only says that they may."""
    if overlaps_itself(array):
        return True
    offsets: Any = np.zeros(array.shape, np.int64)
    for axis, (stride, length) in enumerate(zip(array.strides, array.shape)):
        offsets += (np.arange(length, dtype=np.int64) * stride).reshape(-1, *[1] * (array.ndim - 1 - axis))
    gaps: Any = np.diff(np.sort(offsets, axis=None))
    return bool((gaps < array.itemsize).any())


def layout(array: Any) -> tuple[Any, ...]:
    """Address, number of dimensions and strides in elements of an array, without dimensions of length 1."""
    steps = [stride // array.itemsize for length, stride in zip(array.shape, array.strides) if length != 1]
    return door.address_of(array), array.nbytes, array.ndim, steps
