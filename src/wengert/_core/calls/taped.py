"""Nodes of the calls on a tape: they are created as if each call had been recorded when it ran."""

from __future__ import annotations

from typing import Any

from .. import door
from ..graph.node import Edge
from ..operators import sources
from ..operators.declaration import Declaration
from ..recording.recorded import OpNode, save_all
from ..state.modes import Modes
from ..tensor import tapes
from ..tensor.base import Tensor
from ..tensor.storage import Storage
from ..tensor.tapes import Tape
from . import dispatch


def create_nodes(tape: Tape) -> None:
    """Create the nodes of all calls on a tape, while the lock of tapes is held.

    They save what the calls would have saved: nothing has been written to since (`storage.count`), no leaf has changed.
    """
    if tape.predicting is not None:
        tape.predicting.end()
    calls: list[Any] = tape.calls
    if len(calls) == 0:
        return
    tape.calls = []
    modes: Modes = tape.modes
    saved_hooks: Any = modes.saved_hooks
    no_saved_hooks: Any = modes.no_saved_hooks
    noting: bool = modes.noting
    log: Any = modes.log
    at: int = 0
    try:
        modes.saved_hooks = modes.no_saved_hooks = modes.log = None
        modes.noting = False
        while at < len(calls):
            attach(calls[at], calls[at + 1], calls[at + 2], calls[at + 3], modes)
            at += tapes.FIELDS
    except BaseException:  # no memory: what is left is tried again by whoever looks next
        tape.calls = calls[at:] + tape.calls
        raise
    finally:  # stores only, see `modes`
        modes.saved_hooks = saved_hooks
        modes.no_saved_hooks = no_saved_hooks
        modes.noting = noting
        modes.log = log


def attach(op: Declaration, args: tuple[Any, ...], results: Any, edges: Any, modes: Modes) -> None:
    """Create the node of one call, to which the edges of its results lead from now on."""
    ends: tuple[Any, ...] = dispatch.gather_edges(op, args, modes)
    mask: int = dispatch.mask_of(op, ends)
    several: bool = op.several
    node: OpNode = dispatch.new_node(op, args, mask, ends, modes, len(results) if several else 1)
    if op.view and not several:
        dispatch.mark_view(node, results)
    if node.plan.names:
        node.saved = without_tails(node, save_all(node.plan, args, results, modes))
    else:
        node.saved = ()
    if not several:
        lead(edges, node, 0, results)
        return
    for nr in range(len(results)):
        if edges[nr] is not None:
            lead(edges[nr], node, nr, results[nr])


def lead(edge: Edge, node: OpNode, nr: int, result: Tensor) -> None:
    """Let the edge of a result lead to its node."""
    edge.nr = nr
    edge.shape = door.shape_of(result._array_)
    edge.dtype = door.dtype_of(result._array_)
    edge.node = node


def without_tails(node: OpNode, saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the saved values without copies of inputs: `dispatch.is_put` has seen that none is needed."""
    if node.plan.tail is None or sources.FROM_TAIL not in node.plan.sources:
        return saved
    values: list[Any] = list(saved)
    for at in range(len(values)):
        if node.plan.sources[at] == sources.FROM_TAIL:
            values[at] = None
    return tuple(values)


def uses(tape: Tape, storage: Storage) -> bool:
    """Return whether a call on a tape has a tensor on a storage."""
    if tape.predicting is not None and tape.predicting.uses(storage):
        return True
    calls: list[Any] = tape.calls
    at: int = 0
    while at < len(calls):
        if is_among(calls[at + 1], storage) or is_on(calls[at + 2], storage):
            return True
        at += tapes.FIELDS
    return False


def is_among(values: tuple[Any, ...], storage: Storage) -> bool:
    """Return whether one of several values is on a storage."""
    for value in values:
        if is_on(value, storage):
            return True
    return False


def is_on(value: Any, storage: Storage) -> bool:
    """Return whether a tensor, or one of several in a sequence, is on a storage."""
    if isinstance(value, Tensor):
        tensor: Tensor = value
        return tensor._storage_ is storage
    if isinstance(value, (tuple, list)):
        for element in value:
            if isinstance(element, Tensor) and is_on(element, storage):
                return True
    return False
