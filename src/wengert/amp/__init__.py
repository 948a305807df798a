"""Mixed precision; as in torch it is switched off if its device is not available."""

from __future__ import annotations

from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

_IN_PACKAGE = ("GradScaler", "autocast")

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
