"""`torch.return_types`: the classes of what operators with several results return."""

from __future__ import annotations

from typing import Any as _Any

from wengert.ops import return_types as _classes
from wengert.ops.return_types import *  # noqa: F403 - for type checkers, too

__all__ = [name for name in dir(_classes) if hasattr(getattr(_classes, name), "n_fields")]


def __getattr__(name: str) -> _Any:
    """The classes of what was written into `out`, which are made when they are first asked for."""
    return getattr(_classes, name)
