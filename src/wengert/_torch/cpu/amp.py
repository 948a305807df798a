"""`torch.cpu.amp`: the older names of `torch.amp` for the CPU."""

from __future__ import annotations

import warnings
from typing import Any

from wengert._core.types.dtypes import bfloat16
from wengert.amp.autocast_mode import autocast as _autocast
from wengert.amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler", "autocast"]

MOVED = "`torch.cpu.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cpu', args...)` instead."


class autocast(_autocast):
    """`torch.amp.autocast("cpu", ...)`."""

    def __init__(self, enabled: bool = True, dtype: Any = bfloat16, cache_enabled: bool = True) -> None:
        warnings.warn(MOVED.format("autocast"), FutureWarning, stacklevel=2)
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("cpu", ...)`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        warnings.warn(MOVED.format("GradScaler"), FutureWarning, stacklevel=2)
        super().__init__("cpu", *args, **options)
