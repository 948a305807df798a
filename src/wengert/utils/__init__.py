"""What stands around training: data and its batches, checkpointing."""

from __future__ import annotations

from . import checkpoint, data, dlpack

__all__ = ["checkpoint", "data", "dlpack"]
