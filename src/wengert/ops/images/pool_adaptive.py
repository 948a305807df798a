"""Adaptive pooling: windows chosen so that the result has a given size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import INTEGERS, REALS, Array, Bad, Sample, op
from ..._core.errors import shown
from ..._core.operators.batch_rules import folded
from ..._core.types.sizes import check_room
from ..create.factory import refuse_dtype
from ..memory.memory_formats import in_order_of
from .pool import gather_planes, scatter_planes

Ints = tuple[int, ...]


def window_bounds(length: int, count: int) -> tuple[Any, Any]:
    """Where each of `count` windows starts and ends along an axis; neighbours may overlap by one element."""
    at = np.arange(count)
    return at * length // max(count, 1), -(-(at + 1) * length // max(count, 1))


def largest_along(x: Any, count: int) -> tuple[Any, Any]:
    """The largest element of each of `count` windows along the last axis, and its place there.

    The first of equals, but the last NaN, as in torch.
    """
    starts, ends = window_bounds(x.shape[-1], count)
    longest = int((ends - starts).max(initial=0))
    if longest > count:  # few long windows
        places = np.empty((*x.shape[:-1], count), np.int64)
        for at in range(count):
            places[..., at] = starts[at] + last_of_largest(x[..., starts[at] : ends[at]])
        return np.take_along_axis(x, places, -1), places
    best, places = x[..., starts], np.broadcast_to(starts, (*x.shape[:-1], count))
    for tap in range(1, longest):
        place = np.minimum(starts + tap, ends - 1)
        value = x[..., place]
        better = (value > best) | (value != value)
        best, places = np.where(better, value, best), np.where(better, place, places)
    return best, places


def last_of_largest(x: Any) -> Any:
    """Where the largest element along the last axis lies: the first of equals, the last NaN."""
    found = x.argmax(-1)
    missing = x != x
    if missing.any():
        found = np.where(missing.any(-1), x.shape[-1] - 1 - missing[..., ::-1].argmax(-1), found)
    return found


def averaging(length: int, count: int, dtype: Any) -> Any:
    """The matrix (count, length) that takes the mean of each window."""
    starts, ends = window_bounds(length, count)
    at = np.arange(length)
    inside = (at >= starts[:, None]) & (at < ends[:, None])
    return inside / np.maximum(ends - starts, 1)[:, None].astype(dtype)


def mean_along(x: Any, count: int) -> Any:
    """The mean of each of `count` windows along the last axis."""
    starts, ends = window_bounds(x.shape[-1], count)
    total = np.zeros((*x.shape[:-1], count), x.dtype)
    for tap in range(int((ends - starts).max(initial=0))):
        place = starts + tap
        total += np.where(place < ends, x[..., np.minimum(place, ends - 1)], 0)
    return total / (ends - starts).astype(x.dtype)


def check_adaptive(name: str, shape: Ints, output_size: Any) -> tuple[int, int]:
    """The size of the result; None stands for that of the input.

    Raises:
        RuntimeError: it is no pair of numbers from 0, or the input has neither 3 nor 4 dimensions, or an empty one.
    """
    if not isinstance(output_size, (tuple, list)):
        output_size = (output_size, output_size)
    if len(output_size) != 2:
        raise RuntimeError(f"{name}: output_size must be 2, got {len(output_size)} numbers")
    if len(shape) not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got {shown(shape)}")
    for dim in range(len(shape) - 2, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{shown(shape)} with dimension {dim} being empty"
            )
    size = [shape[at - 2] if output_size[at] is None else int(output_size[at]) for at in (0, 1)]
    if min(size) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{size[0]}, {size[1]}}}"
        )
    made = (*shape[:-2], *size)
    check_room(name, made)
    return size[0], size[1]


@op(
    layout="suggested",
    dtypes=REALS,
    linear="self",
    batching=folded(3, most=4),
    node="AdaptiveAvgPool2DBackward0",
    method=False,
    function=False,
)
def adaptive_average(self: Array, output_size: Any) -> Any:
    """Mean of each of the windows that divide the planes into `output_size` rows and columns."""
    rows, columns = check_adaptive("adaptive_avg_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_avg_pool2d", self, REALS)
    wide = np.float64 if self.dtype == np.float64 else np.float32
    x = self.astype(wide, copy=False)
    if not np.isfinite(x).all():  # in the products below every window would meet them
        means = mean_along(mean_along(x, columns).swapaxes(-1, -2), rows).swapaxes(-1, -2)
        return np.ascontiguousarray(means).astype(self.dtype, copy=False)
    down, along = averaging(self.shape[-2], rows, wide), averaging(self.shape[-1], columns, wide)
    return (down @ x @ along.T).astype(self.dtype, copy=False)


@adaptive_average.vjp("self")
def adaptive_average_vjp(grad: Any, self_shape: Any, self_strides: Any) -> Any:
    return adaptive_average_backward(in_order_of(grad, (self_shape, self_strides)), self_shape)


@adaptive_average.samples
def adaptive_average_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
    yield Bad(make(1, 5, 4), -1, raises=RuntimeError, says="greater than or equal to 0 but received {-1, -1}")


@op(
    layout="suggested",
    dtypes=REALS,
    linear="grad",
    batching=folded(3, shape="shape"),
    node="AdaptiveAvgPool2DBackwardBackward0",
    method=False,
    function=False,
)
def adaptive_average_backward(grad: Array, shape: Any) -> Any:
    """The transpose of `adaptive_average`: a tensor of `shape`."""
    refuse_dtype("adaptive_avg_pool2d_backward", grad, REALS)
    wide = np.float64 if grad.dtype == np.float64 else np.float32
    down, along = (averaging(shape[at], grad.shape[at], wide) for at in (-2, -1))
    return (down.T @ grad.astype(wide, copy=False) @ along).astype(grad.dtype, copy=False)


@adaptive_average_backward.vjp("grad")
def adaptive_average_backward_vjp(cotangent: Any, grad_shape: Any) -> Any:
    return adaptive_average(cotangent, grad_shape[-2:])


@adaptive_average_backward.samples
def adaptive_average_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 3, 2), (2, 3, 5, 4))


@op(
    layout="suggested",
    dtypes=REALS | INTEGERS,
    batching=folded(3, most=4),
    outputs=("values", "indices"),
    differentiable=(True, False),
    node="AdaptiveMaxPool2DBackward0",
    method=False,
    function=False,
)
def adaptive_maximum(self: Array, output_size: Any) -> Any:
    """The largest element of each of the windows that divide the planes into `output_size` rows and columns, and
    its place."""
    rows, columns = check_adaptive("adaptive_max_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_max_pool2d", self, REALS | INTEGERS)
    values = np.empty((*self.shape[:-2], rows, columns), self.dtype)  # or MemoryError, before any work
    best, column = largest_along(self, columns)  # within each row, then among the rows
    best, row = largest_along(best.swapaxes(-1, -2), rows)
    values[...], row = best.swapaxes(-1, -2), row.swapaxes(-1, -2)
    return values, row * self.shape[-1] + np.take_along_axis(column, row, -2)


@adaptive_maximum.vjp("self")
def adaptive_maximum_vjp(grads: Any, indices: Any, self_shape: Any, self_strides: Any) -> Any:
    return scatter_planes(in_order_of(grads[0], (self_shape, self_strides)), indices, self_shape)


@adaptive_maximum.jvp("self")
def adaptive_maximum_jvp(tangent: Any, indices: Any) -> Any:
    return gather_planes(tangent, indices), None


adaptive_maximum.nodes.shown["result1"] = "indices"


@adaptive_maximum.samples
def adaptive_maximum_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(1, 1, 2, 3), (7, 5))
    yield Sample(make(1, 9, 8), (1, 2))
    yield Bad(make(1, 4, 4), 2**40, raises=RuntimeError, says="Storage size calculation overflowed")
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
