"""Modules over several devices: there is one here, on which they run as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """A module that would be spread over accelerators; without one, calls go to the module.

    Args:
        module: its parameters are `module.<name>` in states, as in torch.
        device_ids: for torch's users; no accelerator is there.
        output_device: for torch's users.
        dim: for torch's users; the dimension along which inputs would be spread.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Refused, as torch refuses it where no group of processes was made: there are none here.

    Args:
        module: a module.
        options: torch's.

    Raises:
        ValueError: always.
    """

    def __init__(self, module: Module, *options: Any, **named: Any) -> None:
        super().__init__()
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
