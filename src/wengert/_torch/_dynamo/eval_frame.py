"""The class of compiled modules, which libraries use to get the original module."""

from __future__ import annotations

from typing import Any

__all__ = ["OptimizedModule", "innermost_fn"]


class OptimizedModule:
    """Torch's class of compiled modules; there are no instances here."""


def innermost_fn(fn: Any) -> Any:
    """Return the function itself: it is never wrapped."""
    return fn
