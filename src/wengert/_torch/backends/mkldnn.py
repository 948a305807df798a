"""`torch.backends.mkldnn`: not there; settings change nothing."""

from __future__ import annotations

import contextlib

from . import settings

enabled = True
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True
) -> contextlib.AbstractContextManager[None]:
    """Other settings within a `with` block."""
    return settings.flags(globals(), dict(locals()))
