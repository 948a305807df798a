"""Resampling of images and signals to another size: `interpolate`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import Truth
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, nodes, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.recording.saved_tensor import read_saved
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import direct_function as native
from ..._kernels.resample import NEAREST, along_axis, of_bytes, plan_of, transposed_along
from ..create.factory import refuse_dtype
from ..dtype_checks import refuse
from ..memory.room import check_memory
from .pool_functions import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

Ints = tuple[int, ...]
INTERPOLATING = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3, "lanczos": 2}
"""Modes that weigh neighbours, and their numbers of dimensions."""
TITLES = (
    *(f"UpsampleNearest{count}DBackward0" for count in (1, 2, 3)),
    *(f"UpsampleNearestExact{count}DBackward0" for count in (1, 2, 3)),
    "UpsampleLinear1DBackward0",
    "UpsampleBilinear2DBackward0",
    "UpsampleTrilinear3DBackward0",
    "UpsampleBicubic2DBackward0",
    "UpsampleBilinear2DAaBackward0",
    "UpsampleBicubic2DAaBackward0",
    "UpsampleLanczos2DAaBackward0",
)
ORDER = {"linear": 6, "bilinear": 7, "trilinear": 8, "bicubic": 9}
SMOOTH_ORDER = {"bilinear": 10, "bicubic": 11, "lanczos": 12}


def title_of(args: tuple[Any, ...]) -> int:
    """Return the index of the node class of a call."""
    mode = args[2]
    if args[5]:
        return SMOOTH_ORDER[mode]
    return ORDER[mode] if mode in ORDER else 3 * NEAREST.index(mode) + len(args[1]) - 1


def plans(shape: Ints, size: Ints, mode: str, align: bool, scales: Any, antialias: bool, wide: Any) -> list[Any]:
    """Return places and weights for each dimension."""
    ratios = scales or (None,) * len(size)
    axes = zip(shape[2:], size, ratios)
    return [plan_of(length, count, mode, align, scale, antialias, wide) for length, count, scale in axes]


@op(
    layout="suggested",
    dtypes=REALS,
    linear="self",
    batching=folded(),
    node=nodes(*TITLES, by=title_of),
    public="neither",
    native=native("resample"),
)
def resample(
    self: Array, size: Any, mode: str, align_corners: bool = False, scales: Any = None, antialias: bool = False
) -> Any:
    """Resample (N, C, ...) to other sizes; each dimension by itself."""
    refuse_dtype("resample", self, REALS)
    check_sizes(self.shape, size, self.itemsize)
    if antialias and self.dtype == np.float16:
        refuse("resample", "compute_index_ranges_weights", self)
    wide = np.float64 if self.dtype == np.float64 else np.float32
    result = self.astype(wide, copy=False)
    for at, plan in enumerate(plans(self.shape, size, mode, align_corners, scales, antialias, wide)):
        result = along_axis(result, plan, 2 + at)
    return np.ascontiguousarray(result.astype(self.dtype, copy=False))


def scale(node: Any, at: int) -> Any:
    """Return the scale of a dimension of an image, if it was passed."""
    scales = read_saved(node, "scales")
    return scales if scales is None else scales[at]


def scales_of(node: Any) -> Any:
    """Return the scales of an image: one number if it has a single dimension."""
    scales = read_saved(node, "scales")
    return scales[0] if scales and len(scales) == 1 else scales


def hidden_scales(title: str) -> tuple[str, ...]:
    """Names of scales that nodes of images of fewer dimensions do not have."""
    return ("scales_d", "scales_h", "scales_w") if "1D" in title else ("scales_d",) if "2D" in title else ()


resample.shows(
    scales=scales_of,
    scales_d=lambda node: scale(node, -3),
    scales_h=lambda node: scale(node, -2),
    scales_w=lambda node: scale(node, -1),
)
resample.nodes.hides = {title: hidden_scales(title) for title in TITLES}


@op(layout="suggested", dtypes={dtypes.uint8}, batching=folded(), why="integers", public="neither")
def resample_bytes(
    self: Index, size: Any, mode: str, align_corners: bool = False, scales: Any = None, antialias: bool = False
) -> Any:
    """`resample` of uint8: the nearest elements, or, for images, means in whole numbers."""
    refuse_dtype("resample_bytes", self, {dtypes.uint8})
    check_sizes(self.shape, size, self.itemsize)
    if mode in ("linear", "trilinear"):
        refuse("resample", "compute_indices_weights_linear", self)
    steps = plans(self.shape, size, mode, align_corners, scales, antialias, np.float64)
    if mode not in NEAREST:
        return of_bytes(self, steps)
    for at, plan in enumerate(steps):
        self = along_axis(self, plan, 2 + at)
    return np.ascontiguousarray(self)


@resample_bytes.samples
def resample_bytes_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 3, 4), (5, 3), "nearest")
    yield Sample(make(1, 2, 3, 4), (5, 3), "bilinear")
    yield Bad(make(1, 2, 3), (5,), "linear", raises=NotImplementedError, says="compute_indices_weights_linear")


PLACES = 32
"""Bytes in tables for each place along a dimension: indices and weights."""


def check_sizes(shape: Ints, size: Ints, itemsize: int | None) -> None:
    """Refuse empty planes, images without channels, and sizes that do not fit in memory.

    Args:
        itemsize: bytes of an element; None where nothing is computed.

    Raises:
        RuntimeError: if a size is refused.
    """
    check_room("interpolate", (*shape[:2], *size))
    if min(size) > 0 and itemsize is not None:
        check_memory("interpolate", (*shape[:2], *size), itemsize, PLACES * sum(size))
    names = ("W",) if len(size) == 1 else ("H", "W") if len(size) == 2 else ("D", "H", "W")
    if min((*shape[2:], *size)) <= 0:
        before, after = (
            ", ".join(f"{name}: {length}" for name, length in zip(names, lengths)) for lengths in (shape[2:], size)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({before}) output ({after})"
        )
    if not shape[1]:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor with sizes {shown(shape)}")


@resample.vjp("self", native=native("resample_backward"))
def resample_vjp(grad: Any, self_shape: Any, mode: str, align_corners: bool, scales: Any, antialias: bool) -> Any:
    return resample_backward(grad, self_shape, mode, align_corners, scales, antialias)


@resample.samples
def resample_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (7,), "nearest")
    yield Sample(make(1, 2, 3, 4), (5, 3), "bilinear", True)
    yield Sample(make(1, 2, 3, 4), (6, 2), "bicubic", False, (2.0, 0.5))
    yield Sample(make(1, 1, 2, 3, 2), (3, 2, 4), "trilinear")
    if make.dtype is not dtypes.float16:
        yield Sample(make(1, 2, 7, 9), (3, 4), "bilinear", antialias=True)
        yield Sample(make(1, 2, 3, 9), (4, 4), "bicubic", antialias=True)
        yield Sample(make(1, 2, 9, 4), (5, 6), "lanczos", antialias=True)
    yield Bad(
        make(1, 2, 3), (0,), "nearest", raises=RuntimeError, says="Input and output sizes should be greater than 0"
    )


def slope_title_of(args: tuple[Any, ...]) -> int:
    """Return the index of the node class of a call of the transpose."""
    return title_of((None, args[1][2:], args[2], None, None, args[5]))


@op(
    layout="suggested",
    dtypes=REALS,
    linear="grad",
    batching=folded(shape="shape"),
    public="neither",
    native=native("resample_backward"),
    node=nodes(*tuple([title.replace("Backward", "BackwardBackward") for title in TITLES]), by=slope_title_of),
)
def resample_backward(
    grad: Array, shape: Any, mode: str, align_corners: bool, scales: Any = None, antialias: bool = False
) -> Any:
    """Transpose of `resample`: a tensor of `shape`."""
    refuse_dtype("resample_backward", grad, REALS)
    wide = np.float64 if grad.dtype == np.float64 else np.float32
    result = grad.astype(wide, copy=False)
    for at, plan in enumerate(plans(shape, grad.shape[2:], mode, align_corners, scales, antialias, wide)):
        result = transposed_along(result, plan, shape[2 + at], 2 + at)
    return result.astype(grad.dtype, copy=False)


@resample_backward.vjp("grad")
def resample_backward_vjp(
    cotangent: Any, grad_shape: Any, mode: str, align_corners: bool, scales: Any, antialias: bool
) -> Any:
    return resample(cotangent, grad_shape[2:], mode, align_corners, scales, antialias)


@resample_backward.samples
def resample_backward_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 5, 3), (1, 2, 3, 4), "bilinear", True)


@composite(method=False, function=False)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Truth | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resample (N, C, ...) to another size.

    Args:
        input: 3, 4 or 5 dimensions, floating or uint8.
        size: new size; a number, or one for each dimension after the first two.
        scale_factor: ratio of the new and the old size; instead of `size`.
        mode: "nearest", "nearest-exact", "linear" (3D), "bilinear", "bicubic", "lanczos" (4D), "trilinear" (5D),
            "area".
        align_corners: whether the centres of the outermost elements, rather than their edges, stay in place; for modes
            that interpolate.
        recompute_scale_factor: compute the factor anew from the rounded size.
        antialias: smooth, so that a smaller image has no aliases ("bilinear", "bicubic", "lanczos").

    Returns:
        A new tensor.

    Raises:
        ValueError: if options contradict each other, or the number of sizes is wrong.
        NotImplementedError: if the mode does not exist for this number of dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.interpolate(wg.tensor([[[1.0, 2.0]]]), scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.2500, 1.7500, 2.0000]]])
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("interpolate", "input", 1, "Tensor", input))
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    rounded = recompute_scale_factor or (mode == "area" and size is None)  # its windows follow from the lengths
    lengths, scales = read_target(input.shape[2:], size, scale_factor, rounded)
    check_mode(input.ndim, mode, bool(align_corners), antialias)
    if mode == "area":
        return area(input, lengths)
    if align_corners is not None and mode not in NEAREST and not isinstance(align_corners, bool):
        raise TypeError(errors.wrong_type("interpolate", "align_corners", 5, "bool", align_corners))
    card = resample_bytes if input.dtype is dtypes.uint8 else resample
    return card(input, lengths, mode, bool(align_corners), scales, antialias)


def check_mode(ndim: int, mode: str, align_corners: bool, antialias: bool) -> None:
    """Refuse unknown modes, and modes that do not exist for this number of dimensions or with these options."""
    if antialias and (mode not in SMOOTH_ORDER or ndim != 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if ndim not in (3, 4, 5) or mode not in (*INTERPOLATING, *NEAREST, "area"):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if mode == "lanczos" and ndim == 4 and (align_corners or not antialias):
        text = "does not support align_corners=True" if align_corners else "requires antialias=True"
        raise ValueError(f"Lanczos mode {text}")
    if INTERPOLATING.get(mode, ndim - 2) != ndim - 2:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {INTERPOLATING[mode] + 2}D input")


def one_each(value: Any, shape: Ints, name: str, described: str, form: str) -> tuple[Any, ...]:
    """Return a value for each spatial dimension.

    Args:
        value: a sequence of them, or one for all dimensions.
        shape: the spatial dimensions.
        name, described, form: words for the error.

    Raises:
        ValueError: if there are more or fewer values than dimensions.
    """
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * len(shape)
    if len(values) != len(shape):
        raise ValueError(
            f"Input and {name} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {shown(shape)} and {described}{value}. Please provide input tensor in (N, C, d1, d2, ...,dK) format "
            f"and {form} format."
        )
    return values


def read_target(shape: Ints, size: Any, factor: Any, recompute: bool | None) -> tuple[Ints, Any]:
    """Return the new lengths, and the factors from which places are computed (None: from the lengths)."""
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        lengths = one_each(size, shape, "output", "output size of ", "output size in (o1, o2, ...,oK)")
        return tuple(as_length(length, lengths) for length in lengths), None
    if factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = one_each(factor, shape, "scale_factor", "scale_factor of shape ", "scale_factor in (s1, s2, ...,sK)")
    if not recompute and not all(math.isfinite(float(ratio)) for ratio in factors):
        raise RuntimeError(f"interpolate: scale_factor must be finite, got {factor}")
    target = tuple(math.floor(length * float(ratio)) for length, ratio in zip(shape, factors))
    return target, None if recompute else tuple(float(ratio) for ratio in factors)


def as_length(length: Any, lengths: Any) -> int:
    """Return one new length.

    Raises:
        TypeError: if the length is not an integer.
    """
    if not hasattr(length, "__index__"):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types {[type(value) for value in lengths]}"
        )
    return int(length)


def area(input: Any, lengths: Ints) -> Tensor:
    """Resample by means of windows."""
    pool = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[len(lengths) - 1]
    return pool(input, lengths)


@interpolate.samples
def interpolate_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 3, 4), scale_factor=2)
    yield Sample(make(1, 2, 3, 4), (5, 3), mode="area")
    yield Sample(make(1, 2, 3), 5, mode="linear", align_corners=True)
    yield Sample(make(1, 2, 3, 4, 2), (2, 3, 2), mode="area")
    yield Bad(make(1, 2, 3), raises=ValueError, says="either size or scale_factor should be defined")
    yield Bad(make(2, 3), 5, raises=NotImplementedError, says="Only 3D, 4D and 5D input Tensors supported (got 2D)")


interpolate = plain_case(interpolate, resample, translate=native("interpolate_arguments"), module=FUNCTIONAL)

__all__: list[str] = []
