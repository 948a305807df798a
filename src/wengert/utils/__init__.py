"""What stands around training: data and its batches."""

from __future__ import annotations

from . import data

__all__ = ["data"]
