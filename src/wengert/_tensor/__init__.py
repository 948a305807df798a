"""What a user sees on a Tensor; by the name `torch._tensor` libraries import the class."""

from __future__ import annotations

from .._core.calls.overriding import converted as _convert
from .attributes import Tensor as Tensor

__all__ = ["Tensor", "_convert"]
