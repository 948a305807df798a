"""The identity of a piece of memory and its version."""

from __future__ import annotations

import itertools
from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from . import anomaly
from .modes import current

_last = 0
_numbers = itertools.count(1)


def next_serial() -> int:
    """A number larger than all that were given before, in whatever thread."""
    global _last
    if cython.compiled:  # one step for all threads there, but not for the interpreter
        _last += 1
        return _last
    return next(_numbers)


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class Storage:
    """Memory shared by a tensor and all its views, with the count of the in-place writes to it.

    `array` is the array that was made first on this memory: it keeps the memory alive and gives offsets their origin.
    `serial` counts the storages in the order in which they were made. `detached` says when `detach_` took the history
    of a tensor on this memory, in the count of `Node.sequence_number` (0: never). `writes` are the latest writes that
    anomaly detection has noted, or None.
    """

    array: Any
    version: int
    serial: int
    detached: int
    writes: Any

    __slots__ = ("array", "detached", "serial", "version", "writes")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.version = 0
        self.serial = 0
        self.detached = 0
        self.writes = None


def count_write(storage: Storage, operation: str) -> None:
    """Count an in-place write to a storage; `operation` is what an error calls it."""
    storage.version += 1
    if current().anomaly:
        anomaly.note_write(storage, operation)
