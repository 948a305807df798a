"""`torch.backends.cudnn`: not there; settings change nothing."""

from __future__ import annotations

import contextlib
from typing import Any

from . import settings

enabled = True
benchmark = False
benchmark_limit: int | None = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def is_acceptable(tensor: Any) -> bool:
    """False: no tensor is on a device."""
    return False


def version() -> int | None:
    """None."""
    return None


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> contextlib.AbstractContextManager[None]:
    """Other settings within a `with` block."""
    return settings.flags(globals(), dict(locals()))
