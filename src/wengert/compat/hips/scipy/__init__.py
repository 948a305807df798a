"""What functions that are differentiated may use of SciPy: `special`, and `stats.norm`."""

from __future__ import annotations

from . import special, stats

__all__ = ["special", "stats"]
