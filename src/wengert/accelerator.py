"""`torch.accelerator`: whichever accelerator there is; here none."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is none."""


def synchronize(device: Any = None) -> None:
    """Nothing: no work is under way elsewhere."""


def empty_cache() -> None:
    """Nothing: no memory is kept elsewhere."""


def refuse(*args: object, **kwargs: object) -> NoReturn:
    """What asks for the accelerator itself.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = set_device_index = current_device_idx = set_device_idx = current_stream = set_stream = refuse
memory_allocated = max_memory_allocated = memory_reserved = memory_stats = refuse
