"""Calls of copies on several devices: refused, for there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..modules.module import Module

__all__ = ["parallel_apply"]


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Sequence[Any] | None = None
) -> list[Any]:
    """Calls of replicas, each on its accelerator, of which there are none here.

    Args:
        modules: the replicas.
        inputs, kwargs_tup, devices: for each replica its arguments and its device.

    Raises:
        AssertionError: their numbers differ, or, whatever they are, no accelerator is there.
    """
    for name, given in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if given is not None and len(given) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(given)}"
            )
    raise AssertionError("No available accelerator found.")
