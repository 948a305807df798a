"""Images and signals of another size: `interpolate`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import REALS, Array, Bad, Sample, composite, op
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.tensor.base import Tensor
from ..create.factory import refuse_dtype
from .pool_forms import adaptive_avg_pool1d, adaptive_avg_pool2d

Ints = tuple[int, ...]
INTERPOLATING = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
"""Modes that weigh neighbours, and for how many dimensions they are."""
NEAREST = ("nearest", "nearest-exact")
TITLES = (
    *(f"UpsampleNearest{count}DBackward0" for count in (1, 2, 3)),
    *(f"UpsampleNearestExact{count}DBackward0" for count in (1, 2, 3)),
    "UpsampleLinear1DBackward0",
    "UpsampleBilinear2DBackward0",
    "UpsampleTrilinear3DBackward0",
    "UpsampleBicubic2DBackward0",
)
ORDER = {"linear": 6, "bilinear": 7, "trilinear": 8, "bicubic": 9}
CUBIC = -0.75
"""The free parameter of the cubic kernel, as torch has it."""


def title_of(args: tuple[Any, ...]) -> int:
    """Which node class a call records."""
    mode = args[2]
    return ORDER[mode] if mode in ORDER else 3 * NEAREST.index(mode) + len(args[1]) - 1


def taps(length: int, count: int, mode: str, align: bool, scale: float | None, wide: Any) -> tuple[Any, Any]:
    """For each of `count` new places which old ones it is made of, and with which weights: two arrays (count, taps).

    Source:
        Keys, Cubic convolution interpolation for digital image processing (1981), for "bicubic".
    """
    at = np.arange(count)
    if mode in NEAREST:
        pace = np.float32(1 / scale if scale else length / count)
        middle = np.float32(0.5 if mode == "nearest-exact" else 0)
        places = np.minimum(np.floor((at.astype(np.float32) + middle) * pace).astype(np.int64), length - 1)
        return places[:, None], np.ones((count, 1), wide)
    if align:
        source = at.astype(wide) * wide((length - 1) / (count - 1) if count > 1 else 0)
    else:
        source = (at.astype(wide) + wide(0.5)) * wide(1 / scale if scale else length / count) - wide(0.5)
    if mode == "bicubic":
        first = np.floor(source).astype(np.int64)
        places = np.clip(first[:, None] + np.arange(-1, 3), 0, length - 1)
        return places, cubic_weights(source - first)
    source = np.maximum(source, wide(0))
    first = np.minimum(source.astype(np.int64), length - 1)
    share = np.minimum(source - first, wide(1)).astype(wide)
    return np.stack([first, np.minimum(first + 1, length - 1)], 1), np.stack([1 - share, share], 1)


def cubic_weights(share: Any) -> Any:
    """The weights of the four neighbours of points that lie at `share` between the second and the third."""
    near, far = np.stack([share, 1 - share], 1), np.stack([share + 1, 2 - share], 1)
    inner = ((CUBIC + 2) * near - (CUBIC + 3)) * near * near + 1
    outer = ((CUBIC * far - 5 * CUBIC) * far + 8 * CUBIC) * far - 4 * CUBIC
    return np.stack([outer[:, 0], inner[:, 0], inner[:, 1], outer[:, 1]], 1).astype(share.dtype)


def plans(shape: Ints, size: Ints, mode: str, align: bool, scales: Any, wide: Any) -> list[tuple[Any, Any]]:
    """`taps` for each dimension."""
    given = scales or (None,) * len(size)
    return [taps(shape[2 + at], size[at], mode, align, given[at], wide) for at in range(len(size))]


@op(
    layout="suggested",
    dtypes=REALS,
    linear="self",
    batching=folded(),
    node=TITLES,
    choose=title_of,
    method=False,
    function=False,
)
def resample(self: Array, size: Any, mode: str, align_corners: bool = False, scales: Any = None) -> Any:
    """(N, C, ...) at other sizes; every dimension is resampled by itself."""
    refuse_dtype("resample", self, REALS)
    check_sizes(self.shape, size)
    wide = np.float64 if self.dtype == np.float64 else np.float32
    result = self.astype(wide, copy=False)
    for at, (places, weights) in enumerate(plans(self.shape, size, mode, align_corners, scales, wide)):
        axis = 2 + at
        ending = (slice(None), *(None,) * (self.ndim - axis - 1))
        parts = [np.take(result, places[:, tap], axis) for tap in range(places.shape[1])]
        if len(parts) == 1:
            result = parts[0]
        else:
            result = sum((part * weights[:, tap][ending] for tap, part in enumerate(parts)), np.zeros((), wide))
    return result.astype(self.dtype, copy=False)


def check_sizes(shape: Ints, size: Ints) -> None:
    """Refuse empty planes.

    Raises:
        RuntimeError: one is empty.
    """
    names = ("W",) if len(size) == 1 else ("H", "W") if len(size) == 2 else ("D", "H", "W")
    if min((*shape[2:], *size)) <= 0:
        given, made = (
            ", ".join(f"{name}: {length}" for name, length in zip(names, each)) for each in (shape[2:], size)
        )
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({given}) output ({made})")


@resample.vjp("self")
def resample_vjp(grad: Any, self_shape: Any, mode: str, align_corners: bool, scales: Any) -> Any:
    return resample_backward(grad, self_shape, mode, align_corners, scales)


@resample.samples
def resample_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (7,), "nearest")
    yield Sample(make(1, 2, 3, 4), (5, 3), "bilinear", True)
    yield Sample(make(1, 2, 3, 4), (6, 2), "bicubic", False, (2.0, 0.5))
    yield Sample(make(1, 1, 2, 3, 2), (3, 2, 4), "trilinear")
    yield Bad(
        make(1, 2, 3), (0,), "nearest", raises=RuntimeError, says="Input and output sizes should be greater than 0"
    )


@op(layout="suggested", dtypes=REALS, linear="grad", batching=folded(shape="shape"), method=False, function=False)
def resample_backward(grad: Array, shape: Any, mode: str, align_corners: bool, scales: Any = None) -> Any:
    """The transpose of `resample`: a tensor of `shape`."""
    refuse_dtype("resample_backward", grad, REALS)
    wide = np.float64 if grad.dtype == np.float64 else np.float32
    result = grad.astype(wide, copy=False)
    for at, (places, weights) in enumerate(plans(shape, grad.shape[2:], mode, align_corners, scales, wide)):
        matrix = np.zeros((shape[2 + at], len(places)), wide)
        np.add.at(matrix, (places, np.arange(len(places))[:, None]), weights)
        result = np.moveaxis(np.tensordot(result, matrix, ((2 + at,), (1,))), -1, 2 + at)
    return np.ascontiguousarray(result).astype(grad.dtype, copy=False)


@resample_backward.vjp("grad")
def resample_backward_vjp(cotangent: Any, grad_shape: Any, mode: str, align_corners: bool, scales: Any) -> Any:
    return resample(cotangent, grad_shape[2:], mode, align_corners, scales)


@resample_backward.samples
def resample_backward_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 5, 3), (1, 2, 3, 4), "bilinear", True)


@composite(method=False, function=False)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """(N, C, ...) at another size.

    Args:
        input: 3, 4 or 5 dimensions, floating.
        size: the new size; a number, or one for each dimension behind the first two.
        scale_factor: how many times larger the result is; instead of `size`.
        mode: "nearest", "nearest-exact", "linear" (3D), "bilinear", "bicubic" (4D), "trilinear" (5D), "area".
        align_corners: whether the outermost elements, rather than their edges, stay in place; for modes that
            interpolate.
        recompute_scale_factor: compute the factor anew from the rounded size.
        antialias: must be False.

    Returns:
        A new tensor.

    Raises:
        ValueError: options that contradict each other, or a wrong number of sizes.
        NotImplementedError: a mode that does not exist for this number of dimensions.
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("interpolate", "input", 1, "Tensor", input))
    check_mode(input.ndim, mode, align_corners, antialias)
    lengths, scales = read_target(input.shape[2:], size, scale_factor, recompute_scale_factor)
    if mode == "area":
        return area(input, lengths)
    return resample(input, lengths, mode, bool(align_corners), scales)  # type: ignore[no-any-return]


def check_mode(ndim: int, mode: str, align_corners: bool | None, antialias: bool) -> None:
    """Refuse modes that do not exist, not for this number of dimensions, or not with these options."""
    if align_corners is not None and mode not in INTERPOLATING:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias:
        raise ValueError("Anti-alias option is not available: average with avg_pool2d first, or use mode='area'")
    if ndim not in (3, 4, 5) or mode not in (*INTERPOLATING, *NEAREST, "area"):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    if INTERPOLATING.get(mode, ndim - 2) != ndim - 2:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {INTERPOLATING[mode] + 2}D input")


def read_target(shape: Ints, size: Any, factor: Any, recompute: bool | None) -> tuple[Ints, Any]:
    """The new lengths, and the factors from which places are computed (None: from the lengths)."""
    spatial = f"but got input with spatial dimensions of {shown(shape)}"
    wanted = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and"
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        lengths = tuple(size) if isinstance(size, (tuple, list)) else (size,) * len(shape)
        if len(lengths) != len(shape):
            raise ValueError(
                f"Input and output must have the same number of spatial dimensions, {spatial} and output size of "
                f"{size}. {wanted} output size in (o1, o2, ...,oK) format."
            )
        return tuple(int(length) for length in lengths), None
    if factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = tuple(factor) if isinstance(factor, (tuple, list)) else (factor,) * len(shape)
    if len(factors) != len(shape):
        raise ValueError(
            f"Input and scale_factor must have the same number of spatial dimensions, {spatial} and scale_factor of "
            f"shape {factor}. {wanted} scale_factor in (s1, s2, ...,sK) format."
        )
    made = tuple(math.floor(length * float(each)) for length, each in zip(shape, factors))
    return made, None if recompute else tuple(float(each) for each in factors)


def area(input: Tensor, lengths: Ints) -> Tensor:
    """Means of windows.

    Raises:
        NotImplementedError: three dimensions.
    """
    if len(lengths) == 1:
        return adaptive_avg_pool1d(input, lengths)  # type: ignore[no-any-return]
    if len(lengths) == 2:
        return adaptive_avg_pool2d(input, lengths)  # type: ignore[no-any-return]
    raise NotImplementedError("interpolate: mode 'area' exists for 3D and 4D input")


@interpolate.samples  # type: ignore[attr-defined]
def interpolate_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 3, 4), scale_factor=2)
    yield Sample(make(1, 2, 3, 4), (5, 3), mode="area")
    yield Sample(make(1, 2, 3), 5, mode="linear", align_corners=True)
    yield Bad(make(1, 2, 3), raises=ValueError, says="either size or scale_factor should be defined")
    yield Bad(make(2, 3), 5, raises=NotImplementedError, says="Only 3D, 4D and 5D input Tensors supported (got 2D)")


__all__: list[str] = []
