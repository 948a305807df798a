"""Tables of module hooks, of one module or of all."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..._tensor.attributes import RemovableHandle

Hook = Callable[..., Any]
Marks = dict[int, bool]
Entry = tuple[int, Hook, bool]
"""Id of the handle, hook, whether the hook takes keyword arguments."""

# One lock for all tables, because a table is copied and pickled with its module. Reentrant: objects that are deleted
# while it is held may remove hooks.
_lock = threading.RLock()


def renew_lock() -> None:
    """Replace the lock in a forked child, because another thread of the parent may have held it."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_lock)


class HookTable(OrderedDict[int, Hook]):
    """Hooks in the order in which they run, by the id of their handle.

    Args:
        called: a dictionary that several tables may share. Its keys are the ids of all hooks that were put into
            them and not removed by `pop`; if it is empty, there is no hook to call.
        with_kwargs: dictionary whose keys are the ids of hooks that take keyword arguments.
        always_called: dictionary whose keys are the ids of hooks that also run after errors.
    """

    __slots__ = ("marks",)

    def __init__(self, called: Marks | None = None, *single: Marks) -> None:
        self.marks = () if called is None else (called, *single)

    def __repr__(self) -> str:
        return f"OrderedDict({list(self.items())})" if self else "OrderedDict()"  # as programs know it

    def __setitem__(self, key: int, hook: Hook) -> None:
        if self.marks:
            self.marks[0][key] = True
        super().__setitem__(key, hook)

    def pop(self, key: int, *default: Any) -> Any:
        """Remove a hook, and its id from all marks; `remove()` of a handle calls this."""
        with _lock:
            try:
                return super().pop(key, *default)
            finally:  # last: a fork in between leaves a mark without a hook, not the other way around
                for mark in self.marks:
                    mark.pop(key, None)

    def add(
        self, hook: Hook, prepend: bool = False, with_kwargs: bool = False, always_called: bool = False
    ) -> RemovableHandle:
        """Register a hook as the last one, or as the first if `prepend`."""
        handle = RemovableHandle(self)
        with _lock:
            try:
                for mark, chosen in zip(self.marks[1:], (with_kwargs, always_called)):
                    if chosen:
                        mark[handle.id] = True
                self[handle.id] = hook
                if prepend:
                    self.move_to_end(handle.id, last=False)
            except BaseException:  # of a signal handler: nobody would have the handle
                self.pop(handle.id, None)
                raise
        return handle

    def entries(self) -> tuple[Entry, ...]:
        """Return a snapshot of the hooks: changes by a hook or another thread count from the next call on."""
        while self:
            with _lock:
                with_kwargs = self.marks[1] if len(self.marks) > 1 else ()
                try:
                    return tuple([(key, hook, key in with_kwargs) for key, hook in self.items()])
                except (KeyError, RuntimeError):  # an object that died meanwhile has changed the table
                    continue
        return ()
