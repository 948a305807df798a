"""Traces of nvprof: SQLite files, of which nothing but ranges and kernels is read."""

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
"""The number of the call that starts a kernel, of CUDA 9.2 and later."""


class EnforceUnique:
    """Refuses keys that have been seen.

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
        """See a key.

        Raises:
            RuntimeError: it has been seen before.
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


def load_nvprof(path: str | PathLike[str]) -> EventList:
    """The ranges that `emit_nvtx` opened, and the kernels within them, of a trace that nvprof wrote.

    The file is opened for reading only, and three fixed queries are all that is asked of it: its content is data.

    Args:
        path: of the SQLite file.

    Returns:
        The ranges as `FunctionEvent`s in the order in which they began, with their kernels; times as the file has them.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no such trace, or damaged.
        RuntimeError: a range or a kernel is in it twice.
    """
    events = EventList(parse_nvprof_trace(path), use_device="cuda")
    events._build_tree()
    return events


def parse_nvprof_trace(path: str | PathLike[str]) -> list[FunctionEvent]:
    """The events of `load_nvprof` as a plain list; raises what it does."""
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
        text = f"load_nvprof(): {str(path)!r} is no trace of nvprof, or damaged: {type(error).__name__}: {error}"
        raise ValueError(text) from error


def read(connection: sqlite3.Connection) -> list[FunctionEvent]:
    """The events in an open file."""
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
    """A name; numbers stand for names that the file does not have."""
    if not isinstance(value, (str, int)):
        raise TypeError(f"a name was expected, not {type(value).__name__}")
    return str(value)


def number(value: Any) -> float:
    """A time."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"a time was expected, not {type(value).__name__}")
    return value
