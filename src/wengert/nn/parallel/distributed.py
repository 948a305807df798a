"""A module over several processes: refused, for there are no groups of them."""

from __future__ import annotations

from typing import Any

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


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
