"""The public mirror of `torch.autograd`."""

from __future__ import annotations

from .._core.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .._core.passes import backward
from . import graph
from .differentiate import grad

__all__ = ["backward", "enable_grad", "grad", "graph", "is_grad_enabled", "no_grad", "set_grad_enabled"]
