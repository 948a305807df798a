"""Access to the values in boxes."""

from __future__ import annotations

from .boxes import getval, isbox

__all__ = ["getval", "isbox"]
