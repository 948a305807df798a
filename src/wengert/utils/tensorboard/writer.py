"""Mirror of `torch.utils.tensorboard.writer`, torch's module of writers."""

from __future__ import annotations

from . import __dir__ as __dir__, __getattr__ as __getattr__

__all__ = ["FileWriter", "SummaryWriter"]  # noqa: F822 - by `__getattr__`
