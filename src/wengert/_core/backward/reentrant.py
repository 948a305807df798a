"""Backward passes within backward passes, to any depth: past some depth each runs on a stack of its own.

Python bounds how deep calls may nest, per thread. So a pass that is nested too deep runs in another thread, in the
modes of the one that waits for it. That is a thread without an object of `threading`, which takes locks to start and to
end one: a signal handler that came while they were held, and went as deep itself, would wait for ever.

Where no thread can be started (WebAssembly, or a program that has as many as it may), the pass goes on in its own.
"""

from __future__ import annotations

import _thread
import contextvars
from collections.abc import Callable
from typing import Any

from ..state.modes import Modes, acting, current
from ..tensor import tapes

DEEPEST = 24
"""Largest number of nested passes in one thread; their frames (of engine and program) share Python's limit."""

OWN = ("cache", "depth", "has_lock", "quiet", "starter", "tape")
"""The modes that the other thread has of its own: it does not follow a function."""
INHERITED = tuple([name for name in Modes.__slots__ if name not in OWN])
"""The modes that it takes over."""

NO_THREAD = "can't start new thread"
"""Error texts by which Python refuses to start a thread."""


def in_thread(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function in a thread of its own, in the modes and the context of this one, and wait for its result.

    Raises:
        BaseException: if the function raises it, or a signal handler does meanwhile.
    """
    modes = current()
    inherited = [(name, getattr(modes, name)) for name in INHERITED]  # now: signal handlers may switch them meanwhile
    starter, has_lock = acting(), tapes.has_lock()
    context = contextvars.copy_context()
    tickets: list[None] = [None]
    outcome: list[Any] = []
    pending = [args]
    finished = _thread.allocate_lock()
    finished.acquire()

    def body() -> None:
        if not take(tickets):  # the one that waits was interrupted before this began
            return
        own = current()
        for name, value in inherited:
            setattr(own, name, value)
        if own is not modes:
            own.starter, own.has_lock = starter, has_lock
        result, failure = None, None
        try:
            result = context.run(function, *pending.pop())
        except BaseException as error:  # it is raised again in the thread that waits
            failure = error
        outcome.append((result, failure, own.sequence))
        del result, failure  # nothing of the pass lives on in a thread that is about to end
        finished.release()

    interrupt = run_to_end(body, tickets, finished, outcome)
    result, failure, sequence = outcome.pop()
    modes.sequence = max(modes.sequence, sequence)
    failure = interrupt or failure
    if failure is not None:
        try:
            raise failure
        finally:
            del failure, interrupt  # the traceback holds this frame
    return result


def run_to_end(
    body: Callable[[], None], tickets: list[None], finished: Any, outcome: list[Any]
) -> BaseException | None:
    """Run in another thread and wait for the outcome; return what a signal handler raised meanwhile.

    Where no thread can be started, run in this one.

    Raises:
        BaseException: if an interrupt comes before the thread has begun, which then does nothing.
    """
    interrupt: BaseException | None = None
    try:
        _thread.start_new_thread(body, ())
    except BaseException as error:  # no thread could be started, or an interrupt came meanwhile
        if not take(tickets):
            interrupt = error
        elif isinstance(error, RuntimeError) and str(error) == NO_THREAD:
            tickets.append(None)
            run_here(body)
        else:
            raise
    while not outcome:
        try:
            finished.acquire()
        except BaseException as error:  # an interrupt; but the pass writes to the program's tensors until it ends
            interrupt = error
    return interrupt


def run_here(body: Callable[[], None]) -> None:
    """Run in this thread, with the depth of passes counted from zero, as in a new thread."""
    modes = current()
    depth, modes.depth = modes.depth, 0
    try:
        body()
    finally:
        modes.depth = depth


def take(tickets: list[None]) -> bool:
    """Take the ticket, in one step for all threads; False if another has it."""
    try:
        tickets.pop()
    except IndexError:
        return False
    return True
