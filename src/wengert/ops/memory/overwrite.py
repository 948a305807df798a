"""Writes over a whole tensor: copy_, fill_, zero_."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import WIDE, Array, Bad, InPlace, Sample, nodes, op
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.choices import second_is_tensor
from ..._core.operators.overlap import overlaps_itself
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.tensor.standins import StandIn
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..dtype_checks import checked_number

_IN_PACKAGE = ("fill_", "zero_")

native = kernels.direct_function


def check_written(target: Any, src: Any) -> None:
    """Refuse values that do not broadcast to the shape of their target.

    Raises:
        RuntimeError: if they do not.
    """
    if src.shape != target.shape and broadcast(target.shape, src.shape) != target.shape:
        raise RuntimeError(errors.target_shape(target.shape, broadcast(target.shape, src.shape)))


def write_copy(target: Any, src: Any, non_blocking: bool) -> None:
    """Write `src` into `target`."""
    check_written(target, src)
    if src.dtype.kind == "c" and target.dtype.kind not in "cb":
        src = src.real
    np.copyto(target, src, "unsafe")


@op(
    layout="like",
    dtypes=WIDE,
    linear="src",
    inplace=InPlace(write=write_copy, native=native("copy_"), overwrites=True),
    public="neither",
    node="torch::autograd::CopyBackwards",
)
def copy(self: Array, src: Array, non_blocking: bool = False) -> Any:
    """Return `src`, broadcast and cast to the shape and dtype of `self`.

    Args:
        src: tensor that broadcasts to the shape of `self`.
        non_blocking: has no effect.
    """
    result = np.empty_like(self)
    write_copy(result, src, non_blocking)
    return result


@copy.vjp("self")
def copy_vjp_self(grad: Any) -> Any:
    return zero(grad)


@copy.vjp("src")
def copy_vjp_src(grad: Any, src_shape: Any) -> Any:
    return grad if tuple(src_shape) == grad._array_.shape else grad.sum_to_size(src_shape)


@copy.jvp("self")
def copy_jvp_self(tangent: Any) -> None:
    return None


copy.any_device = True
OPERATORS.copy_ = copy.in_place


@copy.batched
def copy_batched(self: Any, src: Any, non_blocking: bool) -> Any:
    for _ in range(self.ndim - src.ndim):
        src = src.unsqueeze(1)
    return copy.call((self, src, non_blocking))


@copy.samples
def copy_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3))
    yield Sample(make(2, 3), make(3))
    yield Bad(make(3), make(2, 3), raises=RuntimeError, says="output with shape [3] doesn't match")


def check_single(name: str, value: Any) -> None:
    """Refuse an array with dimensions in place of a single value."""
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"{name} only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )


def checked_value(name: str, array: Any, value: Any) -> Any:
    """Return a number or 0-dim array that fits the dtype of `array` as a number."""
    check_single(name, value)
    if isinstance(value, StandIn):
        return value
    if hasattr(value, "dtype"):
        value = float(value) if value.dtype.kind == "V" else value.item()
    return checked_number(value, dtypes.from_numpy(array.dtype))


def write_value(target: Any, value: Any) -> None:
    """Write one value into all of `target`; that of a tensor is cast as by `copy_`, a number has to fit."""
    if not isinstance(value, np.ndarray):
        number = checked_number(value, dtypes.from_numpy(target.dtype), halves=target.size != 1)
        np.copyto(target, number, "unsafe")
        return
    if 0 in target.strides and overlaps_itself(target):
        raise RuntimeError(errors.OVERLAP_IN_PLACE)
    check_single("fill_", value)
    write_copy(target, value, False)


@op(
    layout="like",
    dtypes=WIDE,
    inplace=InPlace(write=write_value, native=native("fill_"), overwrites=True, apart="never", renamed=True),
    numbers="value",
    public="function",
    node=nodes("FillBackward0", "FillBackward1", by=second_is_tensor),
    takes_halves=True,
)
def fill(self: Array, value: Array) -> Any:
    """Return a tensor like `self` in which each element is `value`.

    Args:
        value: number or 0-dim tensor.

    Returns:
        A new tensor; `fill_` writes into `self`.

    Raises:
        RuntimeError: if `value` has dimensions, or is a number that does not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.fill(wg.zeros(2), 3)
        tensor([3., 3.])
    """
    result = np.empty_like(self)
    write_value(result, value)
    return result


@fill.vjp("self")
def fill_vjp_self(grad: Any) -> Any:
    return zero(grad)


@fill.vjp("value")
def fill_vjp_value(grad: Any) -> Any:
    return grad.sum()


@fill.jvp("self")
def fill_jvp_self(tangent: Any) -> Any:
    return zero(tangent)


@fill.jvp("value")
def fill_jvp_value(tangent: Any, self_shape: Any) -> Any:
    return tangent.expand(self_shape)


OPERATORS.fill_ = fill.in_place


@fill.batched
def fill_batched(self: Any, value: Any) -> Any:
    if not isinstance(value, Tensor):
        return fill.call((self, value))
    if value.ndim > 1:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim - 1} dimensions."
        )
    return copy.call((self, value.reshape((len(value), *(1,) * (self.ndim - 1))), False))


@fill.samples
def fill_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 2)
    yield Sample(make(2, 3), make())
    yield Bad(make(3), make(3), raises=RuntimeError, says="only supports 0-dimension value tensor")


def write_zero(target: Any) -> None:
    """Write zeros into all of `target`."""
    target[...] = 0


def row_major_zeros(array: Any) -> Any:
    """Zeros for a row-major array, which the backward passes of writes request over and over."""
    known = type(array) is np.ndarray and array.flags.c_contiguous
    return np.zeros(array.shape, array.dtype) if known else NotImplemented


@op(
    layout="like",
    dtypes=WIDE,
    linear="self",
    inplace=InPlace(write=write_zero, native=native("zero_"), overwrites=True, apart="never"),
    public="neither",
    batching=elementwise,
    native=row_major_zeros,
)
def zero(self: Array) -> Any:
    """Return zeros like `self`."""
    return np.zeros_like(self)


@zero.vjp("self")
def zero_vjp(grad: Any) -> Any:
    return zero(grad)


@zero.samples
def zero_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
