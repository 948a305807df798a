"""Copies of a module on several accelerators, which always raise here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..modules.module import Module

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copy a module to accelerators.

    Args:
        network: the module.
        devices: the devices; an empty list if there are none.
        detach: accepted for torch's users, without effect.

    Raises:
        ValueError: if a device is the CPU.
        AssertionError: if a device is an accelerator.
    """
    if any(str(device).startswith("cpu") for device in devices):
        raise ValueError("Expected a non cpu device, but got: cpu")
    if devices:
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    return []
