"""Attributes and methods of Tensor; libraries import the class from here, by the name `torch._tensor`."""

from __future__ import annotations

from .attributes import Tensor as Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Tensor", "_convert"]


def __getattr__(name: str) -> Any:
    """Load `_convert`, which few programs use, at its first use."""
    if name == "_convert":
        from .._core.calls.overriding import converted

        return converted
    from .._start.loading import absent

    absent(__name__, name)
