"""Attribute look-up and calls of holders in C; in plain Python classes stay as they are.

This file is never compiled. In the compiled build `holders` takes the functions of `shortcuts.pxd` instead.
"""

from __future__ import annotations

from typing import Any


def fill(cls: type, look_up: Any, call: Any, active: dict[Any, Any]) -> None:
    """Let C look up attributes of instances, and call their `forward`; see `holders.fill`."""
