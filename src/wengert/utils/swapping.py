"""`swap_tensors`: exchange the contents of two tensors."""

from __future__ import annotations

from ..ops.memory.exchange import swap_tensors

__all__ = ["swap_tensors"]
