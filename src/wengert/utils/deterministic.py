"""Mirror of `torch.utils.deterministic`: a setting without effect; the memory of `empty` is never filled."""

from __future__ import annotations

__all__ = ["fill_uninitialized_memory"]

fill_uninitialized_memory = True
"""Setting of the program; with deterministic algorithms torch then fills new memory with NaN."""
