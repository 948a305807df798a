"""Pixel shuffle and its inverse as layers."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .module import Module


class PixelShuffle(Module):
    """Move elements from channels to pixels: (..., C * r * r, H, W) becomes (..., C, H * r, W * r)."""

    _options_shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger image."""
        return functional.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Module):
    """Move elements from pixels to channels: (..., C, H * r, W * r) becomes (..., C * r * r, H, W)."""

    _options_shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the smaller image."""
        return functional.pixel_unshuffle(input, self.downscale_factor)
