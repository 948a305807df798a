"""Saved result of a write to a view: its gradient goes over the base, whose history the write changed."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo, way
from ..graph.node import Edge, Node, new_edge
from ..leaves.accumulate import gradient_edge
from ..state.modes import Modes
from ..tensor.base import Tensor, share
from .saved import Saved, save_output


@cython.no_gc
@cython.cclass
class SavedPart(Saved):
    """The result of a write to a view.

    Attributes:
        kept: the result as an output of the node of the write.
        outer: weak reference to the base's node, which owns the node of the write.
        view: the steps by which the view is taken of the base.
        frame: the base's array.
    """

    kept: Saved
    outer: Any
    view: ViewInfo
    frame: Any

    __slots__ = ("frame", "kept", "outer", "view")

    def unpack(self, node: Node) -> Tensor:
        tensor: Tensor = self.kept.unpack(node)
        if tensor._edge_ is not None:
            base: Tensor = share(self.frame, tensor._storage_)
            base._edge_ = new_edge(door.referent(self.outer), 0, door.shape_of(self.frame), door.dtype_of(self.frame))
            base._flags_ |= flags.REQUIRES_GRAD
            tensor._edge_ = gradient_edge(self.view.replay(base))
        return tensor


def save_result(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """`save_output`, also for a view that has just been written to."""
    kept: Saved = save_output(tensor, nr, modes)
    if not tensor._flags_ & flags.VIEW:
        return kept
    info: ViewInfo = tensor._meta_.view
    if info.version != views.STALE:
        return kept
    base: Tensor = info.base
    edge: Edge = gradient_edge(base)
    saved: SavedPart = SavedPart.__new__(SavedPart)
    saved.kept = kept
    saved.outer = door.weak(edge.node)
    saved.view = way(info)
    saved.frame = base._array_
    return saved
