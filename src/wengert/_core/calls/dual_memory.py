"""Memory of tangents: strided as their tensors, views where those are views, copied where those are copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..operators import layouts
from ..tensor import batches, tangents
from ..tensor.base import Tensor, wrap
from ..tensor.tangents import Level, Tangent
from ..types import dtypes
from . import batching


def owned(value: Any, before: int) -> Any:
    """Return a tangent on memory of its own: the tangent itself, or a copy if its storage was there `before`.

    A rule may return one of its arguments. If a result shared the tangent of an operand, a write to the result would
    change the tangent of the operand, which was not written to.

    Args:
        before: a serial number (`storage.next_serial`) from before the rule ran.
    """
    tangent: Tensor = value
    return value.clone() if tangent._storage_.serial <= before else value


def fitted(value: Any, like: Tensor) -> Any:
    """Return a tangent with the shape of its tensor, in a dtype that the tensor's can be converted to.

    Only the real part of a complex tangent reaches a real tensor, as for `fill` of real numbers by a complex one.
    """
    tangent: Tensor = value
    if door.dtype_of(tangent._array_) is not door.dtype_of(like._array_) and value.dtype is not like.dtype:
        if value.dtype.is_complex and not like.dtype.is_complex:
            value = value.real
        value = value.to(dtypes.promote_types(value.dtype, like.dtype))
        tangent = value
    if door.shape_of(tangent._array_) != door.shape_of(like._array_):
        value = value.expand(door.shape_of(like._array_))
    return fitted_to_memory(value, like)


def fitted_to_memory(value: Any, like: Tensor) -> Any:
    """Return a tangent with the strides of its tensor, so that views of the tensor have views of the tangent."""
    tangent: Tensor = value
    if (tangent._flags_ | like._flags_) & flags.ELSEWHERE:
        from ..tensor import postponed

        value = postponed.with_signs_of(value, like)
        tangent = value
    if door.has_rows(tangent._array_) and door.has_rows(like._array_):
        return value
    steps = layouts.steps_of(like._array_)
    return value if steps == layouts.steps_of(tangent._array_) else value._restrided(steps, True)


def receive(target: Tensor, level: Level) -> None:
    """Give a tensor that is not dual at a level a tangent of zeros; a view that of its base."""
    if tangents.tangent_at(target, level) is not None:
        return
    if not target._flags_ & flags.VIEW or views.has_left(target, target._meta_.view):
        tangents.insert(target, level, zeros_laid_out(target))
        return
    info: ViewInfo = target._meta_.view
    if tangents.tangent_at(info.base, level) is None:
        tangents.insert(info.base, level, zeros_laid_out(info.base))
    tangents.insert(target, level, info.replay(tangents.tangent_at(info.base, level)))


def widen(target: Tensor, level: Level, value: Any) -> None:
    """Give the tangent of a tensor, and of its base, the batches of a value that is to be written to it."""
    wanted: list[Any] = batches.levels_of(value)
    known: Tensor = tangents.tangent_at(target, level)
    if batches.is_apart(known, wanted):
        return
    if level.replaced is None:
        level.replaced = []
    level.replaced.append(known._storage_)
    if not target._flags_ & flags.VIEW or views.has_left(target, target._meta_.view):
        tangents.insert(target, level, fitted_to_memory(batching.spread_out(known, wanted), target))
        return
    info: ViewInfo = target._meta_.view
    whole: Any = fitted_to_memory(batching.spread_out(tangents.tangent_at(info.base, level), wanted), info.base)
    tangents.insert(info.base, level, whole)
    tangents.insert(target, level, info.replay(whole))


def is_replaced(tangent: Tensor, level: Level) -> bool:
    """Return whether another tangent has taken the place of the one that this is a view of."""
    if level.replaced is not None:
        for storage in level.replaced:
            if storage is tangent._storage_:
                return True
    return False


def zeros_laid_out(tensor: Tensor) -> Any:
    """Return zeros with the strides of a tensor."""
    if tensor._flags_ & flags.BATCHED:
        return fitted_to_memory(batching.zeros(tensor), tensor)
    return fitted(wrap(np.zeros(tensor._array_.shape, tensor._array_.dtype)), tensor)


def copy_tangents(twin: Tensor, tensor: Tensor) -> None:
    """Give a copy of a tensor copies of its tangents, which do not change when those are written to."""
    if not tensor._flags_ & flags.DUAL:
        return
    twin._flags_ &= ~flags.DUAL
    tangent: Tangent = tensor._meta_.tangent
    while tangent is not None:
        if tangent.tensor is not None:
            tangents.insert(twin, tangent.level, tangent.tensor.clone())
        tangent = tangent.outer
