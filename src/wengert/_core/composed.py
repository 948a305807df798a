"""What stands behind one of Python's signs where that is a function made of operators rather than an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .base import Tensor
from .slots import Operator


class Composed(Operator):
    """A function of two tensors in the place of an operator, e.g. `matmul` behind `@`.

    Attributes:
        function: called with both operands if both are tensors.
    """

    function: Any

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def call2(self, a: Any, b: Any) -> Any:
        """Apply to two operands; NotImplemented if one is no tensor."""
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return self.function(a, b)
        return NotImplemented
