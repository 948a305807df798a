"""Sampling of images between their elements: `grid_sampler`, and the grids of affine maps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.arguments import integers
from ..._core.cards.card import REALS, Array, Bad, Sample, composite, nodes, op
from ..._core.errors import shown, wrong_type
from ..._core.operators.batch_rules import folded
from ..._core.recording.saved_tensor import read_saved
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import direct_function as native, grid as kernel
from ..dtype_checks import refuse
from ..neural.grad_history import with_history
from ..shapes.join import stack

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def choose_tensor(mask: Any, one: Any, other: Any) -> Any:
    """`where` for tensors or numbers."""
    if isinstance(one, Tensor):
        return one.where(mask, other)
    return mask.to(dtypes.get_default_dtype()) * (one - other) + other


TENSORS = kernel.Tools(
    choose_tensor,
    lambda numbers: numbers.detach().nan_to_num(0.0).to(dtypes.int64),
    lambda mask, like: mask.to(like.dtype),
    lambda numbers: numbers.detach().floor(),
)


@op(
    dtypes=REALS,
    batching=folded(),
    name="_grid_sample",
    public="neither",
    node=nodes("GridSampler2DBackward0", "GridSampler3DBackward0", by=lambda args: args[0].ndim - 4),
    native=native("grid_sample"),
)
def sampled(
    input: Array, grid: Array, mode: str = "bilinear", padding: str = "zeros", align_corners: bool = False
) -> Any:
    """Sample images (N, C, ...) at the places of grids (N, ..., 2 or 3)."""
    if input.dtype.kind != "f":
        refuse("grid_sampler", f"grid_sampler_{input.ndim - 2}d_cpu_kernel_impl", input)
    wide = np.float64 if input.dtype == np.float64 else np.float32
    options = (mode, padding, align_corners)
    return kernel.sample(input.astype(wide, copy=False), grid.astype(wide, copy=False), options).astype(input.dtype)


SAMPLED = {"bilinear": 0, "nearest": 1, "bicubic": 2}
BORDERS = {"zeros": 0, "border": 1, "reflection": 2}
"""Numbers by which torch's nodes show the interpolation and the padding."""
sampled.shows(
    interpolation_mode=lambda node: SAMPLED[read_saved(node, "mode")],
    padding_mode=lambda node: BORDERS[read_saved(node, "padding")],
)


class Around:
    """Elements around the places of grids, in operators: `flat` is the images with flattened planes."""

    def __init__(self, shape: Any, grid: Any, options: Any) -> None:
        self.items, self.channels, *lengths = shape
        self.lengths = tuple(lengths)
        self.area = math.prod(lengths)
        self.count = math.prod(grid.shape[1:-1])
        self.options = options
        self.dims = grid.shape[-1]
        places = grid.reshape((self.items, self.count, self.dims))
        self.coordinates = [places.select(2, at) for at in range(self.dims)]

    def corners(self) -> Any:
        """Iterate over the corners: the index of each element in `flat`, for all channels, and its taps."""
        for index, taps in kernel.corners(self.coordinates, self.lengths, self.options, TENSORS):
            yield index.unsqueeze(1).expand((self.items, self.channels, self.count)), taps

    def values(self, flat: Any, index: Any, taps: Any) -> Any:
        """Return the elements of one corner for all places: 0 outside."""
        return flat.gather(2, index).where(kernel.is_element(taps).unsqueeze(1), 0)


def with_grid_history(grad: Any, grid: Any) -> Any:
    """Return a gradient that depends on the grid, if the grid is one of planes."""
    return with_history(grad, "GridSampler2DBackwardBackward0", grid) if grid.ndim == 4 else grad


@sampled.vjp("input", native=native("grid_sample_input_rule"))
def sampled_vjp_input(grad: Any, input_shape: Any, grid: Any, mode: str, padding: str, align_corners: bool) -> Any:
    around = Around(input_shape, grid, (mode, padding, align_corners))
    rows = grad.reshape((around.items, around.channels, around.count))
    result = grad.new_zeros((around.items, around.channels, around.area))
    for index, taps in around.corners():
        shares = (rows * kernel.share_of(taps, TENSORS).unsqueeze(1)).where(kernel.is_element(taps).unsqueeze(1), 0)
        result = result.scatter_add(2, index, shares)
    return with_grid_history(result.reshape(input_shape), grid)


grid_rule: Any = native("grid_sample_grid_rule")


def rule_of_slopes(grad: Any, input: Any, grid: Any, grid_shape: Any, mode: str, padding: str, align: bool) -> Any:
    """`grid_rule`; NotImplemented for the nearest elements, which do not change with the place."""
    return NotImplemented if mode == "nearest" else grid_rule(grad, input, grid, grid_shape, mode, padding, align)


@sampled.vjp("grid", native=grid_rule and rule_of_slopes)
def sampled_vjp_grid(
    grad: Any, input: Any, grid: Any, grid_shape: Any, mode: str, padding: str, align_corners: bool
) -> Any:
    if mode == "nearest":
        return with_grid_history(grid.new_zeros(grid_shape), grid)
    around = Around(input.shape, grid, (mode, padding, align_corners))
    rows = grad.reshape((around.items, around.channels, around.count))
    flat = input.reshape((around.items, around.channels, around.area))
    parts: list[Any] = [0.0] * around.dims
    first, last = (rows, 1.0) if mode == "bicubic" else (1.0, rows)  # infinite gradients show torch's order
    for index, taps in around.corners():
        values = around.values(flat, index, taps) * first
        parts = [part + values * kernel.weight_derivative(taps, at).unsqueeze(1) for at, part in enumerate(parts)]
    result = stack([(part * last).sum(1) for part in parts], 2).reshape(grid_shape)
    return with_grid_history(result, grid)


@sampled.jvp("input")
def sampled_jvp_input(tangent: Any, grid: Any, mode: str, padding: str, align_corners: bool, out: Any) -> Any:
    around = Around(tangent.shape, grid, (mode, padding, align_corners))
    flat = tangent.reshape((around.items, around.channels, around.area))
    weighed = (
        around.values(flat, index, taps) * kernel.weight_of(taps).unsqueeze(1) for index, taps in around.corners()
    )
    result: Any = sum(weighed, 0.0)
    return result.reshape(out.shape)


@sampled.jvp("grid")
def sampled_jvp_grid(
    tangent: Any, input: Any, grid: Any, mode: str, padding: str, align_corners: bool, out: Any
) -> Any:
    around = Around(input.shape, grid, (mode, padding, align_corners))
    flat = input.reshape((around.items, around.channels, around.area))
    moved = tangent.reshape((around.items, around.count, around.dims))
    result: Any = 0.0
    for index, taps in around.corners():
        for at in range(around.dims):
            change = kernel.weight_derivative(taps, at) * moved.select(2, at)
            result = result + around.values(flat, index, taps) * change.unsqueeze(1)
    return result.reshape(out.shape)


@sampled.samples
def sampled_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3, 4), make(2, 3, 2, 2))
    yield Sample(make(1, 2, 3, 4), make(1, 2, 2, 2), "bicubic", "border", True)
    yield Sample(make(1, 2, 3, 4), make(1, 2, 2, 2), "bilinear", "reflection")
    yield Sample(make(1, 2, 3, 2, 2), make(1, 2, 1, 2, 3), "bilinear", "border")
    yield Sample(make(1, 1, 3, 4), make(1, 3, 2, 2), "nearest", "reflection", True)


def check_grid(input: Tensor, grid: Tensor, mode: int, padding: int) -> None:
    """Refuse images and grids that do not fit, and unknown numbers of modes.

    Raises:
        RuntimeError: if they do not fit, or a number is unknown.
    """
    for name, number in (("interpolation_mode", mode), ("padding_mode", padding)):
        if not 0 <= number <= 2:
            raise RuntimeError(f"grid_sampler(): expected {name} to be 0, 1 or 2, but got {number}")
    both = f"got input with sizes {shown(input.shape)} and grid with sizes {shown(grid.shape)}"
    if not input.ndim or not grid.ndim or input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but {both}")
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{shown(grid.shape)}"
        )
    for at, length in enumerate(input.shape[2:], 2):
        if length <= 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{shown(input.shape)} with dimension {at} being empty"
            )
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        wanted = f"{input.ndim}D" if input.ndim in (4, 5) else "4D or 5D"
        raise RuntimeError(
            f"grid_sampler(): expected {wanted} input and grid with same number of dimensions, but {both}"
        )
    if input.ndim == 5 and mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if grid.dtype is not input.dtype:
        names = (operand.dtype.legacy[:-6] for operand in (input, grid))
        raise RuntimeError("expected scalar type {} but found {}".format(*names))


@composite(method=False)
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Any:
    """Sample images at the places of a grid.

    Args:
        input: images (N, C, H, W) or (N, C, D, H, W).
        grid: places (N, ..., 2 or 3); the first coordinate is that of the image's last dimension, from -1 to 1.
        interpolation_mode: 0 for the 4 (or 8) elements around, 1 for the nearest, 2 for a cubic kernel.
        padding_mode: values outside: 0 for zeros, 1 for the last element, 2 for the image reflected.
        align_corners: whether -1 and 1 are the centres of the last elements, rather than their edges.

    Returns:
        A new tensor (N, C, ...), the last dimensions those of `grid`.

    Raises:
        RuntimeError: if the shapes do not fit.

    Source:
        Jaderberg et al., Spatial transformer networks (2015).

    Examples:
        >>> import wengert as wg
        >>> wg.grid_sampler(wg.ones(1, 1, 2, 2), wg.zeros(1, 1, 1, 2), 0, 0, False)
        tensor([[[[1.]]]])
    """
    check_grid(input, grid, interpolation_mode, padding_mode)
    return sampled(input, grid, MODES[interpolation_mode], PADDINGS[padding_mode], align_corners)


@composite(method=False)
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`grid_sampler` of images.

    Args:
        input: images (N, C, H, W).
        grid: places (N, ..., 2).
        interpolation_mode, padding_mode, align_corners: as for `grid_sampler`.

    Returns:
        A new tensor (N, C, ...).

    Examples:
        >>> import wengert as wg
        >>> wg.grid_sampler_2d(wg.ones(1, 1, 2, 2), wg.zeros(1, 1, 1, 2), 0, 0, False)
        tensor([[[[1.]]]])
    """
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@composite(method=False)
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`grid_sampler` of volumes.

    Args:
        input: volumes (N, C, D, H, W).
        grid: places (N, ..., 3).
        interpolation_mode, padding_mode, align_corners: as for `grid_sampler`.

    Returns:
        A new tensor (N, C, ...).

    Examples:
        >>> import wengert as wg
        >>> wg.grid_sampler_3d(wg.ones(1, 1, 2, 2, 2), wg.zeros(1, 1, 1, 1, 3), 0, 0, False)
        tensor([[[[[1.]]]]])
    """
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@grid_sampler.samples
@grid_sampler_2d.samples
def grid_sampler_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3, 4), make(2, 3, 2, 2), 0, 0, False)
    yield Bad(make(2, 2, 3, 4), make(1, 3, 2, 2), 0, 0, False, raises=RuntimeError, says="to have same batch size")
    yield Bad(
        make(2, 2, 3, 4), make(2, 3, 2, 2), 3, 0, False, raises=RuntimeError, says="interpolation_mode to be 0, 1"
    )
    yield Bad(
        make(2, 2, 3, 4), make(2, 3, 2, 2), 0, -1, False, raises=RuntimeError, says="padding_mode to be 0, 1 or 2"
    )
    yield Bad(make(2, 2, 3, 4), make(2, 3, 2, 3), 0, 0, False, raises=RuntimeError, says="size 2 in last dimension")


@grid_sampler_3d.samples
def grid_sampler_3d_samples(make: Any) -> Any:
    yield Sample(make(1, 1, 2, 3, 4), make(1, 1, 2, 2, 3), 0, 1, True)


def base_grid(size: tuple[int, ...], align_corners: bool, dtype: Any) -> Any:
    """Return the places of all elements of an image, followed by a 1: an array (elements, dimensions + 1)."""
    axes = []
    for length in size:
        places = np.linspace(-1, 1, length) if length > 1 else np.zeros(length)
        axes.append(places if align_corners or not length else places * (length - 1) / length)
    spread = np.meshgrid(*axes, indexing="ij")
    return np.stack([*spread[::-1], np.ones(size)], -1).reshape(-1, len(size) + 1).astype(dtype)


@op(dtypes=REALS, linear="theta", public="function")
def affine_grid_generator(theta: Array, size: Any, align_corners: bool) -> Any:
    """Return the places that affine maps take all elements of an image to.

    Args:
        theta: maps (N, 2, 3) or (N, 3, 4).
        size: shape of the images, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the last elements, rather than their edges.

    Returns:
        A new tensor (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        TypeError: if `size` is not a tuple.
        RuntimeError: if the shapes do not fit.

    Source:
        Jaderberg et al., Spatial transformer networks (2015).

    Examples:
        >>> import wengert as wg
        >>> wg.affine_grid_generator(wg.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
    shape = grid_shape(theta, size)
    result = base_grid(shape[1:-1], align_corners, theta.dtype) @ theta.transpose(0, 2, 1)
    return result.reshape(shape)


def grid_shape(theta: Any, size: Any) -> tuple[int, ...]:
    """Return the shape of a grid for images or volumes of a size.

    Raises:
        TypeError: if `size` is not a sequence of integers.
        RuntimeError: if `size` is not that of images or volumes, or the matrices do not fit it.
        NotImplementedError: if the dtype of the matrices is not floating-point.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(wrong_type("affine_grid_generator", "size", 2, "tuple of ints", size))
    size = integers("affine_grid_generator", "size", size, 2)
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    items, plane = size[0], size[2:]
    if min(plane) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(plane)}: {shown(size)}")
    check_room("affine_grid_generator", (items, *plane, len(plane) + 1))
    wanted = (items, len(plane), len(plane) + 1)
    if theta.shape != wanted:
        raise RuntimeError(f"affine_grid_generator: expected theta of shape {shown(wanted)}, got {shown(theta.shape)}")
    if theta.dtype.kind != "f":
        refuse("affine_grid_generator", "affine_grid_generator", theta)
    return (items, *plane, len(plane))


@affine_grid_generator.vjp("theta")
def affine_grid_vjp(grad: Any, theta_shape: Any, size: Any, align_corners: bool) -> Any:
    plane = tuple(int(length) for length in size[2:])
    rows = grad.reshape((theta_shape[0], math.prod(plane), len(plane)))
    return rows.transpose(1, 2) @ constant_beside(grad, wrap(base_grid(plane, align_corners, grad._array_.dtype)))


@affine_grid_generator.batched
def affine_grid_batched(theta: Any, size: Any, align_corners: bool) -> Any:
    batch, items, *shape = theta.shape
    size = tuple(int(length) for length in size)
    if items != size[0]:
        raise RuntimeError(f"affine_grid_generator: expected {size[0]} maps, got {items}")
    result = affine_grid_generator.call(
        (theta.reshape((batch * items, *shape)), (batch * items, *size[1:]), align_corners)
    )
    return result.reshape((batch, items, *result.shape[1:]))


@affine_grid_generator.samples
def affine_grid_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3), (2, 1, 3, 4), False)
    yield Sample(make(1, 3, 4), (1, 1, 2, 1, 3), True)
    yield Bad(make(1, 2, 3), (1, 2, 3), False, raises=RuntimeError, says="needs 4d (spatial) or 5d (volumetric)")
    yield Bad(make(1, 2, 3), None, False, raises=TypeError, says="argument 'size' (position 2) must be tuple of ints")
