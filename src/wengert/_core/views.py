"""Views: tensors that share memory with a base, and whose history is replayed from it when the base was written to."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from . import errors, flags
from .base import AutogradMeta, Tensor, meta_of
from .modes import Modes, current
from .node import Edge

SINGLE, MULTIPLE, NO_GRAD = range(3)
"""How a view was made: by an operation with one output, with several, or while recording was off."""


@cython.no_gc
@cython.cclass
class ViewInfo:
    """How a view came from its base.

    Attributes:
        base: the tensor at the start of the chain of views; never a view itself.
        steps: the calls, as (op, arguments, output number), that make the view from the base.
        version: of the storage, when the view's history was last right.
        made: SINGLE, MULTIPLE or NO_GRAD.
    """

    base: Tensor
    steps: tuple[Any, ...]
    version: int
    made: int

    __slots__ = ("base", "made", "steps", "version")

    def replay(self, base: Any) -> Any:
        """Take the same view of another base."""
        view = base
        for op, args, nr in self.steps:
            view = op.call((view, *args[1:]))
            if nr >= 0:
                view = view[nr]
        return view


def way(info: ViewInfo) -> ViewInfo:
    """How a view is taken, without the tensors."""
    copied: ViewInfo = ViewInfo.__new__(ViewInfo)
    copied.base = None
    copied.steps = info.steps
    copied.version = 0
    copied.made = info.made
    return copied


def attach(view: Tensor, source: Tensor, op: Any, args: tuple[Any, ...], nr: int, modes: Modes) -> None:
    """Note that `op(*args)`, whose first argument is `source`, made `view` (its output `nr`; -1 if there is one)."""
    info: ViewInfo = ViewInfo.__new__(ViewInfo)
    step = (op, (None, *args[1:]), nr)
    parent: ViewInfo | None = source.meta.view if source.flags & flags.VIEW else None
    if parent is None:
        info.base = source
        info.steps = (step,)
    else:
        info.base = parent.base
        info.steps = (*parent.steps, step)
    info.version = view.storage.version
    info.made = MULTIPLE if nr >= 0 else SINGLE
    if not modes.grad:
        info.made = NO_GRAD
    elif parent is not None and parent.made != SINGLE:
        info.made = parent.made
    meta: AutogradMeta = meta_of(view)
    meta.view = info
    view.flags = view.flags | flags.VIEW
    inherit(view)


def inherit(view: Tensor) -> None:
    """A view requires a gradient as soon as its base does, even one that was made while recording was off."""
    info: ViewInfo = view.meta.view
    base: Tensor = info.base
    if view.array.dtype.kind in "fcV":
        view.flags |= base.flags & flags.REQUIRES_GRAD


def refuse(view: Tensor, direct: bool) -> None:
    """Refuse the use of a view that may not be written to, after it (`direct`) or its base was.

    Raises:
        RuntimeError: always.
    """
    info: ViewInfo = view.meta.view
    edge: Edge = view.edge
    name = "" if edge is None else edge.node.name()
    raise RuntimeError(errors.unwritable_view(0 if edge is None else edge.nr, name, info.made == MULTIPLE, direct))


def refresh(view: Tensor) -> None:
    """Replay the history of a view whose memory was written to since it was made.

    Raises:
        RuntimeError: it is one of several outputs of a call, or was made while recording was off.
    """
    info: ViewInfo = view.meta.view
    base: Tensor = info.base
    inherit(view)
    if info.version == view.storage.version:
        return
    if info.made != SINGLE and view.flags & flags.REQUIRES_GRAD:
        refuse(view, False)
    if base.flags & flags.REQUIRES_GRAD:
        modes: Modes = current()
        before = modes.set_grad(True)
        try:
            replayed: Tensor = info.replay(base)
        finally:
            modes.set_grad(before)
        view.edge = replayed.edge
        view.flags = view.flags | flags.REQUIRES_GRAD
    info.version = view.storage.version
