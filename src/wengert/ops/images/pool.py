"""Pools of planes and volumes: the maximum or the mean of each window, and their gradients.

Pools of volumes are pools of planes first, then of the result along the depth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import ALL, INTEGERS, REALS, Array, Bad, Index, Sample, composite, nodes, op
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels.index import private
from ..._kernels.pool import places_counted
from ..create.factory import refuse_dtype
from ..family import describes
from ..memory.memory_formats import in_order_of
from .windows import PLANE, VOLUME, average_window, check_divisor, compact, read_window, window_counts
from .zero_derivatives import SCATTERED, SCATTERS, flat_in_place

Ints = Any
"""A tuple of integers; the kernels are typed for pairs."""
Numbers = int | Sequence[int]
ORDERED = REALS | INTEGERS
AVERAGED = REALS | {dtypes.int64}

of_planes = partial(op, layout="suggested", batching=folded(3, most=4), public="neither")
of_volumes = partial(op, layout="rows", batching=folded(4, most=5), public="neither")
"""Pools of (N, C, ...) or (C, ...), with two or three dimensions behind the channels."""
onto_planes = partial(op, layout="suggested", linear="grad", batching=folded(3, shape="shape"), public="neither")
onto_volumes = partial(op, layout="rows", linear="grad", batching=folded(4, shape="shape"), public="neither")
"""Their transposes, which are given the shape of the planes or volumes."""


def stacked(array: Any) -> Any:
    """Reshape volumes (..., D, H, W) to (N, D, H, W), row-major."""
    return compact(array).reshape(-1, *array.shape[-3:])


def columns(array: Any) -> Any:
    """Reshape volumes (..., D, H, W) to planes (N, D, H * W): windows along the depth are windows of one column."""
    return compact(array).reshape(-1, array.shape[-3], array.shape[-2] * array.shape[-1])


# ---- elements at the indices of maxima -------------------------------------------------------------------------------


@flat_in_place
@onto_planes(dtypes=ALL, node=nodes(*SCATTERED, by=lambda args: SCATTERS.index(args[3])))
def scatter_planes(grad: Array, indices: Index, shape: Any, way: str = "", place: Array = None) -> Any:
    """Zeros of `shape` with elements of `grad` added, plane by plane, at `indices`.

    Args:
        way: kind of windows of `indices`: "" for contiguous ones, "Adaptive", "Fractional".
    """
    refuse_dtype("scatter_planes", grad, ALL)
    if 0 in grad.shape:
        return np.zeros(shape, grad.dtype)
    return kernels.max_pool2d_backward(compact(grad), compact(indices), tuple(shape))


@scatter_planes.vjp("grad")
def scatter_planes_vjp(cotangent: Any, indices: Any, grad_shape: Any) -> Any:
    return gather_planes(cotangent, indices)


@scatter_planes.samples
def scatter_planes_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(1, 2, 2), tensor([[[0, 3], [3, 5]]]), (1, 2, 3))
    yield Sample(make(1, 2, 2), tensor([[[0, 3], [3, 5]]]), (1, 2, 3), "Adaptive", make(1, 2, 3))


@flat_in_place
@onto_volumes(
    layout="suggested",
    dtypes=ALL,
    node=nodes(*tuple([title.replace("2D", "3D") for title in SCATTERED]), by=lambda args: SCATTERS.index(args[3])),
)
def scatter_volumes(grad: Array, indices: Index, shape: Any, way: str = "", place: Array = None) -> Any:
    """Zeros of `shape` with elements of `grad` added, volume by volume, at `indices`.

    Args:
        way: kind of windows of `indices`, as in `scatter_planes`.
    """
    refuse_dtype("scatter_volumes", grad, ALL)
    if 0 in grad.shape:
        return np.zeros(shape, grad.dtype)
    depth, height, width = shape[-3:]
    places = (columns(grad), columns(indices))
    return kernels.max_pool2d_backward(*places, (len(places[0]), depth, height * width)).reshape(shape)


@scatter_volumes.vjp("grad")
def scatter_volumes_vjp(cotangent: Any, indices: Any, grad_shape: Any) -> Any:
    return gather_volumes(cotangent, indices)


@scatter_volumes.samples
def scatter_volumes_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(1, 1, 2, 2), tensor([[[[0, 3], [11, 11]]]]), (1, 2, 2, 3))
    yield Sample(make(1, 1, 2, 2), tensor([[[[0, 3], [11, 11]]]]), (1, 2, 2, 3), "Adaptive", make(1, 2, 2, 3))


def gathered(array: Any, indices: Any, count: int) -> Any:
    """Elements at indices in the flat last `count` dimensions."""
    lead = indices.shape[:-count]
    flat = array.reshape(*lead, math.prod(array.shape[-count:]))
    places = private(indices).reshape(*lead, math.prod(indices.shape[-count:]))
    return np.take_along_axis(flat, places, -1).reshape(indices.shape)


@op(dtypes=ALL, linear="self", batching=folded(2), public="neither")
def gather_planes(self: Array, indices: Index) -> Any:
    """Elements of `self` at `indices`, plane by plane."""
    refuse_dtype("gather_planes", self, ALL)
    return gathered(self, indices, 2)


@gather_planes.vjp("self")
def gather_planes_vjp(grad: Any, indices: Any, self_shape: Any) -> Any:
    return scatter_planes(grad, indices, self_shape)


@gather_planes.samples
def gather_planes_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(1, 2, 3), tensor([[[0, 3], [3, 5]]]))


@op(dtypes=ALL, linear="self", batching=folded(3), public="neither")
def gather_volumes(self: Array, indices: Index) -> Any:
    """Elements of `self` at `indices`, volume by volume."""
    refuse_dtype("gather_volumes", self, ALL)
    return gathered(self, indices, 3)


@gather_volumes.vjp("self")
def gather_volumes_vjp(grad: Any, indices: Any, self_shape: Any) -> Any:
    return scatter_volumes(grad, indices, self_shape)


@gather_volumes.samples
def gather_volumes_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(1, 2, 2, 3), tensor([[[[0, 3], [11, 11]]]]))


# ---- maxima ----------------------------------------------------------------------------------------------------------


def of_maxima(scatter: Any, gather: Any, way: str = "", *, ordered: bool = True, check: Any = None) -> Any:
    """Return a decorator that gives a pool of maxima its rules: gradients go to the indices of the maxima.

    Args:
        scatter, gather: operators that put elements at indices, and take them from there.
        way: kind of the windows, see `scatter_planes`.
        ordered: whether the gradient is brought to the memory order of the input first.
        check: called with the shape of the gradient, to refuse it.
    """

    def scattered(grads: Any, indices: Any, self: Any, self_shape: Any) -> Any:
        if check is not None:
            check(grads[0].shape)
        return scatter(grads[0], indices, self_shape, way, self)

    def scattered_in_order(grads: Any, indices: Any, self: Any, self_shape: Any, self_strides: Any) -> Any:
        if check is not None:
            check(grads[0].shape)
        return scatter(in_order_of(grads[0], (self_shape, self_strides)), indices, self_shape, way, self)

    def gathered(tangent: Any, indices: Any) -> Any:
        return gather(tangent, indices), None

    def complete(card: Any) -> Any:
        card.vjp("self")(scattered_in_order if ordered else scattered)
        card.jvp("self")(gathered)
        card.nodes.shown["result1"] = "indices"
        return card

    return complete


@of_maxima(scatter_planes, gather_planes)
@of_planes(
    dtypes=ORDERED,
    outputs={"values": True, "indices": False},
    node="MaxPool2DWithIndicesBackward0",
    native=kernels.direct_function("max_pool2d_with_indices"),
    kernel="max_pool2d",
)
def max_pool2d_with_indices(
    self: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Maximum of each window, and its index in the plane (the first of equals)."""
    window = read_window("max_pool2d", self.shape, 2, (kernel_size, stride, padding, dilation), ceil_mode)
    refuse_dtype("max_pool2d_with_indices", self, ORDERED)
    if 0 in self.shape:
        return no_maxima(self, window, ceil_mode)
    return kernels.max_pool2d(compact(self), *window, bool(ceil_mode))


def no_maxima(array: Any, window: tuple[Ints, ...], ceil_mode: bool) -> tuple[Any, Any]:
    """Values and indices of an input without elements."""
    shape = (*array.shape[: -len(window[0])], *window_counts(array.shape, *window, ceil_mode))
    return np.empty(shape, array.dtype), np.empty(shape, np.int64)


@max_pool2d_with_indices.samples
def max_pool2d_with_indices_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 6, 5), 2)
    yield Sample(make(3, 6, 5), (3, 2), 2, (1, 0), (1, 2), True)
    yield Sample(make(0, 3, 4, 4), 2)
    yield Bad(
        make(1, 3, 4, 4), 3, padding=2, raises=RuntimeError, says="pad should be at most half of effective kernel size"
    )
    yield Bad(make(1, 3, 4, 4), 5, raises=RuntimeError, says="Output size is too small")
    yield Bad(make(1, 1, 4, 4), 2**40, padding=2**39, raises=RuntimeError, says="type int without overflow")
    yield Bad(make(1, 1, 6, 6), 3, padding=2, dilation=2, raises=RuntimeError, says="equal to half of kernel size")
    yield Bad(make(4, 4), 2, raises=RuntimeError, says="non-empty 3D or 4D (batch mode) tensor expected for input")


def largest(x: Any, kernel: Ints, step: Ints, side: Ints, gap: Ints, ceil_mode: bool) -> tuple[Any, Any]:
    """Maximum of each window, and its index in the volume: the first of equals, the last NaN."""
    area = x.shape[-2] * x.shape[-1]
    values, places = kernels.max_pool2d(stacked(x), kernel[1:], step[1:], side[1:], gap[1:], ceil_mode)
    lines = ((kernel[0], 1), (step[0], 1), (side[0], 0), (gap[0], 1))
    best, highest = kernels.max_pool2d(columns(values), *lines, ceil_mode)
    out_shape = (*x.shape[:-3], highest.shape[1], *values.shape[-2:])
    highest = highest.reshape(len(highest), -1)
    in_plane = np.take_along_axis(places.reshape(len(highest), -1), highest, 1)
    index = highest // (values.shape[-2] * values.shape[-1]) * area + in_plane
    return best.reshape(out_shape), index.reshape(out_shape)


@of_maxima(scatter_volumes, gather_volumes)
@of_volumes(
    layout="suggested", dtypes=ORDERED, outputs={"values": True, "indices": False}, node="MaxPool3DWithIndicesBackward0"
)
def max_pool3d_with_indices(
    self: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Maximum of each window, and its index in the volume (the first of equals)."""
    window = read_window("max_pool3d", self.shape, 3, (kernel_size, stride, padding, dilation), ceil_mode)
    refuse_dtype("max_pool3d", self, ORDERED)
    return no_maxima(self, window, ceil_mode) if 0 in self.shape else largest(self, *window, bool(ceil_mode))


@max_pool3d_with_indices.samples
def max_pool3d_with_indices_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 4, 3, 5), 2)
    yield Sample(make(2, 5, 4, 3), (3, 2, 1), 2, (1, 0, 0), (1, 2, 1), True)
    yield Sample(make(0, 3, 4, 4, 4), 2)
    yield Bad(make(1, 1, 4, 4, 4), (2, 2), raises=RuntimeError, says="or a tuple of three ints, got [2, 2]")
    yield Bad(make(1, 1, 4, 4, 4), 3, padding=2, raises=RuntimeError, says="at most half of effective kernel size")
    yield Bad(make(1, 1, 4, 4, 4), 5, raises=RuntimeError, says="Calculated output size: (1x0x0x0). Output size is")
    yield Bad(make(1, 0, 4, 4, 4), 2, raises=RuntimeError, says="non-batch dimensions to have positive length")
    yield Bad(make(1, 1, 4, 4, 4), 2**40, padding=2**39, raises=RuntimeError, says="type int without overflow")
    yield Bad(make(4, 4, 4), 2, raises=RuntimeError, says="non-empty 4D or 5D (batch mode) tensor expected for input")


# ---- means -----------------------------------------------------------------------------------------------------------


MEANS = """
    Args:
        self: {input}, floating.
        kernel_size: {lengths} of the window; {numbers}.
        stride: step between windows; `kernel_size` by default.
        padding: zeros around each {item}, at most half the window.
        ceil_mode: whether a last window may extend beyond the end.
        count_include_pad: whether padding counts as elements.
        divisor_override: divide the sums by this instead.

    Raises:
        RuntimeError: if the windows do not fit the input, or the divisor is zero.
    """


@of_planes(
    dtypes=AVERAGED,
    linear="self",
    node="AvgPool2DBackward0",
    native=kernels.direct_function("avg_pool2d"),
    kernel="avg_pool2d",
)
@describes(MEANS, **PLANE)
def avg_pool2d(
    self: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Mean of each window.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.avg_pool2d(wg.arange(4.0).reshape(1, 1, 2, 2), 2)
        tensor([[[[1.5000]]]])
    """
    kernel, step, side = average_window("avg_pool2d", self.shape, 2, (kernel_size, stride, padding), ceil_mode)
    check_divisor("avg_pool2d", divisor_override)
    refuse_dtype("avg_pool2d", self, AVERAGED)
    options = (bool(ceil_mode), bool(count_include_pad), divisor_override)
    if self.dtype == np.int64:
        return np.trunc(kernels.avg_pool2d(self.astype(np.float64), kernel, step, side, *options)).astype(np.int64)
    return kernels.avg_pool2d(compact(self), kernel, step, side, *options)


avg_pool2d.shows(kernel_size="as pair", stride="as pair", padding="as pair")


@avg_pool2d.vjp("self")
def avg_pool2d_vjp(
    grad: Any,
    self: Any,
    self_shape: Any,
    self_strides: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    grad = in_order_of(grad, (self_shape, self_strides))
    return avg_pool2d_backward(
        grad, self_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, self
    )


@avg_pool2d.samples
def avg_pool2d_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 6, 5), 2)
    yield Sample(make(3, 6, 5), (3, 2), 2, (1, 0), True, False)
    yield Sample(make(1, 2, 4, 4), 2, divisor_override=3)
    yield Bad(
        make(1, 3, 4, 4), 3, padding=2, raises=RuntimeError, says="pad should be at most half of effective kernel size"
    )
    yield Bad(make(1, 3, 4, 4), 2, divisor_override=0, raises=RuntimeError, says="divisor must be not zero")
    yield Bad(make(1, 1, 4, 4), 2**62, padding=2**61, raises=RuntimeError, says="type int without overflow")
    yield Bad(make(1, 1, 4, 4), 2, 2**64, raises=ValueError, says="Overflow when unpacking long long")


@flat_in_place
@onto_planes(dtypes=REALS, node="AvgPool2DBackwardBackward0")
def avg_pool2d_backward(
    grad: Array,
    shape: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    place: Array = None,
) -> Any:
    """Transpose of `avg_pool2d`: a tensor of `shape`."""
    refuse_dtype("avg_pool2d_backward", grad, REALS)
    kernel, step, side = average_window("avg_pool2d", shape, 2, (kernel_size, stride, padding), ceil_mode)
    options = (bool(ceil_mode), bool(count_include_pad), divisor_override)
    return kernels.avg_pool2d_backward(compact(grad), tuple(shape), kernel, step, side, *options)


@avg_pool2d_backward.vjp("grad")
def avg_pool2d_backward_vjp(
    cotangent: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    return avg_pool2d(cotangent, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@avg_pool2d_backward.samples
def avg_pool2d_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 2), (2, 6, 5), 2, None, 0, False, True, None)
    yield Sample(make(2, 3, 2), (2, 6, 5), 2, None, 0, False, True, None, make(2, 6, 5))


def divisors(shape: Ints, kernel: Ints, step: Ints, side: Ints, options: tuple[bool, bool, Any]) -> Any:
    """Return the divisor of the sum of each window, (depth, height, width)."""
    ceil_mode, include_pad, override = options
    sizes = window_counts(shape, kernel, step, side, (1, 1, 1), ceil_mode)
    if override is not None:
        return np.full(sizes, override)
    counts = [places_counted(*window, include_pad) for window in zip(shape[-3:], sizes, kernel, step, side)]
    return counts[0][:, None, None] * counts[1][:, None] * counts[2]


@of_volumes(dtypes=AVERAGED, linear="self", node="AvgPool3DBackward0")
@describes(MEANS, **VOLUME)
def avg_pool3d(
    self: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Mean of each window.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.avg_pool3d(wg.ones(1, 1, 2, 2, 2), 2)
        tensor([[[[[1.]]]]])
    """
    kernel, step, side = average_window("avg_pool3d", self.shape, 3, (kernel_size, stride, padding), ceil_mode)
    check_divisor("avg_pool3d", divisor_override)
    refuse_dtype("avg_pool3d_out_frame", self, AVERAGED)
    options = (bool(ceil_mode), bool(count_include_pad), divisor_override)
    count = divisors(self.shape, kernel, step, side, options)
    if 0 in self.shape:
        return np.empty((*self.shape[:-3], *count.shape), self.dtype)
    wide = np.dtype(np.float64 if self.dtype == np.int64 else self.dtype)
    x, sums = self.astype(wide, copy=False), (options[0], True, 1)
    planes = kernels.avg_pool2d(stacked(x), kernel[1:], step[1:], side[1:], *sums)
    total = kernels.avg_pool2d(columns(planes), (kernel[0], 1), (step[0], 1), (side[0], 0), *sums)
    mean = total.reshape(*self.shape[:-3], *count.shape) / count.astype(wide)
    return (np.trunc(mean) if self.dtype == np.int64 else mean).astype(self.dtype, copy=False)


avg_pool3d.shows(kernel_size="as triple", stride="as triple", padding="as triple")


@avg_pool3d.vjp("self")
def avg_pool3d_vjp(
    grad: Any,
    self: Any,
    self_shape: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return avg_pool3d_backward(grad, self_shape, *options, self)


@avg_pool3d.samples
def avg_pool3d_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 4, 3, 5), 2)
    yield Sample(make(2, 5, 4, 3), (3, 2, 1), 2, (1, 0, 0), True, False)
    yield Sample(make(1, 1, 4, 2, 3), 2, divisor_override=3)
    yield Sample(make(0, 1, 4, 2, 3), 2)
    yield Bad(make(1, 1, 4, 4, 4), 2, divisor_override=0, raises=RuntimeError, says="divisor must be not zero")
    yield Bad(
        make(1, 1, 2, 2, 2), 3, padding=1, raises=RuntimeError, says="smaller than kernel size (kT: 3 kH: 3 kW: 3)"
    )
    yield Bad(make(1, 1, 4, 4, 4), 2**62, raises=RuntimeError, says="type int without overflow")
    yield Bad(make(1, 1, 4, 4, 4), 2, (1, 2), raises=RuntimeError, says="be omitted, a single int, or a tuple of three")


@flat_in_place
@onto_volumes(dtypes=REALS, node="AvgPool3DBackwardBackward0")
def avg_pool3d_backward(
    grad: Array,
    shape: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    place: Array = None,
) -> Any:
    """Transpose of `avg_pool3d`: a tensor of `shape`."""
    refuse_dtype("avg_pool3d_backward", grad, REALS)
    kernel, step, side = average_window("avg_pool3d", shape, 3, (kernel_size, stride, padding), ceil_mode)
    options = (bool(ceil_mode), bool(count_include_pad), divisor_override)
    if 0 in shape:
        return np.zeros(shape, grad.dtype)
    share = grad / divisors(shape, kernel, step, side, options).astype(grad.dtype)
    sums, (depth, height, width), (rows, along) = (options[0], True, 1), shape[-3:], grad.shape[-2:]
    lines = columns(share)
    spread_out = ((len(lines), depth, rows * along), (kernel[0], 1), (step[0], 1), (side[0], 0))
    planes = kernels.avg_pool2d_backward(lines, *spread_out, *sums).reshape(-1, depth, rows, along)
    volumes = (len(planes), depth, height, width)
    result = kernels.avg_pool2d_backward(planes, volumes, kernel[1:], step[1:], side[1:], *sums)
    return result.reshape(shape).astype(grad.dtype, copy=False)


@avg_pool3d_backward.vjp("grad")
def avg_pool3d_backward_vjp(
    cotangent: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    return avg_pool3d(cotangent, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@avg_pool3d_backward.samples
def avg_pool3d_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 1, 2), (2, 4, 3, 5), 2, None, 0, False, True, None)
    yield Sample(make(2, 2, 1, 2), (2, 4, 3, 5), 2, None, 0, False, True, None, make(2, 4, 3, 5))


# ---- gradients of maxima under torch's names (`torch.ops.aten.max_pool2d_with_indices_backward`) -------------------


def check_places(kernel: str, grad_output: Tensor, indices: Tensor) -> None:
    """Refuse a gradient that is not floating-point, and one without an index for each element.

    Raises:
        NotImplementedError: if the dtype of the gradient is not a real floating-point one.
        RuntimeError: if the shapes differ.
    """
    refuse_dtype(kernel, grad_output._array_, REALS)
    if grad_output.shape != indices.shape:
        raise RuntimeError(
            f"{kernel}: Expected grad_output of the shape {shown(indices.shape)} of indices, but got "
            f"{shown(grad_output.shape)}"
        )


SECTIONS = """
    Args:
        grad_output: gradient of the result of `max_pool{dims}d`.
        self: input of `max_pool{dims}d`; only its shape is used.
        kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool{dims}d`; those that computed `indices`.
        indices: indices of the maxima in their {where}.

    Returns:
        A new tensor of the shape of `self`.

    Raises:
        RuntimeError: if gradient and indices differ in shape.
    """


@composite(method=False, function=False)
@describes(SECTIONS, dims="2", where="planes")
def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Numbers,
    stride: Numbers,
    padding: Numbers,
    dilation: Numbers,
    ceil_mode: bool,
    indices: Tensor,
) -> Any:
    """Gradient of `max_pool2d`: each element of `grad_output` at the index of the maximum."""
    check_places("max_pool2d_backward", grad_output, indices)
    return scatter_planes(grad_output, indices, tuple(self.shape), "", self)


@composite(method=False, function=False)
@describes(SECTIONS, dims="3", where="volumes")
def max_pool3d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Numbers,
    stride: Numbers,
    padding: Numbers,
    dilation: Numbers,
    ceil_mode: bool,
    indices: Tensor,
) -> Any:
    """Gradient of `max_pool3d`: each element of `grad_output` at the index of the maximum."""
    check_places("max_pool3d_backward", grad_output, indices)
    return scatter_volumes(grad_output, indices, tuple(self.shape), "", self)


@max_pool2d_with_indices_backward.samples
def planes_samples(make: Any) -> Any:
    x = make(2, 4, 4)
    if x.dtype.is_complex or not x.dtype.is_floating_point:
        return
    _, indices = max_pool2d_with_indices(x.detach(), 2)
    yield Sample(make(2, 2, 2), x, 2, 2, 0, 1, False, indices)
    yield Bad(
        make(2, 1, 2), x, 2, 2, 0, 1, False, indices, raises=RuntimeError, says="Expected grad_output of the shape"
    )


@max_pool3d_with_indices_backward.samples
def volumes_samples(make: Any) -> Any:
    x = make(1, 2, 4, 4)
    if x.dtype.is_complex or not x.dtype.is_floating_point:
        return
    _, indices = max_pool3d_with_indices(x.detach(), 2)
    yield Sample(make(1, 1, 2, 2), x, 2, 2, 0, 1, False, indices)
