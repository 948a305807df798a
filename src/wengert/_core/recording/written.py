"""The operation that a saved input comes from when a write to it is detected, for the error text."""

from __future__ import annotations

import gc
from typing import Any

from .. import errors, flags
from ..aliasing import views
from ..graph.node import Edge, origin_at
from ..tensor import tapes
from ..tensor.base import Tensor


def origin(array: Any, edge: Edge | None, word: int) -> str:
    """Return where a saved input that was written to since comes from now: the last write, as torch reports it.

    Args:
        array, edge, word: its memory, and the place in the graph and the flags that it was saved with. The node has
            no reference to the tensor (see `saved.SavedInput`), which is therefore searched for. A view that is no
            longer alive counts as a new view of the memory.

    Returns:
        `output 0 of Mul`, or an empty text if it has no history.

    Raises:
        RuntimeError: if it is one of several views of what was written to, which have no history any more.
    """
    tensor = holder(array, edge)
    if tensor is not None:
        if tensor._flags_ & flags.VIEW:
            views.refresh(tensor)
        edge = tensor._edge_
    elif edge is not None and word & flags.VIEW:
        if edge.node.output_count > 1:
            name, nr = origin_at(edge)
            raise RuntimeError(errors.unwritable_view(nr, name, views.KINDS[views.MULTIPLE], False))
        return "output 0 of AsStrided"
    if edge is None:
        return ""
    if tapes.is_taped(edge):
        tapes.settle_edge(edge)
    name, nr = origin_at(edge)
    return f"output {nr} of {errors.operation_name(name)}"


def holder(array: Any, edge: Edge | None) -> Tensor | None:
    """Return the tensor of an array, if it is alive; of several, one whose history has changed since."""
    tensor: Tensor | None = None
    for referrer in gc.get_referrers(array):
        if isinstance(referrer, Tensor) and referrer._array_ is array and referrer._flags_ & flags.REQUIRES_GRAD:
            tensor = referrer
            if referrer._edge_ is not edge:
                break
    return tensor
