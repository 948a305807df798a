"""Why targets are missed: what limits a case, as it was measured, and what was tried (`benchmarks/reasons.toml`)."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("reasons.toml")
WIDTH = 120


def reasons() -> dict[str, str]:
    """For each name of a case, or beginning of another line of the table, the reason."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def explained(line: str, known: dict[str, str]) -> list[str]:
    """A line of the table that says MISS, and below it the reason, or that there is none."""
    found = next((text for name, text in known.items() if line.startswith(name)), "no reason is known")
    return [line, *textwrap.wrap(found, WIDTH, initial_indent="    ", subsequent_indent="    ")]
