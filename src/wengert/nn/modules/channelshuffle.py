"""A layer that puts channels into another order."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .module import Module


class ChannelShuffle(Module):
    """The channels of (N, C, ...) in another order: first those that are the first of each group, and so on."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The same channels in another order."""
        return functional.channel_shuffle(input, self.groups)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"
