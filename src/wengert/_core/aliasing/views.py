"""Views: tensors that share memory with a base, and whose history is replayed from it when the base was written to."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..graph.node import Edge, Node, new_edge, origin_at
from ..graph.refused import new_refusal
from ..leaves import hooked
from ..leaves.accumulate import gradient_edge
from ..operators import sources
from ..operators.declaration import Declaration
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor, meta_of, share
from ..tensor.meta import AutogradMeta

SINGLE, MULTIPLE, NO_GRAD, INFERENCE, CUSTOM = range(5)
"""Origins of a view: an operation with one output, with several, a call while recording was off, or inference on, or a
custom Function."""

STALE = -1
"""The version of a view that has just been written to: no longer that of its history."""
KINDS = ("single", "several", "no_grad", "inference", "custom")
"""The names of the origins in errors."""


@cython.freelist(256)
@cython.no_gc
@cython.cclass
class ViewInfo:
    """The steps by which a view was taken of its base.

    Attributes:
        base: the tensor at the start of the chain of views; never a view itself.
        steps: the calls, as (op, arguments, output number), that compute the view from the base.
        frame: the array of the base that the steps start from.
        version: version of the storage for which the view's history is right.
        written: after a write to the view, the edge of the base that resulted, and the version of the storage.
        kind: SINGLE, MULTIPLE, NO_GRAD, INFERENCE or CUSTOM.
    """

    base: Tensor
    steps: tuple[Any, ...]
    frame: Any
    written: Any
    version: int
    kind: int

    __slots__ = ("base", "frame", "kind", "steps", "version", "written")
    __reduce__ = errors.refuse_pickling

    def replay(self, base: Any) -> Any:
        """Take the same view of another base."""
        view = base
        for op, args, nr in self.steps:
            view = op.call((view, *args[1:]))
            if nr >= 0:
                view = view[nr]
        return view


def take(array: Any, step: Any) -> Any:
    """Take one step of a view on arrays; of a batch on the memory of one member."""
    if not door.is_ndarray(array):
        flag: int = getattr(array, "flag", 0)
        if flag == flags.POSTPONED:
            from ..tensor.postponed import like, physical

            return like(take(physical(array), step), array)
        if flag == flags.BATCHED:
            array = array.view(np.ndarray)
    op: Declaration = step[0]
    args: tuple[Any, ...] = step[1]
    nr: int = step[2]
    positional: int = op.positional
    if op.native is not None and nr < 0:
        view = op.native(array, args[1], args[2]) if len(args) == 3 else op.native(array, *args[1:])
        if view is not NotImplemented:
            return view
    if positional == 3 and len(args) == 3:
        view = op.body(array, args[1], args[2])
    elif positional == len(args):
        view = op.body(array, *args[1:])
    else:
        view = op.body(array, *args[1:positional], **dict(zip(op.names[positional:], args[positional:])))
    return view if nr < 0 else view[nr]


def way(info: ViewInfo) -> ViewInfo:
    """Return the steps of a view, without the tensors; if the first is by shape and strides, they become a single step.

    Such a first step may lead out of the memory that a gradient of the base has, and a later one back into it.
    """
    copied: ViewInfo = ViewInfo.__new__(ViewInfo)
    copied.base = None
    copied.steps = info.steps
    if len(info.steps) > 1 and info.steps[0][0] is slots.table.reshaped_view:
        part = info.base._array_
        for step in info.steps:
            part = take(part, step)
        copied.steps = strided_steps(part, info, False)
    copied.frame = None
    copied.written = None
    copied.version = 0
    copied.kind = info.kind
    return copied


def part_of(base: Tensor, steps: tuple[Any, ...]) -> ViewInfo:
    """Return the steps of a part of a base that is not a view."""
    info: ViewInfo = ViewInfo.__new__(ViewInfo)
    info.base = base
    info.steps = steps
    info.frame = base._array_
    info.written = None
    info.version = base._storage_.version
    info.kind = SINGLE
    return info


def attach(view: Tensor, source: Tensor, op: Any, args: tuple[Any, ...], nr: int, modes: Modes) -> None:
    """Note that `view` is output `nr` (-1 if there is one) of `op(*args)`, whose first argument is `source`."""
    info: ViewInfo = ViewInfo.__new__(ViewInfo)
    step = (op, door.with_first(args, None), nr)
    parent: ViewInfo | None = source._meta_.view if source._flags_ & flags.VIEW else None
    if parent is None:
        info.base = source
        info.steps = (step,)
    else:
        info.base = parent.base
        info.steps = (*parent.steps, step)
    info.frame = info.base._array_
    info.written = None
    info.version = view._storage_.version
    info.kind = MULTIPLE if nr >= 0 else SINGLE
    if not modes.mask & flags.VIEW:
        info.kind = INFERENCE if modes.inference else NO_GRAD
    elif parent is not None and info.kind == SINGLE:
        info.kind = parent.kind
    meta: AutogradMeta = meta_of(view)
    meta.view = info
    view._flags_ = view._flags_ | flags.VIEW
    inherit(view)


def inherit(view: Tensor) -> None:
    """Let a view require a gradient as soon as its base does, even if it was taken while recording was off."""
    info: ViewInfo = view._meta_.view
    base: Tensor = info.base
    if door.is_inexact(view._array_):
        view._flags_ |= base._flags_ & flags.REQUIRES_GRAD


def refuse(view: Tensor, direct: bool) -> None:
    """Refuse the use of a view that may not be written to, after it (`direct`) or its base was.

    Raises:
        RuntimeError: always; which error it is depends on why the view may not be written to.
    """
    info: ViewInfo = view._meta_.view
    edge: Edge = None if view._edge_ is None else gradient_edge(view)
    name, nr = ("", 0) if edge is None else origin_at(edge)
    raise RuntimeError(errors.unwritable_view(nr, name, KINDS[info.kind], direct))


def refresh(view: Tensor) -> None:
    """Bring the history of a view up to date after a write to its memory, from the history of its base.

    Raises:
        RuntimeError: if it is one of several outputs of a call, or was made while recording was off or by a custom
            Function.
    """
    info: ViewInfo = view._meta_.view
    base: Tensor = info.base
    inherit(view)
    if info.version == view._storage_.version:
        return
    if base._flags_ & flags.VOLATILE:
        view._flags_ = view._flags_ & ~flags.REQUIRES_GRAD | flags.VOLATILE
        view._edge_ = None
    if view._edge_ is None and view._flags_ & ~base._flags_ & flags.REQUIRES_GRAD:
        return  # a leaf of its own, in memory that it shares with others: part of a buffer of parameters
    if info.kind != SINGLE and view._flags_ & flags.REQUIRES_GRAD:
        refuse(view, False)
    if has_left(view, info):
        leave(view, info)
        return
    if info.frame is not base._array_:  # `base.t_()`: the steps now lead elsewhere
        follow(view, info)
    anew: bool = has_lost_base(view, base)
    if anew or base._flags_ & flags.REQUIRES_GRAD:
        modes: Modes = current()
        grad: bool = modes.grad
        inference: bool = modes.inference
        mask: int = modes.mask
        fresh: int = modes.fresh
        try:
            modes.switch(True, False)
            again: Tensor = begin_anew(view, info) if anew else take_again(view, info, base)
        finally:  # stores only, see `modes`
            modes.grad = grad
            modes.inference = inference
            modes.mask = mask
            modes.fresh = fresh
        if view._meta_.retains_grad:
            hooked.retain_at(view, again._edge_)
        view._edge_ = again._edge_
        view._flags_ = view._flags_ | flags.REQUIRES_GRAD
    if base._flags_ & (flags.REQUIRES_GRAD | flags.VOLATILE):  # a base may come to require a gradient later
        info.version = view._storage_.version


def has_lost_base(view: Tensor, base: Tensor) -> bool:
    """Return whether the history of a view is older than `detach_()` of its base, which has none since."""
    if view._edge_ is None or base._flags_ & flags.REQUIRES_GRAD:
        return False
    edge: Edge = gradient_edge(view)
    return base._storage_.detached > edge.node.sequence_number


def begin_anew(view: Tensor, info: ViewInfo) -> Tensor:
    """Take a view again after its base has lost its history: the view's history is then empty, or the last write to
    the view.
    """
    base: Tensor = share(info.base._array_, info.base._storage_)
    base._flags_ |= flags.REQUIRES_GRAD
    known: bool = info.written is not None and info.written[1] == view._storage_.version
    if known:
        base._edge_ = info.written[0]
    again: Tensor = take_again(view, info, base)
    if not known:
        gradient_edge(again).node.next_edges = (None,)
    return again


def has_left(view: Tensor, info: ViewInfo) -> bool:
    """Return whether a view and its base no longer share memory, or differ in the kind of numbers."""
    base: Tensor = info.base
    resized: bool = info.frame is not None and door.size_of(info.frame) != door.size_of(base._array_)
    if view._storage_ is base._storage_ and not resized:
        return False
    if view._storage_.array is not base._storage_.array:
        return True
    for step in info.steps:
        if step[0].sees == sources.SEES_DTYPE:
            return True
    return door.dtype_of(view._array_) is not door.dtype_of(base._array_)


def leave(view: Tensor, info: ViewInfo) -> None:
    """Give a view that no longer shares memory with its base a history that can be inspected, but not differentiated.

    Torch differentiates it: by the view's shape and strides in the gradient of the base, whose elements are others.
    """
    base: Tensor = info.base
    if base._flags_ & flags.REQUIRES_GRAD:
        node: Node = new_refusal("AsStridedBackward0", errors.MEMORY_REPLACED, (gradient_edge(base),), 1)
        view._edge_ = new_edge(node, 0, door.shape_of(view._array_), door.dtype_of(view._array_))
        if view._meta_.retains_grad:
            hooked.retain_at(view, view._edge_)
        view._flags_ = view._flags_ | flags.REQUIRES_GRAD
    info.version = view._storage_.version


def follow(view: Tensor, info: ViewInfo, singly: bool = False) -> None:
    """Set the steps of a view to those from its base to its present memory, see `strided_steps`."""
    info.steps = strided_steps(view._array_, info, singly)
    info.frame = info.base._array_


def moved(tensor: Tensor, singly: bool = False) -> None:
    """Note that the memory of a tensor was replaced, or its place in that memory.

    Args:
        singly: only its last step leads outside the memory of the step before.
    """
    if tensor._flags_ & flags.VIEW:
        info: ViewInfo = tensor._meta_.view
        if not has_left(tensor, info) and not goes_beyond(info):
            follow(tensor, info, singly)


def take_again(view: Tensor, info: ViewInfo, source: Any) -> Tensor:
    """Take the same view of the base (`source`) by `strided_steps`, which do not name the original calls, as in torch.

    After a step that changes the dtype torch keeps the views one by one: elements of a view by shape and strides that
    are outside the view before get no gradient.
    """
    for op, args, _ in strided_steps(view._array_, info, True):
        source = op.call((source, *args[1:]))
    return source


def strided_steps(array: Any, info: ViewInfo, singly: bool) -> tuple[Any, ...]:
    """Return the steps of a view by shape and strides, after the steps that see the memory as another dtype.

    Args:
        singly: after such steps, take the views one by one rather than at once.
    """
    last: int = 0
    for at in range(len(info.steps)):
        if info.steps[at][0].sees not in (sources.SEES_PART, sources.SEES_MEMORY):
            last = at + 1
    if last and last == len(info.steps):
        return info.steps
    first: Any = info.base._array_
    for step in info.steps[:last]:
        first = take(first, step)
    steps = list(info.steps[:last])
    if singly and last:
        for step in info.steps[last:-1]:
            part = take(first, step)
            steps.append(strided_step(first, part))
            first = part
    return (*steps, strided_step(first, array))


def strided_step(source: Any, array: Any) -> tuple[Any, ...]:
    """Return the step that takes an array of another one by shape and strides."""
    size: int = array.itemsize
    distance: int = (door.address_of(array) - door.address_of(source)) // size if array.size else 0
    strides = tuple([stride // size for stride in array.strides])
    return slots.table.reshaped_view, (None, array.shape, strides, distance), -1


def goes_beyond(info: ViewInfo) -> bool:
    """Return whether a view is one that arrays do not have: into a batch, or out of it."""
    for step in info.steps:
        if step[0].sees == sources.SEES_BATCH:
            return True
    return False
