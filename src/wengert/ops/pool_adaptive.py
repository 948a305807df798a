"""Adaptive pooling: windows chosen so that the result has a given size."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.card import INTEGERS, REALS, Array, Bad, Sample, name_saved, op
from .._core.errors import shown
from .factory import refuse_dtype
from .pool import scatter_planes

Ints = tuple[int, ...]


def window_bounds(length: int, count: int) -> tuple[Any, Any]:
    """Where each of `count` windows starts and ends along an axis; neighbours may overlap by one element."""
    at = np.arange(count)
    return at * length // max(count, 1), -(-(at + 1) * length // max(count, 1))


def averaging(length: int, count: int, dtype: Any) -> Any:
    """The matrix (count, length) that takes the mean of each window."""
    starts, ends = window_bounds(length, count)
    at = np.arange(length)
    inside = (at >= starts[:, None]) & (at < ends[:, None])
    return inside / np.maximum(ends - starts, 1)[:, None].astype(dtype)


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
    return size[0], size[1]


@op(dtypes=REALS, linear="self", node="AdaptiveAvgPool2DBackward0", method=False, function=False)
def adaptive_average(self: Array, output_size: Any) -> Any:
    """Mean of each of the windows that divide the planes into `output_size` rows and columns."""
    rows, columns = check_adaptive("adaptive_avg_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_avg_pool2d", self, REALS)
    wide = np.float64 if self.dtype == np.float64 else np.float32
    down, along = averaging(self.shape[-2], rows, wide), averaging(self.shape[-1], columns, wide)
    return (down @ self.astype(wide, copy=False) @ along.T).astype(self.dtype, copy=False)


@adaptive_average.vjp("self")
def adaptive_average_vjp(grad: Any, self_shape: Any) -> Any:
    return adaptive_average_backward(grad, self_shape)


@adaptive_average.samples
def adaptive_average_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
    yield Bad(make(1, 5, 4), -1, raises=RuntimeError, says="greater than or equal to 0 but received {-1, -1}")


@op(dtypes=REALS, linear="grad", node="AdaptiveAvgPool2DBackwardBackward0", method=False, function=False)
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
    dtypes=REALS | INTEGERS,
    outputs=("values", "indices"),
    differentiable=(True, False),
    node="AdaptiveMaxPool2DBackward0",
    method=False,
    function=False,
)
def adaptive_maximum(self: Array, output_size: Any) -> Any:
    """The largest element of each of the windows that divide the planes into `output_size` rows and columns, and "
    "its place."""
    rows, columns = check_adaptive("adaptive_max_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_max_pool2d", self, REALS | INTEGERS)
    shape = (*self.shape[:-2], rows, columns)
    values, indices = np.empty(shape, self.dtype), np.empty(shape, np.int64)
    (top, bottom), (left, right) = window_bounds(self.shape[-2], rows), window_bounds(self.shape[-1], columns)
    for row in range(rows):
        for column in range(columns):
            part = self[..., top[row] : bottom[row], left[column] : right[column]]
            flat = part.reshape(*part.shape[:-2], part.shape[-2] * part.shape[-1])
            found = flat.argmax(-1)
            values[..., row, column] = np.take_along_axis(flat, found[..., None], -1)[..., 0]
            width = part.shape[-1]
            place = (top[row] + found // width) * self.shape[-1] + left[column] + found % width
            indices[..., row, column] = place
    return values, indices


@adaptive_maximum.vjp("self")
def adaptive_maximum_vjp(grads: Any, indices: Any, self_shape: Any) -> Any:
    return scatter_planes(grads[0], indices, self_shape)


name_saved(adaptive_maximum.node_classes, "result1", "indices")


@adaptive_maximum.samples
def adaptive_maximum_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
