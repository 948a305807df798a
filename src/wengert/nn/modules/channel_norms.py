"""Normalisation by the squares of neighbouring channels."""

from __future__ import annotations

from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from ...ops.create.create import tensor
from .. import functional
from .module import Module
from .utils import _own_init


class _ChannelNorm(Module):
    """Normalisation by the squares of `size` neighbouring channels."""

    __init_subclass__: Any = classmethod(_own_init)

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(_ChannelNorm):
    """The input divided by (k + alpha * mean of squares) ** beta, the mean over neighbouring channels of (N, C, ...).

    Args:
        size: how many channels are neighbours.
        alpha: factor of the mean.
        beta: the exponent.
        k: is added to the mean.

    Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return functional.local_response_norm(  # type: ignore[no-any-return]
            input, self.size, self.alpha, self.beta, self.k
        )


def neighbours(channels: int, size: int) -> list[list[float]]:
    """Which channels count for which in `CrossMapLRN2d`: as torch has it, the first for all that follow."""
    before = int((size - 1) / 2 + 1)
    return [
        [float(other < at + before and (other > at - before or other == 0)) for other in range(channels)]
        for at in range(channels)
    ]


class CrossMapLRN2d(_ChannelNorm):
    """`LocalResponseNorm` of images, as Lua's Torch had it; arguments as there."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input (N, C, H, W).

        Raises:
            ValueError: it has not 4 dimensions.
        """
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        given: Any = input
        items, channels, *plane = input.shape
        window: Any = tensor(neighbours(channels, self.size), dtype=input.dtype)
        sums = (window @ (given * given).reshape(items, channels, plane[0] * plane[1])).reshape(input.shape)
        return given * (sums * (self.alpha / self.size) + self.k) ** -self.beta  # type: ignore[no-any-return]


at_home("wengert.nn.modules.normalization", LocalResponseNorm, CrossMapLRN2d)
