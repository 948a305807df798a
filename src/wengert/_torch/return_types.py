"""`torch.return_types`: classes of the results of operators with several results."""

from __future__ import annotations

from typing import Any as _Any

from wengert.ops import return_types as _classes
from wengert.ops.return_types import *  # noqa: F403 - for type checkers, too

__all__ = [name for name in dir(_classes) if hasattr(getattr(_classes, name), "n_fields")]


def __getattr__(name: str) -> _Any:
    """Return the classes of results in `out`, created at first use."""
    return getattr(_classes, name)
