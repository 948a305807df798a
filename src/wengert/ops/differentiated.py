"""Check whether derivatives may be taken, for values that an operator may omit or compute in a cheaper way."""

from __future__ import annotations

from typing import Any

from .._core import flags
from .._core.state.grad_mode import is_grad_enabled
from .._core.state.modes import current


def is_differentiated(tensor: Any) -> bool:
    """Return whether a derivative of a result computed from a tensor may be taken."""
    if current().word & flags.OBSERVED:
        return True
    return (tensor.requires_grad and is_grad_enabled()) or bool(tensor._flags_ & flags.DUAL)
