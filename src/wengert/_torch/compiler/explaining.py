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
    return lines


def place_of(entry: Any) -> str:
    """Return the place of a call in the program, as the end of a line."""
    if entry.origin is None:
        return ""
    code, offset = entry.origin
    line = next((line for first, last, line in code.co_lines() if first <= offset < last), None)
    return f"  ({code.co_filename}:{line or code.co_firstlineno})"
