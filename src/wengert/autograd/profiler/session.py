"""State of an open profile: what is recorded in which threads, and the parts of their logs that belong to it."""

from __future__ import annotations

import _thread
import threading
import time
from typing import Any

from ..._core.forks import forks
from ..._core.profiling.events import Event, Log, hold_open
from ..._core.state import modes as states
from ..._core.state.modes import Modes, current


class Locks:
    """Lock that is held while a profile opens or closes; a signal handler may do so while it is held.

    A forked child has its own lock: another thread of its parent may have held the parent's.
    """

    held = threading.RLock()
    process = forks()

    @classmethod
    def lock(cls) -> Any:
        """Return the lock of this process."""
        if cls.process != forks():
            cls.held, cls.process = threading.RLock(), forks()
        return cls.held


LIVE: dict[Any, int] = {}
"""Live storages made while memory was recorded: weak references and sizes in bytes."""
MEMORY_SESSIONS: list[Session] = []
"""Open profiles that record memory; `LIVE` is cleared with the last one."""


class Part:
    """Part of a thread's log that belongs to a profile.

    Attributes:
        log: the log.
        modes: the modes of the thread.
        name: the name of the thread.
        start: the number of its first event in the log.
        events: the events, once the profile is closed.
    """

    def __init__(self, log: Log, modes: Modes, name: str) -> None:
        self.log, self.modes, self.name = log, modes, name
        self.start = len(log.events)
        self.events: list[Event] = []


class Session:
    """Options of a profile, and the logs that record it. Several may be open in one thread.

    Attributes:
        shapes, stacks, modules, memory: what is recorded, see `Log`.
        several: whether all threads are recorded.
        emitter: an object whose methods `push` and `pop` are called for each event; then nothing is kept.
        parts: one for each thread.
        opened, closed: times by `time.perf_counter_ns`; 0 before.
        epoch: difference between a time since 1970 and such a time.
    """

    def __init__(
        self,
        *,
        shapes: bool = False,
        stacks: bool = False,
        modules: bool = False,
        memory: bool = False,
        several: bool = False,
        emitter: Any = None,
    ) -> None:
        self.shapes, self.stacks, self.modules, self.memory = shapes, stacks, modules, memory
        self.several, self.emitter = several, emitter
        self.parts: list[Part] = []
        self.opened = self.closed = 0
        self.ended = False
        self.epoch = 0

    def open(self) -> None:
        """Start recording; everything stays as it was if a signal handler raises."""
        try:
            self.begin()
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Do the work of `open`."""
        with Locks.lock():
            self.epoch = time.time_ns() - time.perf_counter_ns()
            self.opened = time.perf_counter_ns()
            hold_open(id(self), True)
            if self.memory:
                MEMORY_SESSIONS.append(self)
            self.join(current())
            if self.several:
                for modes, thread in tuple(states.everyone.values()):
                    if modes is not self.parts[0].modes:
                        self.join(modes, thread)
                states.newcomers.append(self.join)

    def join(self, modes: Modes, thread: int | None = None) -> None:
        """Also record a thread: the calling one, or that with the identity `thread`."""
        thread = _thread.get_ident() if thread is None else thread
        log = modes.log or Log(thread)
        self.parts.append(Part(log, modes, name_of(thread)))
        log.users.append(self)
        settle(log)
        if modes.log is None:
            modes.profile(log)

    def pause(self) -> None:
        """Stop recording in all threads until `resume`."""
        for part in self.parts:
            part.log.users.remove(self)
            settle(part.log)

    def resume(self) -> None:
        """Resume recording after `pause`."""
        for part in self.parts:
            part.log.users.append(self)
            settle(part.log)

    def close(self) -> None:
        """Stop recording; the record stays in `parts`."""
        try:
            self.end()
        except BaseException:  # from a signal handler
            self.end()
            raise

    def end(self) -> None:
        """Do the work of `close`; steps done before an interrupt are not repeated."""
        with Locks.lock():
            if self.ended or not self.opened:
                return
            self.closed = self.closed or time.perf_counter_ns()
            hold_open(id(self), False)
            if self.join in states.newcomers:
                states.newcomers.remove(self.join)
            for part in self.parts:
                self.leave(part)
            if self in MEMORY_SESSIONS:
                MEMORY_SESSIONS.remove(self)
                if not MEMORY_SESSIONS:
                    LIVE.clear()
            self.ended = True

    def leave(self, part: Part) -> None:
        """Stop recording one thread."""
        log = part.log
        part.events = log.events[part.start :]
        if self in log.users:
            log.users.remove(self)
        if log.users:
            settle(log)
            return
        log.keeping = False
        log.live = None
        if part.modes.log is log:
            part.modes.profile(None)


def settle(log: Log) -> None:
    """Set a log to record what any of its users asks for."""
    users = log.users
    log.keeping = any(user.emitter is None for user in users)
    log.shapes = any(user.shapes for user in users)
    log.stacks = any(user.stacks for user in users)
    log.modules = any(user.modules for user in users)
    log.several = any(user.several for user in users)
    log.emitters = tuple([user.emitter for user in users if user.emitter is not None])
    log.live = LIVE if any(user.memory for user in users) else None
    log.more = bool(log.emitters) or log.shapes or log.stacks or log.modules or log.several or log.live is not None


def name_of(thread: int) -> str:
    """Return the name of a thread."""
    known = {thread.ident: thread.name for thread in threading.enumerate()}
    return known.get(thread, f"thread {thread}")
