"""Contexts that change modes of a thread, or of the program, and restore them.

A signal handler may raise wherever interpreted code is interrupted, also while a context is entered or left.
So `Region` runs the methods of derived classes: where it is compiled, no handler comes between its own lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .modes import Modes, current


class Entered:
    """A context that may be entered several times, by several threads.

    `_entries_` holds the states to restore as `(modes of the thread, state, the entry before)`, the latest entry first.
    """

    _entries_: Any

    __slots__ = ("_entries_",)


def leave(guard: Entered, modes: Modes) -> Any:
    """Remove the latest entry of this thread; return the state to restore."""
    entry: tuple[Any, ...] = guard._entries_
    if entry[0] is modes:
        guard._entries_ = entry[2]
        return entry[1]
    others = []
    while entry[0] is not modes:
        others.append(entry)
        entry = entry[2]
    rest: Any = entry[2]
    for owner, before, _ in reversed(others):
        rest = (owner, before, rest)
    guard._entries_ = rest
    return entry[1]


def left_wholly(leave_guard: Callable[..., None]) -> Any:
    """Make an `__exit__` that begins again if a handler has raised in the middle of it."""

    def __exit__(self: Entered, *error: Any) -> None:  # noqa: N807 - what it is
        entries = self._entries_
        try:
            leave_guard(self)
        except BaseException:
            self._entries_ = entries
            leave_guard(self)
            raise

    return __exit__


class Region(Entered):
    """A context that is entered, and left, completely or not at all.

    Derived classes define the state before (`_before_`), the change (`_begin_`), and the way back (`_end_`). `_end_`
    may be called in the middle of `_begin_`, and again after an interruption: it stores values, and counts nothing.
    """

    __slots__ = ()

    def __enter__(self) -> Any:
        modes = current()
        before = self._before_(modes)
        entry = (modes, before, getattr(self, "_entries_", None))
        try:
            result = self._begin_(modes, before)
            self._entries_ = entry
        except BaseException:
            self._end_(modes, before)
            raise
        return result

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> Any:
        try:
            self._take_back_()
        except BaseException:
            if self._is_entered_():
                self._take_back_()
            raise

    def _is_entered_(self) -> bool:
        """Return whether some thread is inside."""
        return getattr(self, "_entries_", None) is not None

    def _take_back_(self) -> None:
        """End the latest entry of this thread, then remove it."""
        if not self._is_entered_():
            self._refuse_()
            return
        entries: tuple[Any, ...] = self._entries_
        modes = current()
        if entries[0] is modes:
            self._end_(modes, entries[1])
            self._entries_ = entries[2]
            return
        kept = Entered()  # another thread has entered it since
        kept._entries_ = entries
        self._end_(modes, leave(kept, modes))
        self._entries_ = kept._entries_

    def _refuse_(self) -> None:
        """Refuse to be left without having been entered.

        Raises:
            RuntimeError: always; the context was not entered.
        """
        raise RuntimeError(f"{type(self).__name__}: the context is left, but was not entered")

    def _before_(self, modes: Modes) -> Any:
        """Return the state to restore."""
        raise NotImplementedError

    def _begin_(self, modes: Modes, before: Any) -> Any:
        """Change the state; the result is the value of `with ... as`."""
        raise NotImplementedError

    def _end_(self, modes: Modes, before: Any) -> None:
        """Restore the state."""
        raise NotImplementedError
