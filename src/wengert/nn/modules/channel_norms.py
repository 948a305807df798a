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
        size: number of neighbouring channels.
        alpha: factor of the mean.
        beta: exponent.
        k: added to the mean.

    Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)


def neighbours(channels: int, size: int) -> list[list[float]]:
    """Matrix of zeros and ones: the channels summed for each channel in `CrossMapLRN2d`.

    As in torch, the first channel counts for all that follow.
    """
    before = int((size - 1) / 2 + 1)
    return [
        [float(other < channel + before and (other > channel - before or other == 0)) for other in range(channels)]
        for channel in range(channels)
    ]


class CrossMapLRN2d(_ChannelNorm):
    """`LocalResponseNorm` of images, as Lua's Torch had it; arguments as there."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input (N, C, H, W).

        Raises:
            ValueError: if the input is not 4-D.
        """
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        x: Any = input
        items, channels, *plane = input.shape
        window: Any = tensor(neighbours(channels, self.size), dtype=input.dtype)
        sums = (window @ (x * x).reshape(items, channels, plane[0] * plane[1])).reshape(input.shape)
        return x * (sums * (self.alpha / self.size) + self.k) ** -self.beta


at_home("wengert.nn.modules.normalization", LocalResponseNorm, CrossMapLRN2d)
