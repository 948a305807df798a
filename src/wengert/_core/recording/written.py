"""Which operation a saved input comes from by the time that a write to it is found."""

from __future__ import annotations

import gc
from typing import Any

from .. import errors, flags
from ..aliasing import views
from ..graph.node import Edge, title
from ..tensor.base import Tensor


def origin(array: Any, edge: Edge | None, word: int) -> str:
    """Where a saved input that was written to since comes from now: from what wrote to it last, as torch tells it.

    Args:
        array, edge, word: its memory, and the place in the graph and the flags that it was saved with. The node does
            not know the tensor (see `saved.SavedInput`), which is therefore looked for. A view that lives no longer
            counts as taken of the memory anew.

    Returns:
        `output 0 of Mul`, or an empty text if it has no history.

    Raises:
        RuntimeError: it is one of several views of what was written to, which have no history any more.
    """
    tensor = holder(array, edge)
    if tensor is not None:
        if tensor._flags_ & flags.VIEW:
            views.refresh(tensor)
        edge = tensor._edge_
    elif edge is not None and word & flags.VIEW:
        if edge.node.output_count > 1:
            raise RuntimeError(errors.unwritable_view(edge.nr, title(edge.node), views.KINDS[views.MULTIPLE], False))
        return "output 0 of AsStrided"
    return "" if edge is None else f"output {edge.nr} of {errors.operation_name(title(edge.node))}"


def holder(array: Any, edge: Edge | None) -> Tensor | None:
    """The tensor of an array, if it lives; of several, one whose history has changed since."""
    found: Tensor | None = None
    for each in gc.get_referrers(array):
        if isinstance(each, Tensor) and each._array_ is array and each._flags_ & flags.REQUIRES_GRAD:
            found = each
            if each._edge_ is not edge:
                break
    return found
