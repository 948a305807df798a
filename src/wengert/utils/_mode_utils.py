"""Functions for programs with a `__torch_dispatch__`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..autograd.class_dispatch import DisableTorchDispatch

no_dispatch = DisableTorchDispatch


def all_same_mode(modes: Iterable[Any]) -> bool:
    """Return whether all modes are the same object."""
    first, *others = modes
    return all(other is first for other in others)


__all__: list[str] = ["all_same_mode", "no_dispatch"]
