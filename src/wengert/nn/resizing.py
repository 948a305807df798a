"""Older names for `interpolate`, and grids of places to sample images at."""

from __future__ import annotations

import warnings
from typing import Any

from ..ops.images.resize import interpolate
from ..tensor import Tensor


def old(name: str) -> None:
    """Warn of a function that has another name now."""
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate`, which is to be used instead; arguments as there."""
    old("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)  # type: ignore[no-any-return]


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate(..., mode="nearest")`, which is to be used instead."""
    old("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")  # type: ignore[no-any-return]


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate(..., mode="bilinear", align_corners=True)`, which is to be used instead."""
    old("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)  # type: ignore[no-any-return]
