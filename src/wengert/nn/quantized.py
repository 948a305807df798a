"""Arithmetic as layers, for models that may be quantised: without quantised tensors it computes on floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from .._start.absent import stand_in
from .._tensor import Tensor
from ..ops.shapes.join import cat
from .modules import Identity, Module

__all__ = ["FloatFunctional"]


class FloatFunctional(Module):
    """Operations on tensors as methods of a layer, so that a tool that quantises models can observe their results.

    Attributes:
        activation_post_process: called on each result; the identity unless a program sets it.

    >>> import wengert as wg
    >>> add = wg.nn.quantized.FloatFunctional()
    >>> add.add_relu(wg.tensor([1.0, -3.0]), wg.tensor(2.0))
    tensor([3., 0.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def forward(self, x: Any) -> NoReturn:
        """Refuse to be called as a layer.

        Raises:
            RuntimeError: always; the layer has no function of its own.
        """
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return `x + y`."""
        return self.activation_post_process(x + y)

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return `x + y`, for a number `y`."""
        return x + y

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return `x * y`."""
        return self.activation_post_process(x * y)

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return `x * y`, for a number `y`."""
        return x * y

    def cat(self, x: Sequence[Tensor], dim: int = 0) -> Tensor:
        """Return `x` joined along `dim`."""
        return self.activation_post_process(cat(x, dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """Return `relu(x + y)`."""
        return self.activation_post_process((x + y).relu())

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return `x @ y`."""
        return self.activation_post_process(x @ y)


def __getattr__(name: str) -> Any:
    """Return a placeholder for a layer of quantised tensors, which raises when it is called or instantiated."""
    return stand_in(__name__, name, "there are no quantised tensors here")
