"""`torch.utils.deterministic`: a setting that is remembered; memory that `empty` gives is never filled here."""

from __future__ import annotations

__all__ = ["fill_uninitialized_memory"]

fill_uninitialized_memory = True
"""What a program sets it to. torch fills new memory with NaN where this and deterministic algorithms are asked for."""
