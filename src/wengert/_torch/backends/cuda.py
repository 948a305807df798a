"""`torch.backends.cuda`: CUDA was not built in; settings change nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
)
_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    """False."""
    return False


def flash_sdp_enabled() -> bool:
    """Return the last value set by `enable_flash_sdp`."""
    return _sdp["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Note the setting; attention is computed in one way here."""
    _sdp["flash"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Return the last value set by `enable_mem_efficient_sdp`."""
    return _sdp["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Note the setting; attention is computed in one way here."""
    _sdp["mem_efficient"] = enabled


def math_sdp_enabled() -> bool:
    """Return the last value set by `enable_math_sdp`."""
    return _sdp["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Note the setting; attention is computed in one way here."""
    _sdp["math"] = enabled


def cudnn_sdp_enabled() -> bool:
    """Return the last value set by `enable_cudnn_sdp`."""
    return _sdp["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Note the setting; attention is computed in one way here."""
    _sdp["cudnn"] = enabled


def preferred_linalg_library(backend: Any = None) -> None:
    """Do nothing: there is only one library."""
