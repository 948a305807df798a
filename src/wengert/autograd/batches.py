"""Batches of vectors: functions and backward passes that run for all members at once."""

from __future__ import annotations

from typing import Any

from .._core.calls.batching import depends, left
from .._core.state.modes import Modes
from .._core.state.regions import Region
from .._core.tensor.base import Tensor
from .._core.tensor.batches import Batch
from .._core.tensor.slots import OPERATORS
from .limits import depth


class BatchLevel(Region):
    """A context in which a function runs for the members of a batch.

    Args:
        size: the number of members.
        randomness: behaviour of random operators: "error", "different" or "same".
        directions: the members are directions of one derivative, see `Batch`.
    """

    __slots__ = ("batch",)

    def __init__(self, size: int, randomness: str = "error", directions: bool = False) -> None:
        self.batch = Batch(size, randomness, directions)

    def _before_(self, modes: Modes) -> Any:
        self.batch.depth = depth() if modes.transforms else 0
        return modes.batches

    def _begin_(self, modes: Modes, before: Any) -> BatchLevel:
        modes.batch([*modes.batches, self.batch])
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.batch(before)

    def enter(self, tensor: Any, dim: int = 0) -> Any:
        """Return a view of a tensor that stands for the members along a dimension."""
        return OPERATORS.enter_batch.call((tensor, self.batch, dim))

    def leave(self, value: Any, dim: int = 0) -> Any:
        """Return a tensor with the members along a dimension; they are equal if it does not depend on the member."""
        return left(value, self.batch, dim)

    def carries(self, value: Any) -> bool:
        """Return whether a value is a tensor that differs among the members."""
        return isinstance(value, Tensor) and depends(value, self.batch)
