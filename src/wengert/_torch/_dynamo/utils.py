"""`torch._dynamo.utils`: what libraries ask of torch's compiler, which is not there."""

from __future__ import annotations

from typing import Any


def is_compile_supported(device_type: Any) -> bool:
    """False."""
    return False
