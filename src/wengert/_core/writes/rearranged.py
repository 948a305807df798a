"""In-place forms of views (`t_`, `squeeze_`, ...): the tensor takes the place of its own view."""

from __future__ import annotations

from typing import Any

from .. import flags
from ..aliasing.views import ViewInfo
from ..calls import batching, dispatch, unusual
from ..calls.op import DOCSTRING, Op
from ..graph import anomaly
from ..graph.node import Edge, WideEdge
from ..leaves.accumulate import gradient_edge
from ..recording.recorded import ViewNode, save_all
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor
from ..tensor.storage import count
from . import inplace
from .inplace import InPlaceOp


class InPlaceView(InPlaceOp):
    # In-place form of an operator that returns a view: `x.op_(...)` changes shape and strides of `x`, not its memory.

    __doc__ = DOCSTRING

    __slots__ = ()

    def run(self, args: tuple[Any, ...]) -> Any:
        """Change the first argument and return it."""
        inplace.check_is_tensor(self, args)
        modes: Modes = current()
        word: int = (dispatch.input_word(self.functional, args) | modes.word) & modes.mask
        if word & flags.UNUSUAL:
            return unusual.call(self, args, word, modes)
        return rearrange(self, args, modes)

    def complete(self, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
        """Check, take the view and record."""
        return rearrange(self, args, modes)


def refuse_class(op: InPlaceView, target: Tensor) -> None:
    """Refuse a tensor of a class with a `__torch_dispatch__`, whose own values would not follow.

    Raises:
        NotImplementedError: if `target` is such a tensor.
    """
    if target._flags_ & flags.OBSERVED:
        raise NotImplementedError(
            f"{op.name}(): a {type(target).__name__} has a __torch_dispatch__, and the values that it keeps would not "
            "follow; use the form that returns a view"
        )


def rearranged_array(op: InPlaceView, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the array that the first argument is to have."""
    functional: Op = op.functional
    target: Tensor = args[0]
    if target._flags_ & (flags.BATCHED | flags.OBSERVED):
        refuse_class(op, target)
        return batching.rearranged(op, args)
    if target._flags_ & flags.SPARSE:
        from ..calls import sparse

        return sparse.computed(functional, args, modes)._array_
    if target._flags_ & flags.POSTPONED:
        from ..calls import postponed

        return postponed.computed(functional, args, modes)
    return dispatch.run_kernel(functional, dispatch.unwrap(functional, args), modes)


def rearrange(op: InPlaceView, args: tuple[Any, ...], modes: Modes) -> Any:
    """Replace the first argument by the result of `op.functional`.

    Raises:
        RuntimeError: if the tensor may not be written to; nothing has been changed then.
    """
    functional: Op = op.functional
    target: Tensor = args[0]
    slots.settle_tapes()
    if dispatch.input_word(functional, args) & modes.mask & flags.VIEW:
        inplace.refuse_unwritable(functional, args, target, modes)
    recording: bool = (target._flags_ & modes.mask & flags.REQUIRES_GRAD) != 0
    inplace.check_target(target, recording, modes)
    array: Any = rearranged_array(op, args, modes)
    step = (functional, (None, *args[1:]), -1)
    node: ViewNode | None = None
    if recording:
        edges = dispatch.gather_edges(functional, args, modes)
        node = dispatch.new_node(op, args, 1, edges, modes, 1)  # type: ignore[assignment]
        node.saved = save_all(node.plan, args, None, modes)
        node.step = step
    target._array_ = array
    count(target._storage_)
    if modes.noting:
        anomaly.note_write(target._storage_, op.name)
    if target._flags_ & flags.VIEW:
        info: ViewInfo = target._meta_.view
        info.steps = (*info.steps, step)
        if recording:
            info.version = target._storage_.version
    elif target._edge_ is not None:
        known: Edge = gradient_edge(target)
        target._edge_ = WideEdge(known.node, known.nr, known.shape, known.dtype)
    if recording:
        inplace.replace_history(target, node)
    return target
