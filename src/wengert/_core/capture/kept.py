"""Tensors that are kept from one round of a followed function to the next, as results of the same calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..aliasing.views import ViewInfo
from ..graph.node import Edge, new_edge
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.meta import AutogradMeta
from ..tensor.storage import Storage
from . import direct

MOST_HELD = 1 << 17
"""Bytes up to which the memory of a tensor that requires no gradient is held by views of it."""


def is_lasting(tensor: Tensor, born: int) -> bool:
    """Return whether views of a tensor are kept: of a leaf, and of a small tensor that was there before the round.

    Views of other tensors would hold those that are to be the results of the next round.

    Args:
        tensor: the tensor.
        born: a number that storages of this round exceed.
    """
    if tensor._edge_ is not None or tensor._flags_ == flags.REQUIRES_GRAD:
        return tensor._edge_ is None
    storage: Storage = tensor._storage_
    return tensor._flags_ == 0 and storage.serial < born and door.is_ndarray(storage.array) and is_small(storage.array)


def is_small(array: Any) -> bool:
    """Return whether a view may hold memory longer than a program does."""
    return bool(array.nbytes <= MOST_HELD)


def origin_of(view: Any, args: tuple[Any, ...], kind: int, born: int) -> Any:
    """Return what a view was taken of, as (tensor, its array, steps), if it can be kept; otherwise None.

    Args:
        view: the result of the call.
        args: the arguments of the call.
        kind: that of a view which is taken now, see `ViewInfo`.
        born: as in `is_lasting`.
    """
    own: Tensor = view
    if own._meta_ is None or not own._flags_ & flags.VIEW:
        return None
    info: ViewInfo = own._meta_.view
    source: Tensor = args[0]
    if not is_lasting(source, born) or info.kind != kind or info.base is not source:
        return None
    if source._flags_ and not door.is_inexact(own._array_):
        return None
    return source, source._array_, info.steps


def is_same_view(view: Tensor | None, value: Any, source: Tensor, origin: tuple[Any, ...], layout: Any) -> bool:
    """Return whether a kept view is what a call would return again, and nothing else refers to it.

    Args:
        view: the view, to which one list or attribute refers; or None.
        value: its array, to which one list refers.
        source: the tensor of which the call takes a view.
        origin: see `origin_of`.
        layout: an array with the layout that it had.
    """
    if view is None or value is not view._array_ or origin[0] is not source or origin[1] is not source._array_:
        return False
    if source._edge_ is not None or source._flags_ & ~flags.REQUIRES_GRAD:
        return False
    if view._storage_ is not source._storage_ or not direct.has_layout(value, layout):
        return False
    edge: Edge = view._edge_
    if door.references(view) != HOLD_TENSOR or (edge is not None and door.references(edge) != HOLD_EDGE):
        return False
    # the array of the storage is that of the source: one reference less
    if door.references(value) != HOLD_ARRAY - 1 or view._flags_ != source._flags_ | flags.VIEW:
        return False
    meta: AutogradMeta = view._meta_
    info: ViewInfo = meta.view
    if not is_unused(meta) or info.base is not source or info.steps is not origin[2] or info.frame is not origin[1]:
        return False
    return info.written is None and direct.is_bare(view) and direct.is_bare(value)


def is_unused(meta: AutogradMeta) -> bool:
    """Return whether the fields of a tensor have their first values, except for that of a view."""
    if meta.grad is not None or meta.accumulator is not None or meta.hooks is not None or meta.tangent is not None:
        return False
    if meta.retains_grad or meta.after_accumulate is not None or meta.name is not None or meta.origin is not None:
        return False
    return meta.grad_dtype is None


def renew_view(view: Tensor) -> None:
    """Let a kept view be one that has just been taken."""
    info: ViewInfo = view._meta_.view
    info.version = view._storage_.version


def references_of_a_kept_one() -> tuple[int, int, int]:
    """Return the numbers of references that are seen to a kept tensor, its edge and its array."""
    kept: list[Any] = [wrap_flagged(np.zeros(1), flags.REQUIRES_GRAD)]
    own: Tensor = kept[0]
    own._edge_ = new_edge(None, 0, None, None)
    values: list[Any] = [own._array_]
    del own
    return counted(kept[0], values[0])


def counted(tensor: Tensor | None, value: Any) -> tuple[int, int, int]:
    """Return the numbers of references to a tensor, its edge, and its array."""
    assert tensor is not None
    edge: Edge = tensor._edge_
    return door.references(tensor), door.references(edge), door.references(value)


HOLD_TENSOR, HOLD_EDGE, HOLD_ARRAY = references_of_a_kept_one()
