"""Reordering of channels as a layer."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .module import Module


class ChannelShuffle(Module):
    """Reorder the channels of (N, C, ...): the first of each group, then the second of each group, and so on."""

    _options_shown = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Return the channels in their new order."""
        return functional.channel_shuffle(input, self.groups)
