"""Copies and casts: clone, contiguous, copy_, fill_, zero_, and `to` with its short forms."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.operators import layouts
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.overlap import overlaps_itself
from ..._core.tensor.base import OPERATORS, Tensor, bind
from ..._core.types import dtypes
from ..._core.types.devices import contiguous_format, device as Device, memory_format, preserve_format
from ..._core.types.sizes import broadcast, check_room
from ..._kernels.layout import strided
from .memory_formats import copied, is_in_format, strides_in, suggested_format

native = kernels.direct_function


@op(layout="own", dtypes=WIDE, linear="self", native=native("clone"))
def clone(self: Array, *, memory_format: Any = None) -> Any:
    """A copy of the values in memory of its own; the gradient passes through.

    Args:
        memory_format: `preserve_format` (the default: strides are kept) or `contiguous_format`.
    """
    return copied(self, memory_format)


@clone.vjp("self")
def clone_vjp(grad: Any) -> Any:
    return grad


@clone.batched
def clone_batched(self: Any, memory_format: Any) -> Any:
    return in_format(self, memory_format)


def in_format(whole: Any, memory_format: Any) -> Any:
    """A copy of all members of a batch, each in a memory format."""
    if memory_format in (None, preserve_format, contiguous_format):
        return clone.call((whole, memory_format))
    return restrided_batched(whole, strides_in(np.broadcast_to(0, whole.shape[1:]), memory_format), False)


@clone.samples
def clone_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make())


@op(layout="own", dtypes=WIDE, linear="self", name="_restrided", function=False, node="CloneBackward0")
def restrided(self: Array, stride: Any, gaps: bool = False) -> Any:
    """A copy whose elements lie `stride` apart; row-major where those would overlap.

    Args:
        stride: for each dimension, in elements.
        gaps: leave gaps that the strides leave (zeros); otherwise the copy is row-major if there would be any.
    """
    step = reach = 1
    for each, length in sorted((each, length) for each, length in zip(stride, self.shape) if length != 1):
        if each != step and not (gaps and each >= step):
            return self.copy(order="C")
        step = each * length
        reach += each * (length - 1)
    if self.size and reach != self.size:
        check_room("_restrided", (reach,), self.itemsize)
        made = strided(np.zeros(reach, self.dtype), self.shape, tuple([each * self.itemsize for each in stride]))
    else:
        made = layouts.empty(self.shape, tuple(stride), self.dtype)
    made[...] = self
    return made


@restrided.vjp("self")
def restrided_vjp(grad: Any) -> Any:
    return grad


@restrided.batched
def restrided_batched(self: Any, stride: Any, gaps: bool) -> Any:
    shape = self.shape[1:]
    step = 1
    for each, length in sorted((each, length) for each, length in zip(stride, shape) if length != 1):
        if each != step and not (gaps and each >= step):
            step, stride = math.prod(shape), layouts.row_major(shape)
            break
        step = each * length
    return restrided.call((self, (step, *stride), gaps))


@restrided.samples
def restrided_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (1, 2))


@composite()
def contiguous(input: Any, memory_format: memory_format = contiguous_format) -> Any:
    """The tensor itself if its elements lie in row-major order, otherwise a copy in which they do.

    Args:
        input: tensor.
        memory_format: `contiguous_format`, or `channels_last` for tensors of rank 4.

    Returns:
        The tensor, or a new one.
    """
    array = input._array_
    if not isinstance(memory_format, type(contiguous_format)):
        raise TypeError(
            "contiguous(): argument 'memory_format' must be torch.memory_format, not " + type(memory_format).__name__
        )
    return input if is_in_format(array, memory_format) else input.clone(memory_format=memory_format)


@contiguous.samples
def contiguous_samples(make: Any) -> Any:
    yield Sample(make(2, 3))


plain_case(contiguous, clone, native("contiguous"))


def cast(array: Any, wanted: Any) -> Any:
    """A new array of another dtype; the imaginary part is dropped where a real one is wanted."""
    if array.dtype.kind == "c" and wanted.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=4)
        array = array.real
    return array.astype(wanted)


@op(layout="own", dtypes=WIDE, linear="self", name="_to_copy", node="ToCopyBackward0", function=False, method=False)
def to_copy(self: Array, dtype: Any = None, memory_format: Any = None) -> Any:
    """A copy in another dtype."""
    if dtype is None or self.dtype == dtype.numpy:
        return copied(self, memory_format)
    return layouts.with_strides(cast(self, dtype.numpy), strides_in(self, memory_format))


@to_copy.vjp("self")
def to_copy_vjp(grad: Any, self_dtype: Any) -> Any:
    return grad.real.to(self_dtype) if grad.is_complex() and not self_dtype.is_complex else grad.to(self_dtype)


@to_copy.batched
def to_copy_batched(self: Any, dtype: Any, memory_format: Any) -> Any:
    if memory_format in (None, preserve_format, contiguous_format):
        return to_copy.call((self, dtype, memory_format))
    return in_format(self if dtype is None else to_copy.call((self, dtype, None)), memory_format)


@to_copy.samples
def to_copy_samples(make: Any) -> Any:
    yield Sample(make(2, 3), dtypes.complex128)


def check_device(device: Any) -> None:
    """Refuse devices other than the one that there is."""
    if isinstance(device, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if device is not None:
        Device(device)


@composite(function=False)
def to(
    self: Any,
    *where: Any,
    dtype: Any = None,
    device: Any = None,
    other: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Any:
    """The tensor in another dtype (or on another device, of which there is one).

    Args:
        self: tensor.
        where: a dtype, a device, a device and a dtype, or a tensor whose dtype is wanted; then `non_blocking`, `copy`.
        dtype, device, other: the same by name.
        non_blocking: ignored.
        copy: make a copy even if nothing changes.
        memory_format: in which order the elements of a copy lie.

    Returns:
        The tensor itself if nothing changes, otherwise a copy; its gradient is cast back.
    """
    flags = []
    for value in where:
        if isinstance(value, dtypes.dtype):
            dtype = value
        elif isinstance(value, Tensor):
            other = value
        elif isinstance(value, bool):
            flags.append(value)
        elif value is not None:
            device = value
    if other is not None:
        if not isinstance(other, Tensor):
            raise TypeError(errors.wrong_type("to", "other", 1, "Tensor", other))
        dtype = other.dtype
    elif dtype is not None:
        dtypes.check_dtype("to", "dtype", 1, dtype)
    check_device(device)
    copy = flags[1] if len(flags) > 1 else copy
    same = dtype is None or dtype.numpy == self._array_.dtype
    if (
        same
        and not copy
        and (memory_format in (None, preserve_format) or memory_format is suggested_format(self._array_))
    ):
        return self
    return to_copy(self, dtype, memory_format)


@to.samples
def to_samples(make: Any) -> Any:
    yield Sample(make(2, 3), dtypes.complex128)
    yield Sample(make(2, 3), "cpu", dtypes.complex64)
    yield Bad(make(2), "cuda", raises=RuntimeError, says="is not available")


@composite(function=False)
def type_as(self: Any, other: Tensor) -> Any:
    """The tensor in the dtype of `other`.

    Args:
        self, other: tensors.

    Returns:
        The tensor itself if it has that dtype, otherwise a copy.
    """
    return self.to(other.dtype)


@type_as.samples
def type_as_samples(make: Any) -> Any:
    yield Sample(make(2), make(3))


def bind_casts() -> None:
    """The methods `float()`, `double()`, `long()` ..., one for each dtype that has a short name."""
    names = {name: name for name in dtypes.ALIASES} | {"bool": "bool", "bfloat16": "bfloat16"}
    for method in names:

        def convert(self: Tensor, *, memory_format: Any = None, _name: str = method) -> Any:
            wanted = dtypes.ALIASES.get(_name) or dtypes.by_name(_name)
            if memory_format is None and wanted.numpy is self._array_.dtype:
                return self
            return self.to(wanted, memory_format=memory_format)  # type: ignore[attr-defined]

        convert.__name__ = method
        convert.__doc__ = f"The tensor in the dtype that torch calls `{method}`; itself if it has it already."
        bind(method, convert)


bind_casts()


def write_copy(target: Any, src: Any, non_blocking: bool) -> None:
    """Write `src` into `target`."""
    if src.shape != target.shape and broadcast(target.shape, src.shape) != target.shape:
        raise RuntimeError(errors.target_shape(target.shape, broadcast(target.shape, src.shape)))
    if src.dtype.kind == "c" and target.dtype.kind not in "cb":
        src = src.real
    np.copyto(target, src, "unsafe")


@op(
    layout="like",
    dtypes=WIDE, linear="src", inplace=True, function=False, method=False, node="CopyBackwards", write=write_copy,
    native_write=native("copy_"), overwrites=True,
)  # fmt: skip
def copy(self: Array, src: Array, non_blocking: bool = False) -> Any:
    """`src`, broadcast and cast to the shape and dtype of `self`."""
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


def fill_form(args: tuple[Any, ...]) -> int:
    """Which of torch's two operators a call is."""
    return 1 if isinstance(args[1], Tensor) else 0


def checked_value(name: str, array: Any, value: Any) -> Any:
    """A number or 0-dim array that fits the dtype of `array`."""
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"{name} only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    kind = array.dtype.kind
    if kind not in "cb" and (isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c"):
        raise RuntimeError(f"value cannot be converted to type {dtypes.from_numpy(array.dtype).name} without overflow")
    return value


def write_value(target: Any, value: Any) -> None:
    """Write one value into all of `target`."""
    if isinstance(value, np.ndarray) and 0 in target.strides and overlaps_itself(target):
        raise RuntimeError(errors.OVERLAP_IN_PLACE)
    np.copyto(target, checked_value("fill_", target, value), "unsafe")


@op(
    layout="like",
    dtypes=WIDE, inplace=True, numbers="value", method=False, choose=fill_form, write=write_value,
    native_write=native("fill_"), overwrites=True, apart="never", node=("FillBackward2", "FillBackward3"),
)  # fmt: skip
def fill(self: Array, value: Array) -> Any:
    """A tensor like `self` in which every element is `value`.

    Args:
        value: number or 0-dim tensor.

    Returns:
        A new tensor; `fill_` writes into `self`.

    Raises:
        RuntimeError: `value` has dimensions, or does not fit the dtype.
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
def fill_jvp_self(tangent: Any) -> None:
    return None


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
    """Zeros for a row-major array: what the backward passes of writes ask for over and over."""
    known = type(array) is np.ndarray and array.flags.c_contiguous
    return np.zeros(array.shape, array.dtype) if known else NotImplemented


@op(
    layout="like",
    dtypes=WIDE, linear="self", inplace=True, method=False, function=False, batching=elementwise, write=write_zero,
    native=row_major_zeros, native_write=native("zero_"), overwrites=True, apart="never",
)  # fmt: skip
def zero(self: Array) -> Any:
    """Zeros like `self`."""
    return np.zeros_like(self)


@zero.vjp("self")
def zero_vjp(grad: Any) -> Any:
    return zero(grad)


@zero.samples
def zero_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
