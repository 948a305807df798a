"""Pooling of planes: the maximum or the mean of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import ALL, INTEGERS, REALS, Array, Bad, Index, Sample, nodes, op
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.types import dtypes
from ..._kernels.index import private
from ..create.factory import refuse_dtype
from ..memory.memory_formats import in_order_of
from .windows import check_divisor, check_window, compact, pair, window_counts
from .zero_derivatives import SCATTERED, SCATTERS, flat_in_place

Ints = tuple[int, ...]
ORDERED = REALS | INTEGERS
AVERAGED = REALS | {dtypes.int64}


@op(
    layout="suggested",
    dtypes=ORDERED,
    batching=folded(3, most=4),
    outputs={"values": True, "indices": False},
    node="MaxPool2DWithIndicesBackward0",
    public="neither",
    native=kernels.direct_function("max_pool2d_with_indices"),
    kernel="max_pool2d",
)
def max_pool2d_with_indices(
    self: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Maximum of each window, and its index in the plane (the first of equals)."""
    name = "max_pool2d"
    kernel = pair(name, "kernel_size", kernel_size)
    step, side, gap = (
        pair(name, "stride", stride, kernel),
        pair(name, "padding", padding),
        pair(name, "dilation", dilation),
    )
    check_window(name, self.shape, kernel, step, side, gap, ceil_mode)
    refuse_dtype("max_pool2d_with_indices", self, ORDERED)
    if 0 in self.shape:
        shape = (*self.shape[:-2], *window_counts(self.shape, kernel, step, side, gap, ceil_mode))
        return np.empty(shape, self.dtype), np.empty(shape, np.int64)
    return kernels.max_pool2d(compact(self), kernel, step, side, gap, bool(ceil_mode))


@max_pool2d_with_indices.vjp("self")
def max_pool2d_with_indices_vjp(grads: Any, indices: Any, self: Any, self_shape: Any, self_strides: Any) -> Any:
    return scatter_planes(in_order_of(grads[0], (self_shape, self_strides)), indices, self_shape, "", self)


@max_pool2d_with_indices.jvp("self")
def max_pool2d_with_indices_jvp(tangent: Any, indices: Any) -> Any:
    return gather_planes(tangent, indices), None


max_pool2d_with_indices.nodes.shown["result1"] = "indices"


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


@flat_in_place
@op(
    layout="suggested",
    dtypes=ALL,
    linear="grad",
    batching=folded(3, shape="shape"),
    public="neither",
    node=nodes(*SCATTERED, by=lambda args: SCATTERS.index(args[3])),
)
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


@op(dtypes=ALL, linear="self", batching=folded(2), public="neither")
def gather_planes(self: Array, indices: Index) -> Any:
    """Elements of `self` at `indices`, plane by plane."""
    refuse_dtype("gather_planes", self, ALL)
    lead = indices.shape[:-2]
    flat = self.reshape(*lead, self.shape[-2] * self.shape[-1])
    picked = np.take_along_axis(flat, private(indices).reshape(*lead, indices.shape[-2] * indices.shape[-1]), -1)
    return picked.reshape(indices.shape)


@gather_planes.vjp("self")
def gather_planes_vjp(grad: Any, indices: Any, self_shape: Any) -> Any:
    return scatter_planes(grad, indices, self_shape)


@gather_planes.samples
def gather_planes_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(1, 2, 3), tensor([[[0, 3], [3, 5]]]))


@op(
    layout="suggested",
    dtypes=AVERAGED,
    linear="self",
    batching=folded(3, most=4),
    node="AvgPool2DBackward0",
    name="avg_pool2d",
    public="neither",
    native=kernels.direct_function("avg_pool2d"),
    kernel="avg_pool2d",
)
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

    Args:
        self: (N, C, H, W) or (C, H, W), floating.
        kernel_size: rows and columns of the window; a number or a pair.
        stride: step between windows; `kernel_size` by default.
        padding: zeros around each plane, at most half the window.
        ceil_mode: whether a last window may extend beyond the end.
        count_include_pad: whether padding counts as elements.
        divisor_override: divide the sums by this instead.

    Raises:
        RuntimeError: if the windows do not fit the input, or the divisor is zero.
    """
    kernel, step, side = average_window(self.shape, kernel_size, stride, padding, ceil_mode)
    check_divisor("avg_pool2d", divisor_override)
    refuse_dtype("avg_pool2d", self, AVERAGED)
    options = (bool(ceil_mode), bool(count_include_pad), divisor_override)
    if self.dtype == np.int64:
        return np.trunc(kernels.avg_pool2d(self.astype(np.float64), kernel, step, side, *options)).astype(np.int64)
    return kernels.avg_pool2d(compact(self), kernel, step, side, *options)


avg_pool2d.shows(kernel_size="as pair", stride="as pair", padding="as pair")


def average_window(shape: Ints, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool) -> tuple[Any, Any, Any]:
    """Return kernel, stride and padding of `avg_pool2d`, checked."""
    name = "avg_pool2d"
    kernel = pair(name, "kernel_size", kernel_size)
    step, side = pair(name, "stride", stride, kernel), pair(name, "padding", padding)
    if len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got -3): "
            f"avg_pool2d takes 3D or 4D input, not {shown(shape)}"
        )
    check_window(name, shape, kernel, step, side, (1, 1), ceil_mode)
    return kernel, step, side


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
@op(
    layout="suggested",
    dtypes=REALS,
    linear="grad",
    batching=folded(3, shape="shape"),
    node="AvgPool2DBackwardBackward0",
    public="neither",
)
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
    kernel, step, side = average_window(shape, kernel_size, stride, padding, ceil_mode)
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
