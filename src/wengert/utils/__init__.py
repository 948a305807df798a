"""What stands around training: data and its batches, checkpointing."""

from __future__ import annotations

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
