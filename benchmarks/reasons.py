"""Why targets are missed: what limits a case, as it was measured, and what was tried (`benchmarks/reasons.toml`)."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("reasons.toml")
WIDTH = 120
NEAR = 0.75
"""From which share of the machine's limit on a case is said to be at it."""


def reasons() -> dict[str, str]:
    """For each name of a case, or beginning of it or of another line of the table, the reason."""
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: text for names, text in written.items() for name in names.split("; ")}


def explained(
    line: str, known: dict[str, str], name: str = "", share: float | None = None, indent: int = 4
) -> list[str]:
    """A line of the table that misses its target, and below it the reason, or that there is none.

    Args:
        name: of the case, where the line does not begin with it.
        share: of what the machine allows, where it was measured: a reason where no other is written down.
    """
    reason = next((text for start, text in known.items() if (name or line).startswith(start)), "")
    if not reason and share is not None and share >= NEAR:
        reason = f"{share:.0%} of what the machine allows: of its copy of as many bytes, or of its best matrix product."
    reason = reason or "no reason is known"
    margin = indent * " "
    return [line, *textwrap.wrap(reason, WIDTH, initial_indent=margin, subsequent_indent=margin)]
