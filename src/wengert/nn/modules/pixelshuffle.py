"""Channels as pixels, and back again."""

from __future__ import annotations

from ...tensor import Tensor
from .. import functional
from .module import Module


class PixelShuffle(Module):
    """Channels spread over pixels: (..., C * r * r, H, W) to (..., C, H * r, W * r).

    Args:
        upscale_factor: r.

    Source: Shi et al., Real-time single image and video super-resolution, 2016.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(..., C * r * r, H, W) to (..., C, H * r, W * r)."""
        return functional.pixel_shuffle(input, self.upscale_factor)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`: (..., C, H * r, W * r) to (..., C * r * r, H, W).

    Args:
        downscale_factor: r.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(..., C, H * r, W * r) to (..., C * r * r, H, W)."""
        return functional.pixel_unshuffle(input, self.downscale_factor)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"
