"""Signal processing, as `torch.signal` has it: windows."""

from __future__ import annotations

from . import windows

__all__ = ["windows"]
