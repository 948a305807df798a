"""Writing under a mask or at row-major indices: masked_scatter, put, fill_diagonal_."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.card import WIDE, Array, Bad, Index, InPlace, Sample, op
from ..._core.errors import shown, target_shape
from ..._core.operators.overlap import refuse_shared
from ..._core.tensor.base import wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..._kernels import direct_function as native, positions
from ..._kernels.index import private
from ..create.factory import read_number
from ..memory.overwrite import checked_value
from .index import integers


def kind_of(array: Any) -> str:
    """Name of a dtype in torch's errors, e.g. `Float`."""
    return dtypes.from_numpy(array.dtype).legacy[:-6]


def check_under_mask(target: Any, mask: Any, source: Any) -> None:
    """Check the dtypes of `masked_scatter`.

    Raises:
        RuntimeError: if the dtypes differ, or the mask is not bool.
    """
    if target.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {kind_of(target)} and "
            f"{kind_of(source)}"
        )
    if mask.dtype != np.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {kind_of(mask)}")


def write_under_mask(target: Any, mask: Any, source: Any) -> None:
    """Write consecutive elements of `source` where the mask holds."""
    check_under_mask(target, mask, source)
    common = broadcast(target.shape, mask.shape)
    if common != target.shape:
        raise RuntimeError(target_shape(target.shape, common))
    where = private(np.broadcast_to(mask, common))
    count = int(np.count_nonzero(where))
    if count > source.size:
        raise RuntimeError(
            f"masked_scatter: Number of elements of source < number of ones in mask ({source.size} < {count})"
        )
    target[where] = source.reshape(-1)[:count]


@op(
    dtypes=WIDE,
    inplace=InPlace(write=write_under_mask, apart="itself"),
    larger=True,
    batching="advanced_batches.mask_scattered",
    native=native("masked_scatter"),
)
def masked_scatter(self: Array, mask: Index, source: Array) -> Any:
    """Copy the tensor and write consecutive elements of `source` where `mask` holds.

    Args:
        self: tensor; broadcast with the mask.
        mask: bool tensor.
        source: tensor of the same dtype with at least as many elements as the mask has true ones.

    Returns:
        A new tensor; `masked_scatter_` writes into `self`.

    Raises:
        RuntimeError: if dtypes or shapes do not fit, or `source` has too few elements.

    Examples:
        >>> import wengert as wg
        >>> wg.masked_scatter(wg.zeros(3), wg.tensor([True, False, True]), wg.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
    """
    result = np.broadcast_to(self, broadcast(self.shape, mask.shape)).copy(order="C")
    write_under_mask(result, mask, source)
    return result


@masked_scatter.vjp("self")
def masked_scatter_vjp_self(grad: Any, mask: Any) -> Any:
    return grad.masked_fill(mask, 0)


@masked_scatter.vjp("source")
def masked_scatter_vjp_source(grad: Any, mask: Any, source_shape: Any) -> Any:
    return masked_scatter_backward(grad, mask, source_shape)


@masked_scatter.jvp("self", "source")
def masked_scatter_jvp(self_tangent: Any, source_tangent: Any, mask: Any) -> Any:
    return self_tangent.masked_scatter(mask, source_tangent)


@masked_scatter.samples
def masked_scatter_samples(make: Any) -> Any:
    mask = wrap(np.array([[True, False, True], [False, True, False]]))
    yield Sample(make(2, 3), mask, make(2, 3))
    yield Sample(make(2, 3), mask, make(3))
    yield Sample(make(3), wrap(np.array([True, False, True])), make(2, 2))
    yield Sample(make(3), mask, make(4))
    yield Bad(make(2, 3), mask, make(2), raises=RuntimeError, says="Number of elements of source < number of ones")
    yield Bad(make(3), integers(1, 0, 1), make(3), raises=RuntimeError, says="only supports boolean masks")


@op(dtypes=WIDE, linear="grad", batching="advanced_batches.mask_scattered_backward", public="neither")
def masked_scatter_backward(grad: Array, mask: Index, shape: Any) -> Any:
    """Zeros of `shape` that begin with the elements of `grad` where a mask holds."""
    picked = grad[private(np.broadcast_to(mask, grad.shape))]
    result = np.zeros(math.prod(shape), grad.dtype)
    result[: picked.size] = picked
    return result.reshape(shape)


@masked_scatter_backward.vjp("grad")
def masked_scatter_backward_vjp(grad: Any, grad_shape: Any, mask: Any) -> Any:
    return grad.new_zeros(grad_shape).masked_scatter(mask, grad)


@masked_scatter_backward.samples
def masked_scatter_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3), wrap(np.array([True, False, True])), (5,))


def check_put(target: Any, index: Any, source: Any) -> None:
    """Check the arguments of `put_`, except the values of `index`.

    Raises:
        RuntimeError: if dtypes do not fit.
        IndexError: if the numbers of elements differ, or the target is empty.
    """
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {kind_of(index)}")
    if target.dtype != source.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {kind_of(target)} and "
            f"source.dtype = {kind_of(source)}"
        )
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    if index.size and not target.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")


def write_places(target: Any, index: Any, source: Any, accumulate: bool) -> None:
    """Write `source` at row-major indices."""
    check_put(target, index, source)
    for other in (index, source):
        refuse_shared(target, other, True)
    flat = index.reshape(-1)
    outside = flat[(flat >= target.size) | (flat < -target.size)]
    if outside.size:
        raise IndexError(f"out of range: tried to access index {outside[0]} on a tensor of {target.size} elements.")
    where = positions.unravel_index(np.where(flat < 0, flat + target.size, flat), target.shape or (1,))
    full = target if target.ndim else target.reshape(1)
    if accumulate:
        np.add.at(full, where, source.reshape(-1))
    else:
        full[where] = source.reshape(-1)


@op(
    layout="like",
    dtypes=WIDE,
    inplace=InPlace(write=write_places, apart="itself", native=native("put_")),
    batching="batches.put_in",
    native=native("put"),
)
def put(self: Array, index: Index, source: Array, accumulate: bool = False) -> Any:
    """Copy the tensor and write elements of `source` at row-major indices.

    Args:
        index: int64 tensor; negative numbers count from the end.
        source: tensor of the same dtype with as many elements as `index`.
        accumulate: add to the old elements, as often as an index occurs.

    Returns:
        A new tensor; `put_` writes into `self`.

    Raises:
        IndexError: if an index is out of range, or the numbers of elements differ.
        RuntimeError: if the dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.put(wg.zeros(2, 2), wg.tensor([0, 3]), wg.tensor([1.0, 2.0]))
        tensor([[1., 0.],
                [0., 2.]])
    """
    result = self.copy(order="C")
    write_places(result, index, source, accumulate)
    return result


@put.vjp("self")
def put_vjp_self(grad: Any, index: Any, source_shape: Any, accumulate: bool) -> Any:
    if accumulate:
        return grad
    return grad.put(index, constant_beside(grad, wrap(np.zeros(source_shape, grad._array_.dtype))))


@put.vjp("source")
def put_vjp_source(grad: Any, index: Any, source_shape: Any) -> Any:
    return grad.take(index).reshape(source_shape)


@put.jvp("self", "source")
def put_jvp(self_tangent: Any, source_tangent: Any, index: Any, accumulate: bool) -> Any:
    return self_tangent.put(index, source_tangent, accumulate)


@put.samples
def put_samples(make: Any) -> Any:
    yield Sample(make(2, 3), integers(4, 0), make(2))
    yield Sample(make(2, 3), integers([-1], [1]), make(1, 2))
    yield Sample(make(2, 3), integers(4, 4), make(2), True)
    yield Bad(
        make(2), integers(2), make(1), raises=IndexError, says="tried to access index 2 on a tensor of 2 elements"
    )
    yield Bad(make(2), integers(0), make(2), raises=IndexError, says="source.numel() = 2, index.numel() = 1")


def check_diagonal(target: Any, fill_value: Any) -> Any:
    """Return the number that `fill_diagonal_` writes.

    Raises:
        RuntimeError: if the target has no diagonal, or the number does not fit.
    """
    if target.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if target.ndim > 2 and len(set(target.shape)) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length, but got {shown(target.shape)}")
    number = read_number("fill_diagonal_", "fill_value", 1, fill_value)
    return checked_value("fill_diagonal_", target, number)


def write_diagonal(target: Any, fill_value: Any, wrap: bool) -> None:
    """Write one value onto the main diagonal."""
    value = np.asarray(check_diagonal(target, fill_value)).astype(target.dtype)
    again = bool(wrap)
    at = positions.arange(min(target.shape))
    target[(at,) * target.ndim] = value
    if again and target.ndim == 2 and target.shape[0] > target.shape[1]:
        rows, columns = target.shape
        for start in range(columns + 1, rows, columns + 1):
            at = positions.arange(min(columns, rows - start))
            target[start + at, at] = value


@op(
    dtypes=WIDE,
    inplace=InPlace(write=write_diagonal, apart="never"),
    public="neither",
    takes_halves=True,
    batching="batches.diagonal_filled",
    node="torch::autograd::CopySlices",
)
def fill_diagonal(self: Array, fill_value: Any, wrap: bool = False) -> Any:
    """Copy the tensor and fill its main diagonal with a value.

    Args:
        self: tensor with at least two dimensions; with more than two, all of one length.
        fill_value: a number.
        wrap: begin again one row below the end, in a matrix with more rows than columns.

    Returns:
        A new tensor; `fill_diagonal_` writes into `self`.

    Raises:
        RuntimeError: if `self` has fewer than two dimensions, or more than two of different lengths.
    """
    result = self.copy(order="K")
    write_diagonal(result, fill_value, wrap)
    return result


@fill_diagonal.vjp("self")
def fill_diagonal_vjp(grad: Any, wrap: bool) -> Any:
    return fill_diagonal(grad, 0, wrap)


@fill_diagonal.jvp("self")
def fill_diagonal_jvp(tangent: Any, wrap: bool) -> Any:
    return fill_diagonal(tangent, 0, wrap)


@fill_diagonal.samples
def fill_diagonal_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2)
    yield Sample(make(7, 3), 1, wrap=True)
    yield Sample(make(2, 2, 2), 3)
    yield Bad(make(3), 1, raises=RuntimeError, says="dimensions must larger than 1")
    yield Bad(make(2, 3, 2), 1, raises=RuntimeError, says="must be of equal length")
