"""`torch._tensor`: the module of the class Tensor, by which libraries import it."""

from __future__ import annotations

from ._core.calls.overriding import converted as _convert
from .tensor import Tensor as Tensor

__all__ = ["Tensor", "_convert"]
