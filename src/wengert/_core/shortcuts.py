"""Attribute look-up and calls of holders in C; in plain Python classes stay as they are.

This file is never compiled. In the compiled build `holders` takes the functions of `shortcuts.pxd` instead.
"""

from __future__ import annotations

from typing import Any

TABLES = ("_parameters", "_buffers", "_modules")


def held(holder: Any, name: str, missing: Any) -> Any:
    """Return the entry of a name in the tables of a holder; `missing` if there is none."""
    own = holder.__dict__
    for table in TABLES:
        entries = own.get(table)
        if entries is not None and name in entries:
            return entries[name]
    return missing


def fill(cls: type, look_up: Any, call: Any, active: dict[Any, Any]) -> None:
    """Let C look attributes of instances up, and call their `forward`; see `holders.fill`."""
