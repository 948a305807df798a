"""The identity of a piece of memory and its version."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class Storage:
    """Memory shared by a tensor and all its views, with the count of the in-place writes to it.

    `array` is the array that was made first on this memory: it keeps the memory alive and gives offsets their origin.
    `serial` counts the storages in the order in which they were made.
    """

    array: Any
    version: int
    serial: int

    __slots__ = ("array", "serial", "version")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.version = 0
        self.serial = 0
