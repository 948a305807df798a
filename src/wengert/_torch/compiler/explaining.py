"""Captured lists of replayed functions, as text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from wengert._core.capture.captured import Captured
from wengert._core.capture.lists import ADD, CALL, COPY, GRADS, ISLAND, READ, VIEW, WRITE

from .replaying import Replaying

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


MOST_NAMES = 8
"""Number of nodes of a part that are named."""


def explain(compiled: Any) -> str:
    """Return the lists of a function of `wg.compile(..., replay=True)` as text, and the reasons of eager calls.

    Raises:
        TypeError: if `compiled` is not a function of `wg.compile(..., replay=True)`.
    """
    if not isinstance(compiled, Replaying):
        raise TypeError(f"explain() takes a function of wg.compile(..., replay=True), not {type(compiled).__name__}")
    lines = [f"{getattr(compiled, '__qualname__', 'function')}: {compiled.count} recorded"]
    for number, signature in enumerate(compiled.signatures.values(), 1):
        lines.append(f"signature {number}: {len(signature.lists)} lists" if signature.lists else f"signature {number}:")
        lines += [f"  called eagerly: {group.reason}" for group in signature.groups.values() if group.reason]
        for captured in signature.lists:
            lines += lines_of_list(captured)
    return "\n".join(lines)


def lines_of_list(captured: Captured) -> list[str]:
    """Return the lines about one list."""
    kinds = Counter(KINDS[entry.kind] for entry in captured.entries)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "nothing"
    lines = [f"  list of {len(captured.entries)} entries ({counted}), {captured.replays} calls since it was recorded"]
    for at, entry in enumerate(captured.entries):
        lines.append(f"  {at:4} {KINDS[entry.kind]}: {entry.title}{place_of(entry)}")
    return lines + told_of_history(captured.graph)


def told_of_history(graph: Any) -> list[str]:
    """Return the lines about the history of the results of a list."""
    lines = []
    for segment in () if graph is None else graph.segments:
        names = [graph.steps[at].cls.__name__ for at in segment.steps]
        shown = ", ".join(names if len(names) <= MOST_NAMES else [*names[:MOST_NAMES], "..."])
        lines.append(f"  gradients of {len(names)} nodes: {shown}")
        if segment.recipe is not None:
            lines.append("    by the ordinary node")
        elif segment.ordinary or segment.passes.reason:
            reason = segment.passes.reason or "saved values were freed, or written to, inside the function"
            lines.append(f"    by ordinary nodes: {reason}")
        for known in segment.lists:
            kinds = Counter(KINDS[entry.kind] for entry in known.entries)
            counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "nothing"
            lines.append(f"    list of {len(known.entries)} entries ({counted}), {known.replays} passes")
    return lines


def place_of(entry: Any) -> str:
    """Return the place of a call in the program, as the end of a line."""
    if entry.origin is None:
        return ""
    code, offset = entry.origin
    line = next((line for first, last, line in code.co_lines() if first <= offset < last), None)
    return f"  ({code.co_filename}:{line or code.co_firstlineno})"
