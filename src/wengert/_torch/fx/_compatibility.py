"""`torch.fx._compatibility`: marks of how stable functions are, which change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind")


def compatibility(is_backward_compatible: bool) -> Callable[[Kind], Kind]:
    """A decorator that changes nothing."""

    def mark(function: Kind) -> Kind:
        return function

    return mark
