"""Adaptive pooling: windows chosen for a given size of the result."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import check_members
from ..._core.cards.card import INTEGERS, REALS, Array, Bad, Sample
from ..._core.errors import shown
from ..._core.operators.declaration import is_whole
from ..._core.types.sizes import check_room
from ..._kernels import direct_function as native, positions
from ..create.factory import refuse_dtype
from ..memory.memory_formats import in_order_of
from ..memory.room import check_memory
from .pool import (
    gather_planes,
    gather_volumes,
    of_maxima,
    of_planes,
    of_volumes,
    onto_planes,
    onto_volumes,
    scatter_planes,
    scatter_volumes,
)
from .zero_derivatives import flat_in_place, without_place

Ints = tuple[int, ...]
FEW = 4096
"""Largest size up to which matrices, and places of the elements of windows, are cached."""


def window_bounds(length: int, count: int) -> tuple[Any, Any]:
    """Return start and end of each of `count` windows along an axis; neighbours may overlap by one element."""
    at = positions.arange(count)
    return at * length // max(count, 1), -(-(at + 1) * length // max(count, 1))


def largest_along(x: Any, count: int) -> tuple[Any, Any]:
    """Return the maximum of each of `count` windows along the last axis, and its index there.

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
    """Index of the maximum along the last axis: the first of equals, the last NaN."""
    places = positions.argmax(x, -1)
    missing = x != x
    if missing.any():
        places = np.where(missing.any(-1), x.shape[-1] - 1 - positions.argmax(missing[..., ::-1], -1), places)
    return places


def averaging(length: int, count: int, dtype: Any) -> Any:
    """Return the matrix (count, length) that computes the mean of each window."""
    make = averaging_few if length * count <= FEW else averaging_any
    return make(length, count, dtype)


@lru_cache(maxsize=256)
def averaging_few(length: int, count: int, dtype: Any) -> Any:
    """`averaging`, cached, and therefore read-only."""
    matrix = averaging_any(length, count, dtype)
    matrix.flags.writeable = False
    return matrix


def averaging_any(length: int, count: int, dtype: Any) -> Any:
    """`averaging`, computed anew."""
    starts, ends = window_bounds(length, count)
    at = positions.arange(length)
    inside = (at >= starts[:, None]) & (at < ends[:, None])
    return inside / np.maximum(ends - starts, 1)[:, None].astype(dtype)


def along_depth(matrix: Any, x: Any) -> Any:
    """Multiply volumes (..., D, H, W) by a matrix along their depth."""
    flat = x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
    return (matrix @ flat).reshape(*x.shape[:-3], len(matrix), *x.shape[-2:])


def mean_along(x: Any, count: int) -> Any:
    """Mean of each of `count` windows along the last axis."""
    starts, ends = window_bounds(x.shape[-1], count)
    total = np.zeros((*x.shape[:-1], count), x.dtype)
    for tap in range(int((ends - starts).max(initial=0))):
        place = starts + tap
        total += np.where(place < ends, x[..., np.minimum(place, ends - 1)], 0)
    return total / (ends - starts).astype(x.dtype)


def averaged(x: Any, sizes: Ints) -> Any:
    """Mean of each of the windows that divide the last axes into `sizes`."""
    result = x.astype(np.float64 if x.dtype == np.float64 else np.float32, copy=False)
    if not np.isfinite(result).all():  # in the products below they would reach all windows
        for axis, size in zip(range(-len(sizes), 0), sizes):
            result = mean_along(result.swapaxes(axis, -1), size).swapaxes(axis, -1)
        return np.ascontiguousarray(result).astype(x.dtype, copy=False)
    matrices = [averaging(*lengths, result.dtype) for lengths in zip(x.shape[-len(sizes) :], sizes)]
    result = matrices[-2] @ result @ matrices[-1].T
    result = result if len(sizes) == 2 else along_depth(matrices[0], result)
    return result.astype(x.dtype, copy=False)


def spread_over(grad: Any, shape: Ints, count: int) -> Any:
    """Transpose of `averaged` along the last `count` axes: an array of `shape`."""
    result = grad.astype(np.float64 if grad.dtype == np.float64 else np.float32, copy=False)
    matrices = [averaging(*lengths, result.dtype) for lengths in zip(shape[-count:], grad.shape[-count:])]
    result = result if count == 2 else along_depth(matrices[0].T, result)
    return (matrices[-2].T @ result @ matrices[-1]).astype(grad.dtype, copy=False)


@lru_cache(maxsize=256)
def few_windows(shape: Ints, sizes: Ints) -> Any:
    """Indices of the elements of each window in the flat axes, (windows, elements), ascending; some repeat."""
    count, longest = len(sizes), 1
    places: Any = 0
    for at, (length, size) in enumerate(zip(shape, sizes)):
        starts, ends = window_bounds(length, size)
        taps = np.minimum(starts[:, None] + positions.arange((ends - starts).max()), ends[:, None] - 1)
        longest *= taps.shape[1]
        ending = (1,) * (count - 1 - at)
        places = places * length + taps.reshape(size, *(1,) * (count - 1), taps.shape[1], *ending)
    places = places.reshape(math.prod(sizes), longest)
    places.flags.writeable = False
    return places


def largest_of_few(x: Any, sizes: Ints) -> tuple[Any, Any]:
    """`largest` for small arrays: all windows are gathered at once."""
    count = len(sizes)
    places = few_windows(x.shape[-count:], sizes)
    out_shape = (*x.shape[:-count], *sizes)
    gathered = positions.take(x.reshape(-1, math.prod(x.shape[-count:])), places, 1)
    largest = last_of_largest(gathered)
    windows = positions.arange(largest.size)
    values = positions.take(gathered.reshape(-1), windows * places.shape[1] + largest.reshape(-1))
    index = positions.take(places.reshape(-1), positions.arange(len(places)) * places.shape[1] + largest)
    return values.reshape(out_shape), index.reshape(out_shape)


def largest(x: Any, sizes: Ints) -> tuple[Any, Any]:
    """Maximum of each of the windows that divide the last axes into `sizes`, and its index in these."""
    if x.size * math.prod(sizes) <= FEW and x.size and min(sizes):  # a window has at most as many as the axis
        return largest_of_few(x, sizes)
    values = np.empty((*x.shape[: -len(sizes)], *sizes), x.dtype)  # raises MemoryError before any work
    best, index = largest_along(x, sizes[-1])  # within each row, then among the rows, then among the planes
    area = x.shape[-1]
    for axis, size in zip(range(-2, -len(sizes) - 1, -1), sizes[-2::-1]):
        best, place = largest_along(best.swapaxes(axis, -1), size)
        best, place = best.swapaxes(axis, -1), place.swapaxes(axis, -1)
        index = place * area + np.take_along_axis(index, place, axis)
        area *= x.shape[axis]
    values[...] = best
    return values, index


def check_adaptive(name: str, shape: Ints, output_size: Any, count: int = 2, *, computed: bool = True) -> Ints:
    """Return the size of the result; None stands for that of the input.

    Args:
        computed: what is computed must have room in memory.

    Raises:
        TypeError: if `output_size` is not of integers.
        RuntimeError: if it is not `count` non-negative numbers, or the input has another number of dimensions, or an
            empty one.
    """
    if not isinstance(output_size, (tuple, list)):
        if not is_whole(output_size):
            raise TypeError(errors.wrong_type(name, "output_size", 2, "tuple of ints", output_size))
        output_size = (output_size,) * count
    check_members(name, "output_size", output_size, optional=True)
    largest_wanted = name.startswith("adaptive_max")
    if len(output_size) != count:
        says = "(): internal error: output_size.size() must be" if largest_wanted else ": output_size must be"
        raise RuntimeError(f"{name}{says} {count}, got {len(output_size)} numbers")
    if len(shape) not in (count + 1, count + 2):
        raise RuntimeError(f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got {shown(shape)}")
    for dim in range(len(shape) - 2 if name == "adaptive_avg_pool2d" else 1, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{shown(shape)} with dimension {dim} being empty"
            )
    size = tuple([length if wanted is None else int(wanted) for length, wanted in zip(shape[-count:], output_size)])
    out_shape = (*shape[:-count], *size)
    if min(size) < 0 and largest_wanted:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {shown(out_shape)} in {name}")
    if min(size) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, size))}}}"
        )
    check_room(name, out_shape)
    if min(size) > 0 and computed:
        check_memory(name, out_shape, 4, PLACES * sum(size))
    return size


PLACES = 24
"""Bytes in tables for each window along a dimension: its ends and its index."""


def check_grad_output(name: str, shape: Ints) -> None:
    """Refuse the gradient of a result without elements, as torch does: empty windows have no backward.

    Raises:
        RuntimeError: if a dimension other than that of the batch is empty.
    """
    for dim in range(1, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {shown(shape)} with dimension {dim} being empty"
            )


@of_planes(
    dtypes=REALS,
    linear="self",
    node="AdaptiveAvgPool2DBackward0",
    native=native("adaptive_average"),
    kernel="adaptive_avg_pool2d",
)
def adaptive_average(self: Array, output_size: Any) -> Any:
    """Mean of each of the windows that divide planes into `output_size` rows and columns."""
    sizes = check_adaptive("adaptive_avg_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_average", self, REALS)
    return averaged(self, sizes)


@adaptive_average.vjp("self")
def adaptive_average_vjp(grad: Any, self: Any, self_shape: Any, self_strides: Any) -> Any:
    check_grad_output("adaptive_avg_pool2d_backward", grad.shape)
    return adaptive_average_backward(in_order_of(grad, (self_shape, self_strides)), self_shape, self)


@adaptive_average.samples
def adaptive_average_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
    yield Bad(make(1, 5, 4), -1, raises=RuntimeError, says="greater than or equal to 0 but received {-1, -1}")


@flat_in_place
@onto_planes(
    dtypes=REALS, node="AdaptiveAvgPool2DBackwardBackward0", native=without_place(native("adaptive_average_backward"))
)
def adaptive_average_backward(grad: Array, shape: Any, place: Array = None) -> Any:
    """Transpose of `adaptive_average`: a tensor of `shape`."""
    refuse_dtype("adaptive_avg_pool2d_backward", grad, REALS)
    return spread_over(grad, shape, 2)


@adaptive_average_backward.vjp("grad")
def adaptive_average_backward_vjp(cotangent: Any, grad_shape: Any) -> Any:
    return adaptive_average(cotangent, grad_shape[-2:])


@adaptive_average_backward.samples
def adaptive_average_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 3, 2), (2, 3, 5, 4))
    yield Sample(make(2, 3, 3, 2), (2, 3, 5, 4), make(2, 3, 5, 4))


@of_volumes(dtypes=REALS, linear="self", node="AdaptiveAvgPool3DBackward0")
def adaptive_average3d(self: Array, output_size: Any) -> Any:
    """Mean of each of the windows that divide volumes into `output_size` depths, rows and columns."""
    sizes = check_adaptive("adaptive_avg_pool3d", self.shape, output_size, 3)
    refuse_dtype("adaptive_avg_pool3d_cpu", self, REALS)
    return averaged(self, sizes)


@adaptive_average3d.vjp("self")
def adaptive_average3d_vjp(grad: Any, self: Any, self_shape: Any) -> Any:
    check_grad_output("adaptive_avg_pool3d_backward", grad.shape)
    return adaptive_average3d_backward(grad, self_shape, self)


@adaptive_average3d.samples
def adaptive_average3d_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 4, 5, 3), (3, 2, 1))
    yield Sample(make(2, 2, 5, 4), (None, 7, 2))
    yield Bad(make(2, 5, 4), 2, raises=RuntimeError, says="Expected 4D or 5D tensor, but got [2, 5, 4]")
    yield Bad(make(1, 2, 5, 4), (2, 2), raises=RuntimeError, says="adaptive_avg_pool3d: output_size must be 3")


@flat_in_place
@onto_volumes(dtypes=REALS, node="AdaptiveAvgPool3DBackwardBackward0")
def adaptive_average3d_backward(grad: Array, shape: Any, place: Array = None) -> Any:
    """Transpose of `adaptive_average3d`: a tensor of `shape`."""
    refuse_dtype("adaptive_avg_pool3d_backward", grad, REALS)
    return spread_over(grad, shape, 3)


@adaptive_average3d_backward.vjp("grad")
def adaptive_average3d_backward_vjp(cotangent: Any, grad_shape: Any) -> Any:
    return adaptive_average3d(cotangent, grad_shape[-3:])


@adaptive_average3d_backward.samples
def adaptive_average3d_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 2, 2), (2, 5, 4, 3))
    yield Sample(make(2, 3, 2, 2), (2, 5, 4, 3), make(2, 5, 4, 3))


@of_maxima(scatter_planes, gather_planes, "Adaptive", check=partial(check_grad_output, "adaptive_max_pool2d_backward"))
@of_planes(
    dtypes=REALS | INTEGERS,
    outputs={"values": True, "indices": False},
    node="AdaptiveMaxPool2DBackward0",
    native=native("adaptive_maximum"),
    kernel="adaptive_max_pool2d",
)
def adaptive_maximum(self: Array, output_size: Any) -> Any:
    """Maximum of each of the windows that divide planes into `output_size` rows and columns, and its index in the
    plane."""
    sizes = check_adaptive("adaptive_max_pool2d", self.shape, output_size)
    refuse_dtype("adaptive_maximum", self, REALS | INTEGERS)
    return largest(self, sizes)


@adaptive_maximum.samples
def adaptive_maximum_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 5, 4), (3, 2))
    yield Sample(make(1, 1, 2, 3), (7, 5))
    yield Sample(make(1, 9, 8), (1, 2))
    yield Bad(make(1, 4, 4), 2**40, raises=RuntimeError, says="Storage size calculation overflowed")
    yield Sample(make(3, 5, 4), (None, 7))
    yield Bad(make(5, 4), 2, raises=RuntimeError, says="Expected 3D or 4D tensor, but got [5, 4]")
    yield Bad(make(1, 5, 4), -1, raises=RuntimeError, says="Trying to create tensor with negative dimension -1")


@of_maxima(
    scatter_volumes,
    gather_volumes,
    "Adaptive",
    ordered=False,
    check=partial(check_grad_output, "adaptive_max_pool3d_backward"),
)
@of_volumes(dtypes=REALS, outputs={"values": True, "indices": False}, node="AdaptiveMaxPool3DBackward0")
def adaptive_maximum3d(self: Array, output_size: Any) -> Any:
    """Maximum of each of the windows that divide volumes into `output_size` depths, rows and columns, and its index
    in the volume."""
    sizes = check_adaptive("adaptive_max_pool3d", self.shape, output_size, 3)
    refuse_dtype("adaptive_max_pool3d_cpu", self, REALS)
    return largest(self, sizes)


@adaptive_maximum3d.samples
def adaptive_maximum3d_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 4, 5, 3), (3, 2, 1))
    yield Sample(make(1, 2, 3, 2), (1, 5, None))
    yield Bad(make(2, 5, 4), 2, raises=RuntimeError, says="Expected 4D or 5D tensor, but got [2, 5, 4]")
    yield Bad(make(1, 2, 5, 4), (2, 2), raises=RuntimeError, says="output_size.size() must be 3")
