"""Captured lists of replayed functions, as text and as data."""

from __future__ import annotations

import linecache
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wengert import _kernels as kernels
from wengert._core.capture.lists import ADD, CALL, COPY, GRADS, ISLAND, READ, VIEW, WRITE, CallList, Entry, Nested

from .following import Followed
from .replaying import Replaying
from .timing import Stopwatch

KINDS = {
    CALL: "call",
    WRITE: "write in place",
    VIEW: "view",
    COPY: "constant",
    READ: "comparison",
    ADD: "sum of gradients",
    GRADS: "gradients of leaves",
    ISLAND: "function of Python",
}

BY_PYTHON = {
    CALL: "the operator has no native function for this case",
    WRITE: "the operator has no native function for this case",
    READ: "more than a truth value or bytes is compared",
    GRADS: "tensors are created",
    ISLAND: "it is Python code",
}
"""Reasons why the native loop ends at an entry, which Python runs."""

MOST_NAMES = 8
"""Number of nodes of a part that are named."""


@dataclass(frozen=True)
class ListEntry:
    """An entry of a list.

    Attributes:
        kind: what it does, one of the values of `KINDS`.
        name: the operator or function.
        file, line: the place of the call in the program; "" and 0 if it is unknown.
        code: the text of the line.
        by_python: the reason why the native loop ends here; "" if it runs the entry.
        bytes: the bytes of the results.
        seconds: the median time of the measured replays; None if there are none.
    """

    kind: str
    name: str
    file: str
    line: int
    code: str
    by_python: str
    bytes: int
    seconds: float | None


@dataclass(frozen=True)
class RecordedList:
    """A list.

    Attributes:
        entries: its entries.
        kinds: the number of entries of each kind.
        calls: the number of calls, or passes, since it was recorded.
        constant_bytes: bytes of the arrays among the arguments of its entries.
        spare_bytes: bytes of the arrays that it keeps for results of the next replay.
    """

    entries: tuple[ListEntry, ...]
    kinds: dict[str, int]
    calls: int
    constant_bytes: int
    spare_bytes: int

    @property
    def seconds(self) -> float | None:
        """The sum of the times of all entries; None if no replay has been measured."""
        times = [entry.seconds for entry in self.entries if entry.seconds is not None]
        return sum(times) if times else None


@dataclass(frozen=True)
class Part:
    """A part of the history of the results, which has a node and lists of its own.

    Attributes:
        nodes: the names of the ordinary nodes that it stands for.
        ordinary: the reason why ordinary nodes run; "" if lists do.
        lists: the lists of its backward passes.
    """

    nodes: tuple[str, ...]
    ordinary: str
    lists: tuple[RecordedList, ...]


@dataclass(frozen=True)
class Forward:
    """The list of a call, and the parts of the history of its results."""

    call: RecordedList
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Calls:
    """The calls with the same Python values among their arguments.

    Attributes:
        lists: their lists, the newest first.
        eager: the reasons why calls are eager, each with the place in the program.
    """

    lists: tuple[Forward, ...]
    eager: tuple[str, ...]


class Explanation(str):
    """What `explain` returns: a text, with the same as data.

    Attributes:
        name: the name of the function.
        recorded: the number of recorded lists.
        signatures: the calls, by the Python values among their arguments.
    """

    name: str
    recorded: int
    signatures: tuple[Calls, ...]

    @cached_property
    def lists(self) -> tuple[RecordedList, ...]:
        """All lists: of calls, and of backward passes."""
        found = [forward for signature in self.signatures for forward in signature.lists]
        return tuple(one for forward in found for one in (forward.call, *(r for p in forward.parts for r in p.lists)))

    def to_dict(self) -> dict[str, Any]:
        """Return the data as dictionaries, lists, numbers and strings."""
        return {
            "name": self.name,
            "recorded": self.recorded,
            "signatures": [asdict(signature) for signature in self.signatures],
        }

    def to_html(self) -> str:
        """Return a page for a browser that shows the lists."""
        from wengert.viz.list_page import write_lists_page

        return write_lists_page(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page.

        Args:
            path: name of the file, which must end in `.html`.

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is not `.html`.
        """
        path = Path(path)
        if path.suffix.lower() != ".html":
            raise ValueError(f"Explanation.save(): the suffix must be .html, but got {path.suffix!r} in {str(path)!r}")
        path.write_bytes(self.to_html().encode("utf-8"))
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame, for a notebook."""
        from wengert.viz.page_text import in_frame

        return in_frame(self.to_html(), f"Lists of {self.name}")


def followed_explanation(compiled: Followed) -> Explanation:
    """Return the patterns of a followed function, and why its latest tape has none."""
    name = str(getattr(compiled, "__qualname__", "function"))
    lines = [f"{name}: followed, {len(compiled.patterns)} patterns"]
    for number, pattern in enumerate(compiled.patterns):
        lists = len(pattern.graph.segments[0].lists)
        native = sum(expected.is_native for expected in pattern.expected)
        lines.append(
            f"  pattern {number}: {len(pattern.expected)} calls, of which {native} run natively; it has matched "
            f"{pattern.matches} times; {lists} backward lists"
        )
        lines.append(f"    {', '.join([expected.op.name for expected in pattern.expected[:MOST_NAMES]])}")
    if compiled.reason:
        lines.append(f"  the latest tape without a match has no pattern: {compiled.reason}")
    result = Explanation("\n".join(lines))
    result.name, result.recorded, result.signatures = name, len(compiled.patterns), ()
    return result


def explain(compiled: Any, times: bool | None = None) -> Explanation:
    """Return the lists of a function of `wg.compile`, and the reasons of eager calls; of a followed one its patterns.

    Args:
        compiled: the function.
        times: True to measure the entries of the lists in later calls, False to stop that.

    Raises:
        TypeError: if `compiled` is not a function of `wg.compile`.
    """
    if isinstance(compiled, Followed):
        return followed_explanation(compiled)
    if not isinstance(compiled, Replaying):
        raise TypeError(f"explain() takes a function of wg.compile, not {type(compiled).__name__}")
    signatures = tuple(
        Calls(
            tuple(forward_of(captured) for captured in signature.lists),
            tuple(f"{group.reason}{group.place}" for group in signature.groups.values() if group.reason),
        )
        for signature in compiled.signatures.values()
    )
    name = str(getattr(compiled, "__qualname__", "function"))
    result = Explanation("\n".join(lines_of(name, compiled.count, signatures)))
    result.name, result.recorded, result.signatures = name, compiled.count, signatures
    if times is not None:
        for calls in all_calls(compiled):
            calls.stopwatch = Stopwatch(calls) if times else None
    return result


def all_calls(compiled: Replaying) -> Iterable[CallList]:
    """Return the lists of a function as replays run them, those of backward passes among them."""
    for signature in compiled.signatures.values():
        for captured in signature.lists:
            yield captured.calls
            for segment in () if captured.graph is None else captured.graph.segments:
                yield from (known.calls for known in segment.lists)


# ---- data ------------------------------------------------------------------------------------------------------------


def forward_of(captured: Any) -> Forward:
    """Return the data of a list and of the history of its results."""
    return Forward(recorded(captured.calls, captured.replays), parts_of(captured.graph))


def recorded(calls: CallList, replays: int) -> RecordedList:
    """Return the data of one list."""
    entries = tuple(entry_of(entry, at, calls) for at, entry in enumerate(calls.entries))
    natives: Any = kernels.native
    spare = 0 if calls.native is None else natives.kept_bytes(calls.native)
    kinds = dict(Counter(entry.kind for entry in entries).most_common())
    return RecordedList(entries, kinds, replays, constant_bytes(calls.entries), spare)


def entry_of(entry: Entry, at: int, calls: CallList) -> ListEntry:
    """Return the data of an entry."""
    file, line = place_of(entry)
    results = sum(array.nbytes for array in entry.layouts if isinstance(array, np.ndarray))
    by_python = "" if entry.runs_native else BY_PYTHON.get(entry.kind, "native functions are missing")
    seconds = None if calls.stopwatch is None else calls.stopwatch.seconds(at)
    code = linecache.getline(file, line).strip()
    return ListEntry(KINDS[entry.kind], entry.title, file, line, code, by_python, results, seconds)


def place_of(entry: Entry) -> tuple[str, int]:
    """Return file and line of a call in the program."""
    if entry.origin is None:
        return "", 0
    code, offset = entry.origin
    line = next((line for first, last, line in code.co_lines() if first <= offset < last), None)
    return code.co_filename, line or code.co_firstlineno


def constant_bytes(entries: Iterable[Entry]) -> int:
    """Return the bytes of the arrays among the arguments of entries, each counted once."""
    arrays = {id(array): array.nbytes for entry in entries for array in arrays_in(entry.args)}
    return sum(arrays.values())


def arrays_in(values: Iterable[Any]) -> Iterable[Any]:
    """Return the arrays among arguments, also those in sequences."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, Nested):
            yield from arrays_in(value.values)


def parts_of(graph: Any) -> tuple[Part, ...]:
    """Return the data of the history of results."""
    parts = []
    for segment in () if graph is None else graph.segments:
        names = tuple(graph.steps[at].cls.__name__ for at in segment.steps)
        lists = tuple(recorded(known.calls, known.replays) for known in segment.lists)
        parts.append(Part(names, reason_of(segment), lists))
    return tuple(parts)


def reason_of(segment: Any) -> str:
    """Return the reason why a part of a history runs ordinary nodes; "" if it does not."""
    if segment.recipe is not None:
        return "a single node is recorded as such"
    if segment.ordinary or segment.passes.reason:
        return segment.passes.reason or "saved values were freed, or written to, inside the function"
    return ""


# ---- text ------------------------------------------------------------------------------------------------------------


def lines_of(name: str, count: int, signatures: tuple[Calls, ...]) -> Iterable[str]:
    """Return the lines of the text."""
    yield f"{name}: {count} recorded"
    for number, signature in enumerate(signatures, 1):
        yield f"signature {number}: {len(signature.lists)} lists" if signature.lists else f"signature {number}:"
        yield from (f"  called eagerly: {reason}" for reason in signature.eager)
        for forward in signature.lists:
            yield f"  {about(forward.call)}, {forward.call.calls} calls since it was recorded"
            yield from lines_of_entries(forward.call)
            yield from lines_of_parts(forward.parts)


def about(known: RecordedList) -> str:
    """Return the size of a list, its memory, and the time of a replay if that was measured."""
    counted = ", ".join(f"{count} {kind}" for kind, count in known.kinds.items()) or "nothing"
    total = known.constant_bytes + known.spare_bytes
    took = "" if known.seconds is None else f", {microseconds(known.seconds)} for all entries"
    return f"list of {len(known.entries)} entries ({counted}), {total:,} bytes kept{took}"


def lines_of_entries(known: RecordedList) -> Iterable[str]:
    """Return the lines about the entries of a list."""
    for at, entry in enumerate(known.entries):
        took = "" if entry.seconds is None else f"  {microseconds(entry.seconds)}"
        place = f"  ({entry.file}:{entry.line})" if entry.file else ""
        ends = f"  run by Python: {entry.by_python}" if entry.by_python else ""
        yield f"  {at:4} {entry.kind}: {entry.name}{place}{took}{ends}"


def lines_of_parts(parts: Iterable[Part]) -> Iterable[str]:
    """Return the lines about the history of results."""
    for part in parts:
        names = part.nodes if len(part.nodes) <= MOST_NAMES else (*part.nodes[:MOST_NAMES], "...")
        yield f"  gradients of {len(part.nodes)} nodes: {', '.join(names)}"
        if part.ordinary:
            yield f"    by ordinary nodes: {part.ordinary}"
        for known in part.lists:
            yield f"    {about(known)}, {known.calls} passes"


def microseconds(seconds: float) -> str:
    """Return a time for reading."""
    return f"{seconds * 1e6:.3g} µs"
