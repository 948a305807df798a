"""What a user sees on a Tensor; by the name `torch._tensor` libraries import the class."""

from __future__ import annotations

from .attributes import Tensor as Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Tensor", "_convert"]


def __getattr__(name: str) -> Any:
    """`_convert`, which few programs ask for, and which the import is not to wait for."""
    if name == "_convert":
        from .._core.calls.overriding import converted

        return converted
    from .._start.loading import absent

    absent(__name__, name)
