"""Memory for copies to an accelerator, of which there is none."""

from __future__ import annotations

from typing import Any


def pin_memory(data: Any, device: Any = None) -> Any:
    """Refused, as by `Tensor.pin_memory`, for tensors in whatever containers; anything else as it is."""
    if isinstance(data, dict):
        return type(data)((key, pin_memory(value, device)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[pin_memory(item, device) for item in data])
    if isinstance(data, (list, tuple)):
        return type(data)([pin_memory(item, device) for item in data])
    return data.pin_memory() if hasattr(data, "pin_memory") else data
