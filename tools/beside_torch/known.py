"""The differences from torch's operator samples that are wanted, each with its reason."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol


class Difference(Protocol):
    """What a list is asked about: the kind of a difference, the sample and the message."""

    kind: str
    sample: str
    message: str


class Known:
    """The differences that are wanted: patterns of operators with a reason each.

    Args:
        path: a TOML file of tables `["pattern"]` (`[["pattern"]]` where there are several) with `kinds`, a list of
            kinds of difference, and `reason`; with `samples`, a text that the sample must hold; and with `says`, one
            or a list of some that the message must.
    """

    def __init__(self, path: Path) -> None:
        self.entries: list[tuple[str, dict[str, Any]]] = [
            (pattern, entry)
            for pattern, entries in tomllib.loads(path.read_text(encoding="utf-8")).items()
            for entry in (entries if isinstance(entries, list) else [entries])
        ]
        for pattern, entry in self.entries:
            if not entry.get("reason") or not entry.get("kinds"):
                raise ValueError(f"{path.name}: {pattern} has no reason or no kinds")
        self.used: set[int] = set()

    @property
    def unused(self) -> list[str]:
        """The patterns of the entries that have explained nothing so far."""
        return sorted(pattern for at, (pattern, _) in enumerate(self.entries) if at not in self.used)

    def remove_from(self, outcome: Any) -> None:
        """Count the differences of an operator that an entry explains as skipped."""
        for at, (pattern, entry) in enumerate(self.entries):
            if not fnmatch(outcome.name, pattern):
                continue
            left = [failure for failure in outcome.failures if not explains(entry, failure)]
            if len(left) < len(outcome.failures):
                self.used.add(at)
                outcome.skipped += len(outcome.failures) - len(left)
                outcome.failures = left


def explains(entry: dict[str, Any], difference: Difference) -> bool:
    """Whether an entry is about this difference."""
    says = entry.get("says", [])
    return (
        difference.kind in entry["kinds"]
        and entry.get("samples", "") in difference.sample
        and all(text in difference.message for text in ([says] if isinstance(says, str) else says))
    )
