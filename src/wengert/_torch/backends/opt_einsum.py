"""`torch.backends.opt_einsum`: whether the package that orders the contractions of `einsum` is installed."""

from __future__ import annotations

import importlib.util

enabled = True
strategy: str | None = "auto"


def is_available() -> bool:
    """Return whether `opt_einsum` is installed."""
    return importlib.util.find_spec("opt_einsum") is not None
