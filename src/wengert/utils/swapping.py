"""Two tensors exchanged: each object becomes what the other was."""

from __future__ import annotations

from ..ops.memory.exchange import swap_tensors

__all__ = ["swap_tensors"]
