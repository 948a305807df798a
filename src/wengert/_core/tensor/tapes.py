"""The tape of a thread: recorded calls whose nodes have not been created yet.

While a function is followed (`capture.following`), dispatch writes the calls that it records to the tape of the thread,
instead of creating their nodes. Edges of results lead to the tape for the time being. Whatever looks at the graph, or
changes what nodes would have saved, has the nodes created first (`calls.taped.create_nodes`).
"""

from __future__ import annotations

import _thread
import time
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import flags
from ..forks import forks
from ..graph.node import Edge, Node, new_edge, set_up
from ..state.modes import Modes, acting, current
from .base import Tensor
from .storage import Storage

PLAIN = flags.REQUIRES_GRAD | flags.VIEW
"""The flags of tensors that calls on a tape may have."""
FIELDS = 4
"""Number of elements of `Tape.calls` for each call."""
PAUSE = 1e-5
"""Seconds after which a thread looks again whether the nodes that it needs are there."""
MOST_CALLS = 1 << 16
"""Number of calls on a tape from which on its nodes are created: the tape holds all arguments and results."""
MOST_ELEMENTS = 1 << 17
"""Number of elements of a result up to which a call is written to a tape: nodes hold fewer arguments and results."""


class Predicting:
    """Comparison of a tape with what is expected of it, call by call; `capture.predicting` implements it."""

    __slots__ = ()

    def run(self, op: Any, args: tuple[Any, ...]) -> Any:
        """Run a call that is expected; return its result, or None: the call then runs as usual."""
        raise NotImplementedError

    def run2(self, op: Any, first: Any, second: Any) -> Any:
        """Run a call with two arguments and defaults, see `run`."""
        raise NotImplementedError

    def takes(self, op: Any, args: tuple[Any, ...], result: Any) -> bool:
        """Take a call that has run as usual; return False if it was not expected."""
        raise NotImplementedError

    def uses(self, storage: Storage) -> bool:
        """Return whether one of the calls so far has a tensor on a storage."""
        raise NotImplementedError

    def end(self) -> None:
        """Write the calls so far to the tape, and end the comparison."""
        raise NotImplementedError


class Cache:
    """Calls of a followed function that nothing records; `capture.caching` implements it."""

    __slots__ = ()

    def run(self, op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
        """Run a call that is cached; return its result, or None: the call then runs as usual."""
        raise NotImplementedError

    def run2(self, op: Any, first: Any, second: Any, modes: Modes) -> Any:
        """Run a call with two arguments and defaults, see `run`."""
        raise NotImplementedError

    def learn(self, op: Any, args: tuple[Any, ...], result: Tensor, modes: Modes) -> None:
        """Cache a call that has run as usual, if it can be."""
        raise NotImplementedError


@cython.no_gc
@cython.cclass
class Tape(Node):
    """Recorded calls without nodes; a node itself, so that edges can lead to it.

    Attributes:
        calls: for each call the operator, its arguments, its result (a tuple of several), and the edge of the result (a
            tuple with None for those that are not recorded).
        modes: those of the thread that writes to the tape.
        follower: whose calls these are.
        segment_node: the node that stands for all calls after a backward pass has begun; None before.
        edges: then the edges of all results.
        passed: the external tensors of the calls if a pass has run over them without a node, which freed the graph, and
            no program has looked at it; otherwise None.
        pattern: then the pattern that the calls match.
        earlier: the tape before this one in the same call of the function, or None.
        predicting: compares the calls with what is expected, and has them until that ends; or None.
        changer: the modes of the thread that is in the middle of a change of it: its own, or one that creates its
            nodes; or None.
        process: the number of forks before the process in which the mark counts, see `forget_forked`.
    """

    calls: list[Any]
    modes: Modes
    follower: Any
    segment_node: Any
    edges: list[Any]
    passed: Any
    pattern: Any
    earlier: Any
    predicting: Any
    changer: Modes | None
    process: int

    __slots__ = (
        "calls",
        "changer",
        "earlier",
        "edges",
        "follower",
        "modes",
        "passed",
        "pattern",
        "predicting",
        "process",
        "segment_node",
    )


def new_tape(modes: Modes, follower: Any) -> Tape:
    """Return an empty tape."""
    tape: Tape = Tape.__new__(Tape)
    set_up(tape, (), modes.sequence, 1)
    tape.calls = []
    tape.modes = modes
    tape.follower = follower
    tape.segment_node = tape.passed = tape.pattern = None
    tape.edges = None
    tape.earlier = None
    tape.predicting = None
    tape.changer = None
    tape.process = forks()
    return tape


def is_quiet(modes: Modes) -> bool:
    """Return whether a thread is in no mode that looks at new nodes, or changes what they save."""
    if modes.word or modes.inference or modes.noting or modes.transforms or modes.log is not None:
        return False
    return modes.passing is None and modes.saved_hooks is None and modes.no_saved_hooks is None


def put(tape: Tape, op: Any, args: tuple[Any, ...], result: Tensor) -> None:
    """Write a call with a single result to a tape."""
    edge: Edge = new_edge(tape, 0, None, None)
    result._edge_ = edge
    result._flags_ |= flags.REQUIRES_GRAD
    tape.calls.extend((op, args, result, edge))  # at once: another thread may look


def put_several(tape: Tape, op: Any, args: tuple[Any, ...], results: tuple[Any, ...], recorded: Any) -> None:
    """Write a call with several results to a tape.

    Args:
        recorded: for each result whether it is differentiable; empty if all are.
    """
    edges: list[Any] = []
    edge: Edge
    result: Tensor
    for nr in range(len(results)):
        edge = None
        if not recorded or recorded[nr]:
            edge = new_edge(tape, nr, None, None)
            result = results[nr]
            result._edge_ = edge
            result._flags_ |= flags.REQUIRES_GRAD
        edges.append(edge)
    tape.calls.extend((op, args, results, tuple(edges)))


def calls_in(calls: list[Any]) -> list[tuple[Any, ...]]:
    """Return the calls on a tape as tuples (operator, arguments, result, edge)."""
    return [tuple(calls[at : at + FIELDS]) for at in range(0, len(calls), FIELDS)]


def is_taped(edge: Edge | None) -> bool:
    """Return whether an edge leads to a tape."""
    return edge is not None and isinstance(edge.node, Tape)


def settle_before(edges: tuple[Edge | None, ...], modes: Modes) -> None:
    """Create the nodes of all calls on the tape of a thread, and of tapes of other threads that edges lead to.

    A new node comes after them.
    """
    if modes.tape is not None:
        modes.tape.follower.settle(modes.tape)
    for edge in edges:
        if is_taped(edge):
            settle_edge(edge)


def settle_edge(edge: Edge) -> None:
    """Create the nodes of the tape that an edge leads to."""
    node: Any = edge.node  # read once: another thread may let the edge lead elsewhere
    if not isinstance(node, Tape):
        return
    tape: Tape = node
    follower: Any = tape.follower
    if follower is None:  # the tape has been discarded: this edge is of no result in use
        return
    if tape.changer is acting():  # a handler runs in the middle of the change
        with lock():
            follower.create_nodes(tape)
    else:
        follower.settle(tape)


_lock = _thread.RLock()
_process = 0


def lock() -> Any:
    """Return the lock that a thread holds while it creates nodes of any tape; a forked process has a new one.

    Interpreted, a thread also holds it while it writes a call to its tape. Compiled, no other thread runs between the
    look at the mark of a tape and the mark. A thread that works for the one that holds the lock gets another one.
    """
    global _lock, _process
    if current().has_lock:
        return _thread.RLock()
    process: int = forks()
    if _process != process:
        _lock = _thread.RLock()
        _process = process
    return _lock


def has_lock() -> bool:
    """Return whether this thread holds the lock, or works for one that does."""
    return current().has_lock or bool(lock()._is_owned())


def await_others(tape: Tape, modes: Modes) -> bool:
    """Wait until no other thread is in the middle of a change of a tape.

    Returns:
        False if a thread cannot change the tape: it is in the middle of a change, of which a handler or a finaliser has
        to do without the tape; or the tape has been discarded.
    """
    while tape.changer is not None:
        if tape.changer is modes:
            return False
        if not forget_forked(tape):
            time.sleep(PAUSE)
    return tape.follower is not None


def forget_forked(tape: Tape) -> bool:
    """Remove the mark of a thread that a forked child does not have; return whether there was one."""
    if tape.process == forks():
        return False
    tape.process = forks()
    tape.changer = None
    return True
