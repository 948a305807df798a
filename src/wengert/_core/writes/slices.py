"""Gradients of views, added to the gradient of their base in its own memory, not as arrays of the base's size.

So a program that reads and writes a base part by part has a backward pass that is linear in the number of its parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo, take, way
from ..bits import bit
from ..calls import batching, noted
from ..graph.node import Edge, Node, set_up
from ..leaves.accumulate import add_into
from ..operators import sources
from ..operators.declaration import Declaration
from ..operators.overlap import is_seen_twice, overlaps
from ..operators.rules import plan_for
from ..profiling.events import on_arrays
from ..recording.recorded import OpNode, ViewNode
from ..state.modes import Modes, current
from ..tensor import batches
from ..tensor.base import Tensor, wrap


@cython.no_gc
@cython.cclass
class CopySlices(Node):
    """The history of a base after an in-place write to a view of it.

    Routes the part of the gradient that belongs to the view through `inner`, the node of the write, and leaves the
    rest. It stores the steps of the view (and the strides of the base, in elements), not the tensors, so that it forms
    no cycle with them.
    """

    inner: Node
    levels: list[Any]
    recorded: bool
    released: bool
    strides: tuple[int, ...]
    view: ViewInfo

    __slots__ = ("inner", "levels", "recorded", "released", "strides", "view")

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def allows_larger(self) -> bool:
        return self.inner.allows_larger()

    def release(self) -> None:
        self.released = True
        self.inner.release()

    def apply(self, grads: list[Any]) -> Any:
        return self.consume(grads[0], False)

    def apply_single(self, grad: Any) -> Any:
        return self.consume(grad, False)

    def hidden_slots(self) -> tuple[int, ...]:
        return type(self.inner).hidden_slots(self.inner)

    def consume(self, grad: Any, owned: bool) -> Any:
        if self.released:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return route(self, grad, owned)


def route(node: CopySlices, grad: Tensor, owned: bool) -> Any:
    """Return the gradients of the inputs of a write, in the memory of the base's gradient if only the engine has it."""
    modes: Modes = current()
    if node.recorded or modes.grad or modes.word & flags.LEVELS or grad._flags_ & flags.UNUSUAL:
        return route_recorded(node, grad)
    rest: Tensor = grad if owned and is_laid_out(grad, node.strides) else grad._restrided(node.strides, True)
    part: Any = rest._array_
    for step in node.view.steps:
        part = take(part, step)
    outgoing = node.inner.apply_single(wrap(part.copy() if modes.log is None else on_arrays(modes, copied, part)))
    check_apart(part, outgoing)
    kept: Tensor = outgoing[0]
    if modes.log is not None:
        modes.log.see(kept)
        on_arrays(modes, filled, part, None if kept is None else kept._array_)
    elif kept is None:
        part.fill(0)
    else:
        np.copyto(part, kept._array_)
    return [rest, *outgoing[1:]]


def copied(part: Any) -> Any:
    """Copy an array."""
    return part.copy()


def filled(part: Any, values: Any) -> Any:
    """Write an array into a part of another one, zeros for None; return the part."""
    if values is None:
        part.fill(0)
    else:
        np.copyto(part, values)
    return part


def route_recorded(node: CopySlices, grad: Any) -> Any:
    """Run `route` by operators, for a backward pass that is itself recorded."""
    if node.levels:
        grad = batching.spread_out(grad, node.levels)
    rest = grad._restrided(node.strides, True)
    part = node.view.replay(rest)
    outgoing = node.inner.apply_single(part.clone())
    check_apart(part._array_, outgoing)
    if outgoing[0] is None:
        part.zero_()
    else:
        part.copy_(outgoing[0])
    return [rest, *outgoing[1:]]


def check_apart(part: Any, outgoing: Any) -> None:
    """Refuse the gradients of a write to a view whose elements share memory, unless nothing has a gradient: it is not
    known which of the elements the write left in memory.

    Raises:
        RuntimeError: if two elements share memory and an output has a gradient.
    """
    if not door.has_rows(part) and overlaps(part) and is_seen_twice(part):
        for grad in outgoing:
            if grad is not None:
                raise RuntimeError(errors.OVERLAP_IN_PLACE)


def copy_slices(inner: Node, info: ViewInfo, before: Edge | None, modes: Modes) -> CopySlices:
    """Return the node of a base for a write to the view of `info`; `before` is the base's edge before the write."""
    node: CopySlices = CopySlices.__new__(CopySlices)
    set_up(node, (before, *inner.next_edges[1:]), modes.sequence, 1)
    modes.sequence += 1
    node.trusted_gradients = inner.trusted_gradients
    node.inner = inner
    node.released = False
    if isinstance(inner, OpNode):
        spare(inner)
    node.view = way(info)
    base: Tensor = info.base
    size: int = base._array_.itemsize
    node.strides = tuple([stride // size for stride in base._array_.strides])
    node.levels = batches.levels_of(base) if base._flags_ & flags.BATCHED else []
    node.recorded = len(node.levels) > 0 or views.goes_beyond(info)
    if modes.noting:
        noted.wrapper(node, inner, modes)
    return node


def spare(inner: OpNode) -> None:
    """Let the node of a write that overwrites the whole old value return no zeros for it: `route` writes them."""
    op: Declaration = inner.op
    if op.overwrites:
        mask: int = 0
        for at in range(1, len(inner.plan.wanted)):
            if inner.plan.wanted[at]:
                mask |= bit(at)
        inner.plan = plan_for(op, mask)


def is_laid_out(tensor: Tensor, strides: tuple[int, ...]) -> bool:
    """Return whether a tensor fills its storage with these strides."""
    array: Any = tensor._array_
    size: int = array.itemsize
    at: int = 0
    if array.nbytes != tensor._storage_.array.nbytes:
        return False
    for stride in array.strides:
        if stride != strides[at] * size:
            return False
        at += 1
    return True


def add_to_part(node: ViewNode, grad: Tensor, whole: Tensor) -> bool:
    """Add the gradient of a view to that of its source, in the memory of the latter, which nobody else may see.

    Returns:
        False if that is not possible or would not pay, and nothing was done.
    """
    source: Any = whole._array_
    values: Any = grad._array_
    if (grad._flags_ | whole._flags_) & flags.UNUSUAL:
        return False
    if values.size >= source.size or source.dtype != values.dtype or overlaps(source):
        return False
    if node.step is None:  # of a sparse tensor
        return False
    view: Declaration = node.step[0]
    if view.sees == sources.SEES_MEMORY:
        return False
    part: Any = take(source, node.step)
    if part.shape != values.shape or overlaps(part):
        return False
    modes: Modes = current()
    if modes.log is not None:
        modes.log.see(grad)
    add_into(part, values, modes)
    return True
