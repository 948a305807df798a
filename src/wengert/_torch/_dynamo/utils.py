"""`torch._dynamo.utils`: queries of libraries about torch's compiler, which does not exist here."""

from __future__ import annotations

from typing import Any


def is_compile_supported(device_type: Any) -> bool:
    """False."""
    return False
