"""`torch.cuda.amp`: the older names of autocast, without CUDA."""

from __future__ import annotations

import warnings
from typing import Any

from wengert.amp.autocast_mode import autocast as _autocast, custom_bwd as _custom_bwd, custom_fwd as _custom_fwd
from wengert.amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

MOVED = "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}({1})` instead."


class autocast(_autocast):
    """`torch.amp.autocast("cuda", ...)`."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        warnings.warn(MOVED.format("autocast", "'cuda', args..."), FutureWarning, stacklevel=2)
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        warnings.warn(MOVED.format("GradScaler", "'cuda', args..."), FutureWarning, stacklevel=2)
        super().__init__("cuda", *args, **options)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    """`torch.amp.custom_fwd(..., device_type="cuda")`."""
    warnings.warn(MOVED.format("custom_fwd", "args..., device_type='cuda'"), FutureWarning, stacklevel=2)
    return _custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any = None) -> Any:
    """`torch.amp.custom_bwd(..., device_type="cuda")`."""
    warnings.warn(MOVED.format("custom_bwd", "args..., device_type='cuda'"), FutureWarning, stacklevel=2)
    return _custom_bwd(bwd, device_type="cuda")
