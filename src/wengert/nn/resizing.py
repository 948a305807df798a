"""Older names for `interpolate`, and grids of places to sample images at."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..ops import FUNCTIONAL, plain_case
from ..ops.images.grid import MODES, PADDINGS, affine_grid_generator, grid_sampler, sampled
from ..ops.images.resize import interpolate
from ..ops.warned import warn


def old(name: str) -> None:
    """Warn of a deprecated name of `interpolate`."""
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None
) -> Tensor:
    """`interpolate`, under a deprecated name; arguments as there.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.upsample(wg.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    old("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate(..., mode="nearest")`, under a deprecated name.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.upsample_nearest(wg.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    old("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate(..., mode="bilinear", align_corners=True)`, under a deprecated name.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.upsample_bilinear(wg.tensor([[[[1.0, 2.0]]]]), (1, 3))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    old("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def aligned(name: str, align_corners: bool | None) -> bool:
    """Return `align_corners` as a bool; warn if it is None."""
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            f"specify align_corners=True if the old behavior is desired. See the documentation of {name} for details."
        )
    return bool(align_corners)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample images at the places of a grid.

    Args:
        input: images (N, C, H, W) or (N, C, D, H, W).
        grid: places (N, ..., 2 or 3), the last coordinate of the image first, from -1 at one end to 1 at the other.
        mode: "bilinear", "nearest" or "bicubic".
        padding_mode: values outside of the image: "zeros", "border" or "reflection".
        align_corners: whether -1 and 1 are the middles of the last elements, rather than their edges.

    Raises:
        ValueError: if `mode` or `padding_mode` is unknown.
        RuntimeError: if the shapes do not match.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.grid_sample(wg.arange(4.0).reshape(1, 1, 2, 2), wg.zeros(1, 1, 1, 2), align_corners=False)
        tensor([[[[1.5000]]]])
    """
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    corners = aligned("grid_sample", align_corners)
    return grid_sampler(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), corners)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return grids for `grid_sample`: the images of all elements under affine maps.

    Args:
        theta: maps (N, 2, 3) or (N, 3, 4).
        size: shape of the images, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the middles of the last elements, rather than their edges.

    Raises:
        ValueError: if `theta` is not floating point, its shape does not match `size`, or a length is not positive.
        NotImplementedError: if `size` has neither 4 nor 5 lengths.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.affine_grid(wg.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), align_corners=False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
    corners = aligned("grid_sample", align_corners)
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    count = len(size) - 2
    if count not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if theta.ndim != 3 or theta.shape[1:] != (count, count + 1):
        raise ValueError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, corners)


grid_sample = plain_case(grid_sample, sampled, places=(0, 1, 2, 3, 4), module=FUNCTIONAL)
