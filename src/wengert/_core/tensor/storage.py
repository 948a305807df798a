"""Identity and version of a block of memory."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import errors
from ..graph import anomaly
from ..state.modes import current
from . import slots

_last = 0
_numbers = itertools.count(1)


def next_serial() -> int:
    """Return a number larger than all that were returned before, in any thread."""
    global _last
    if not cython.compiled:
        return next(_numbers)
    _last += 1  # one step for all threads when compiled, but not for the interpreter
    return _last


def next_serials(count: int) -> int:
    """Return the first of several such numbers that follow one another."""
    global _last
    if not cython.compiled:
        return min([next(_numbers) for _ in range(count)])
    _last += count
    return _last - count + 1


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Storage:
    """Memory shared by a tensor and all its views, with the count of the in-place writes to it.

    `array` is the first array on this memory: it keeps the memory alive, spans it, and is the origin of offsets.
    `serial` counts the storages in the order of their creation, those of `succeed` with a minus sign. `detached` is the
    time at which `detach_` removed the history of a tensor on this memory, in the count of `Node.sequence_number` (0:
    never). `writes` are the latest writes that anomaly detection has noted, or None. `counting` are weak references to
    all storages that count writes together, see `succeed`, or None.
    """

    array: Any
    version: int
    serial: int
    detached: int
    writes: Any
    counting: Any

    __slots__ = ("__weakref__", "array", "counting", "detached", "serial", "version", "writes")
    __reduce__ = errors.refuse_pickling

    def __init__(self, array: Any) -> None:
        self.array = array
        self.version = 0
        self.serial = 0
        self.detached = 0
        self.writes = None
        self.counting = None


def count(storage: Storage) -> None:
    """Count an in-place write to a storage."""
    if slots.taping:
        slots.settle_written(storage)
    storage.version += 1
    if storage.counting is not None:
        for reference in storage.counting:
            other = reference()
            if other is not None:
                other.version = storage.version


def count_write(storage: Storage, operation: str) -> None:
    """Count an in-place write, and note it under anomaly detection; `operation` is its name in errors."""
    count(storage)
    if current().noting:
        anomaly.note_write(storage, operation)


def succeed(storage: Storage, array: Any) -> Storage:
    """Return the storage of a tensor that moves from the memory of `storage` to that of `array`.

    Its views stay on the old memory. As in torch, a write to any of them still counts for all.
    """
    slots.settle_tapes()
    successor: Storage = Storage(array)
    successor.version = storage.version
    successor.serial = -next_serial()
    known = [reference() for reference in storage.counting or ()] or [storage]
    together = [member for member in known if member is not None] + [successor]
    references = [weakref.ref(member) for member in together]
    for member in together:
        member.counting = references
    return successor


def size_in_bytes(storage: Storage) -> int:
    """Return the number of bytes that the memory spans."""
    array = storage.array
    if not array.size:
        return 0
    return array.itemsize + sum([(length - 1) * abs(step) for length, step in zip(array.shape, array.strides)])
