"""Warnings that point at the program's own line, for the layers above."""

from .._core.graph.anomaly import warn, warn_once

__all__ = ["warn", "warn_once"]
