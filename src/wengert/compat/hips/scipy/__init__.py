"""SciPy for functions that are differentiated: `special` and `stats`."""

from __future__ import annotations

from . import special, stats

__all__ = ["special", "stats"]
