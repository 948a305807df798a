"""Traces of nvprof: SQLite files, from which only ranges and kernels are read."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

from .event_list import EventList
from .records import FunctionEvent

if TYPE_CHECKING:
    import sqlite3
    from os import PathLike

STRINGS = "SELECT _id_, value FROM StringTable"
RANGES = """
SELECT begun.id, begun.name, begun.timestamp, ended.timestamp
FROM CUPTI_ACTIVITY_KIND_MARKER AS begun
INNER JOIN CUPTI_ACTIVITY_KIND_MARKER AS ended ON begun.id = ended.id
WHERE begun.name != 0 AND ended.name = 0
"""
KERNELS = """
SELECT begun.id, call._id_, call.cbid, kernel.name, kernel.start, kernel.end
FROM CUPTI_ACTIVITY_KIND_MARKER AS begun
INNER JOIN CUPTI_ACTIVITY_KIND_MARKER AS ended ON begun.id = ended.id
INNER JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call ON begun.timestamp < call.start AND call.end < ended.timestamp
INNER JOIN CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS kernel ON kernel.correlationId = call.correlationId
WHERE begun.name != 0 AND ended.name = 0
"""
LAUNCH = 211
"""Number of the call that starts a kernel, in CUDA 9.2 and later."""


class EnforceUnique:
    """Refuse keys that have been seen before.

    Examples:
        >>> from wengert.autograd.profiler import EnforceUnique
        >>> unique = EnforceUnique()
        >>> unique.see("kernel", 1)
        >>> unique.see("kernel", 1)
        Traceback (most recent call last):
        ...
        RuntimeError: duplicate key: ('kernel', 1)
    """

    def __init__(self) -> None:
        self.seen: set[tuple[Any, ...]] = set()

    def see(self, *key: Any) -> None:
        """Note a key.

        Raises:
            RuntimeError: if it has been seen before.
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


def load_nvprof(path: str | PathLike[str]) -> EventList:
    """Read the ranges of `emit_nvtx`, and the kernels within them, from a trace of nvprof.

    The file is opened for reading only, and read by three fixed queries: its content is only data.

    Args:
        path: path of the SQLite file.

    Returns:
        The ranges as `FunctionEvent`s, sorted by their beginning, with their kernels; times as in the file.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is not a trace of nvprof, or is damaged.
        RuntimeError: if a range or a kernel occurs twice.
    """
    events = EventList(parse_nvprof_trace(path), use_device="cuda")
    events._build_tree()
    return events


def parse_nvprof_trace(path: str | PathLike[str]) -> list[FunctionEvent]:
    """Return the events of `load_nvprof` as a plain list; raises the same errors."""
    import sqlite3
    from contextlib import closing

    file = pathlib.Path(path).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"load_nvprof(): there is no file {str(path)!r}")
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return read(connection)
    except (sqlite3.Error, TypeError, KeyError, OverflowError) as error:
        text = f"load_nvprof(): {str(path)!r} is not a trace of nvprof, or damaged: {type(error).__name__}: {error}"
        raise ValueError(text) from error


def read(connection: sqlite3.Connection) -> list[FunctionEvent]:
    """Return the events in an open file."""
    strings = dict(connection.execute(STRINGS))
    events: dict[int, FunctionEvent] = {}
    unique = EnforceUnique()
    for marker, name, begun, ended in connection.execute(RANGES):
        unique.see(marker)
        events[marker] = FunctionEvent(
            marker, text(strings[name]), 0, number(begun), number(ended), node_id=0, use_device="cuda"
        )
    for marker, call, kind, name, begun, ended in connection.execute(KERNELS):
        unique.see(marker, call)
        if kind != LAUNCH:
            raise ValueError(f"load_nvprof(): a kernel was started by call {kind!r}, {LAUNCH} was expected")
        events[marker].append_kernel(text(strings.get(name, name)), 0, number(ended) - number(begun))
    return sorted(events.values(), key=lambda event: event.time_range.start)


def text(value: Any) -> str:
    """Return a name; numbers stand for names that are not in the file."""
    if not isinstance(value, (str, int)):
        raise TypeError(f"a name was expected, not {type(value).__name__}")
    return str(value)


def number(value: Any) -> float:
    """Return a time as a number."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"a time was expected, not {type(value).__name__}")
    return value
