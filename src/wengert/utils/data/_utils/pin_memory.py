"""Pinned memory for copies to an accelerator, which does not exist here."""

from __future__ import annotations

from typing import Any


def pin_memory(data: Any, device: Any = None) -> Any:
    """Call `Tensor.pin_memory`, which raises an error, on tensors in containers; other values are unchanged."""
    if isinstance(data, dict):
        return type(data)((key, pin_memory(value, device)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[pin_memory(item, device) for item in data])
    if isinstance(data, (list, tuple)):
        return type(data)([pin_memory(item, device) for item in data])
    return data.pin_memory() if hasattr(data, "pin_memory") else data
