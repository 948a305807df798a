"""Copies of a module on several devices: refused, for there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..modules.module import Module

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copies of a module on accelerators, of which there are none here.

    Args:
        network: the module.
        devices: the devices; no devices, no copies.
        detach: for torch's users.

    Raises:
        ValueError: the CPU is named.
        AssertionError: an accelerator is named.
    """
    if any(str(device).startswith("cpu") for device in devices):
        raise ValueError("Expected a non cpu device, but got: cpu")
    if devices:
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    return []
