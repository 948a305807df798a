"""Traces in Chrome's format, for https://ui.perfetto.dev, chrome://tracing and TensorBoard."""

from __future__ import annotations

import gzip
import json
import os
import platform
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from ..._core.profiling import kinds

if TYPE_CHECKING:
    from .event_list import EventList
    from .session import Session


def write_trace(events: EventList, path: str, context: dict[str, Any]) -> None:
    """Write a trace.

    Args:
        events: the events.
        path: path of the file; it is compressed if the name ends with ".gz".
        context: "session" and "pairs" of the profile, and "metadata" added by a program; empty for events of another
            source.
    """
    session: Session | None = context.get("session")
    head = {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": session.epoch + session.opened if session else 0,
        "host_name": platform.node(),
        **({} if session is None else options_of(session)),
        **context.get("metadata", {}),
    }
    opener: Any = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "wt", encoding="ascii") as file:
        write_object(file, head, entries(events, session, context.get("pairs", ())))


def options_of(session: Session) -> dict[str, int]:
    """Return the options of the profile."""
    named = {
        "record_shapes": session.shapes,
        "with_stack": session.stacks,
        "with_modules": session.modules,
        "profile_memory": session.memory,
    }
    return {name: 1 for name, flag in named.items() if flag}


def write_object(file: TextIO, head: dict[str, Any], entries: Iterable[dict[str, Any]]) -> None:
    """Write a JSON object with the list of entries as its last member, one by one."""
    encode = json.JSONEncoder(allow_nan=False).encode
    file.write(encode(head)[:-1] + ', "traceEvents": [\n')
    for number, entry in enumerate(entries):
        file.write((",\n" if number else "") + encode(entry))
    file.write("\n]}\n")


def entries(events: EventList, session: Session | None, pairs: Iterable[tuple[Any, Any]]) -> Iterator[dict[str, Any]]:
    """Yield all entries of a trace."""
    process = os.getpid()
    yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "wengert"}}
    for number, part in enumerate(session.parts if session else (), 1):
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": number, "args": {"name": part.name}}
    for event in events:
        if event.trace_name is not None:
            yield complete(event, process)
    for number, (maker, node) in enumerate(pairs, 1):
        arrow = {"cat": "fwdbwd", "name": "fwdbwd", "id": number, "pid": process}
        yield {"ph": "s", "tid": maker.thread, "ts": maker.time_range.start, **arrow}
        yield {"ph": "f", "bp": "e", "tid": node.thread, "ts": node.time_range.start, **arrow}
    if session is not None and session.memory:
        for time, size, _ in memory_changes(session):
            yield {
                "ph": "C",
                "name": "live memory",
                "pid": process,
                "tid": 0,
                "ts": (time - session.opened) / 1000,
                "args": {"bytes": size},
            }


def complete(event: Any, process: int) -> dict[str, Any]:
    """Return the entry of an event from beginning to end."""
    args: dict[str, Any] = {"External id": event.id}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": event.fwd_thread or 0}
    if event.input_shapes:
        args["Input Dims"] = event.input_shapes
        args["Concrete Inputs"] = [readable(value) for value in event.concrete_inputs or ()]
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    if event.module_hierarchy:
        args["Module Hierarchy"] = event.module_hierarchy
    if event.flops:
        args["FLOPs"] = event.flops
    if event.cpu_memory_usage:
        args["CPU memory"] = event.cpu_memory_usage
    return {
        "ph": "X",
        "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
        "name": event.trace_name,
        "pid": process,
        "tid": event.thread,
        "ts": event.time_range.start,
        "dur": event.time_range.elapsed_us(),
        "args": args,
    }


def readable(value: Any) -> str:
    """Return an argument as text; "" if it was not recorded. (Numbers without a JSON form are texts, too.)"""
    return "" if value is None else str(value)


def memory_changes(session: Session) -> Iterator[tuple[int, int, int]]:
    """Yield each time when memory was allocated or freed, the live bytes afterwards, and the change in bytes."""
    changes = [
        (event.begun, event.size) for part in session.parts for event in part.events if event.kind == kinds.MEMORY
    ]
    changes.sort(key=lambda change: change[0])
    held = 0
    for time, size in changes:
        held += size
        yield time, held, size
