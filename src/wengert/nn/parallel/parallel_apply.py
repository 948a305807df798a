"""Calls of replicas on several accelerators, which always raise here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..modules.module import Module

__all__ = ["parallel_apply"]


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Sequence[Any] | None = None
) -> list[Any]:
    """Call replicas of a module, each on its accelerator.

    Args:
        modules: the replicas.
        inputs, kwargs_tup, devices: arguments and device of each replica.

    Raises:
        AssertionError: always; there is no accelerator. If the numbers of arguments differ, the message says so.
    """
    for name, values in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if values is not None and len(values) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(values)}"
            )
    raise AssertionError("No available accelerator found.")
