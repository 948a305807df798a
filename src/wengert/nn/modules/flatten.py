"""Layers that only change the shape."""

from __future__ import annotations

from collections.abc import Sequence

from ..._tensor import Tensor
from .module import Module


class Flatten(Module):
    """Merge neighbouring dimensions into one.

    Args:
        start_dim: first dimension to merge.
        end_dim: last dimension to merge.
    """

    _options_shown = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The flattened input, a view where possible."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """Split one dimension into several.

    Args:
        dim: dimension to split.
        unflattened_size: the new lengths; one of them may be -1.
    """

    _options_shown = ("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not hasattr(unflattened_size, "__iter__"):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for index, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, "
                    f"but found element of type {type(length).__name__} at pos {index}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.unflatten(self.dim, self.unflattened_size)
