"""Copies and casts: clone, contiguous, and `to` with its short forms."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.devices import contiguous_format, memory_format, preserve_format, refuse_absent
from ..._core.types.sizes import check_room
from ..._kernels.layout import strided
from .memory_formats import copied, is_in_format, strides_in, suggested_format

native = kernels.direct_function


@op(layout="own", dtypes=WIDE, linear="self", native=native("clone"))
def clone(self: Array, *, memory_format: Any = None) -> Any:
    """Copy the values into new memory; the gradient passes through.

    Args:
        memory_format: `preserve_format` (the default: strides are kept) or `contiguous_format`.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1, 2])
        >>> y = wg.clone(x).add_(1)
        >>> x, y
        (tensor([1, 2]), tensor([2, 3]))
    """
    return copied(self, memory_format)


@clone.vjp("self")
def clone_vjp(grad: Any) -> Any:
    return grad


@clone.batched
def clone_batched(self: Any, memory_format: Any) -> Any:
    return in_format(self, memory_format)


def in_format(whole: Any, memory_format: Any) -> Any:
    """Copy all members of a batch, each in a memory format."""
    if memory_format in (None, preserve_format, contiguous_format):
        return clone.call((whole, memory_format))
    return restrided_batched(whole, strides_in(np.broadcast_to(0, whole.shape[1:]), memory_format), False)


@clone.samples
def clone_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make())


def keeps_apart(shape: tuple[int, ...], stride: Any, gaps: bool) -> bool:
    """Return whether elements with the strides `stride` do not share memory, and, unless `gaps`, have no gaps."""
    step = 1
    for pace, length in sorted((pace, length) for pace, length in zip(stride, shape) if length != 1):
        if pace != step and not (gaps and pace >= step):
            return False
        step = pace * length
    return True


@op(layout="own", dtypes=WIDE, linear="self", name="_restrided", public="method", node="CloneBackward0")
def restrided(self: Array, stride: Any, gaps: bool = False) -> Any:
    """Copy with given strides; row-major if elements would share memory.

    Args:
        stride: strides in elements.
        gaps: keep gaps of the strides (filled with zeros); otherwise the copy is row-major if there would be any.
    """
    if not keeps_apart(self.shape, stride, gaps):
        return self.copy(order="C")
    reach = 1 + sum([step * (length - 1) for step, length in zip(stride, self.shape)])
    if self.size and reach != self.size:
        check_room("_restrided", (reach,), self.itemsize)
        result = strided(np.zeros(reach, self.dtype), self.shape, tuple([pace * self.itemsize for pace in stride]))
    else:
        result = layouts.empty(self.shape, tuple(stride), self.dtype)
    kernels.copy_into(result, self)
    return result


@restrided.vjp("self")
def restrided_vjp(grad: Any) -> Any:
    return grad


@restrided.batched
def restrided_batched(self: Any, stride: Any, gaps: bool) -> Any:
    shape = self._array_.shape[1:]
    if not keeps_apart(shape, stride, gaps):
        return restrided.call((self, (math.prod(shape), *layouts.row_major(tuple(shape))), gaps))
    dims = [(step, length) for step, length in zip(stride, shape) if length != 1]
    step = math.prod(max(dims)) if dims else 1
    return restrided.call((self, (step, *stride), gaps))


@restrided.samples
def restrided_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (1, 2))
    yield Sample(make(2, 3), (0, 1))
    yield Sample(make(2, 3), (6, 2), True)


@composite()
def contiguous(input: Any, memory_format: memory_format = contiguous_format) -> Any:
    """Return the tensor itself if it is row-major, otherwise a row-major copy.

    Args:
        input: tensor.
        memory_format: `contiguous_format`, or `channels_last` for tensors of rank 4.

    Returns:
        The tensor, or a new one.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1, 2], [3, 4]]).t().contiguous().stride()
        (2, 1)
    """
    array = input._array_
    if not isinstance(memory_format, type(contiguous_format)):
        raise TypeError(
            "contiguous(): argument 'memory_format' must be torch.memory_format, not " + type(memory_format).__name__
        )
    if input._flags_ & flags.SPARSE and not input.is_meta:
        raise RuntimeError("unsupported memory format option Contiguous: a sparse tensor has none; see coalesce()")
    return input if is_in_format(array, memory_format) else input.clone(memory_format=memory_format)


@contiguous.samples
def contiguous_samples(make: Any) -> Any:
    yield Sample(make(2, 3))


plain_case(contiguous, clone, native("contiguous"))


def cast(array: Any, wanted: Any) -> Any:
    """Return a new array of another dtype; the imaginary part is dropped for a real one."""
    if array.dtype.kind == "c" and wanted.kind not in "cb":
        anomaly.warn_once("Casting complex values to real discards the imaginary part")
        array = array.real
    return kernels.converted(array, wanted)


copying = partial(op, layout="own", dtypes=WIDE, linear="self", node="ToCopyBackward0", takes_halves=True)
"""Card decorator for a copy in another dtype, or on another device."""


@copying(name="_to_copy", public="neither", native=native("to_copy"))
def to_copy(self: Array, dtype: Any = None, memory_format: Any = None) -> Any:
    """Copy in another dtype."""
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
    """Refuse devices other than the existing one."""
    if device is not None:
        refuse_absent(device)


def refuse_leaving(tensor: Any) -> None:
    """Refuse to move a tensor from the device "meta" to the CPU.

    Raises:
        NotImplementedError: if the tensor is on "meta".
    """
    if tensor.is_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def read_target(where: tuple[Any, ...], dtype: Any, device: Any, other: Any) -> tuple[Any, Any, Any, list[bool]]:
    """Read the positional arguments of `to`: dtype, device and tensor, by name if not among them, and the switches.

    Raises:
        TypeError: if an argument is not of these types.
    """
    switches: list[bool] = []
    known = False  # whether the dtype is known; only switches may follow it
    for value in map(dtypes.as_dtype, where):
        if isinstance(value, bool) and len(switches) < 2:
            switches.append(value)
        elif known or switches:
            types = ", ".join(type(place).__name__ for place in where)
            raise TypeError(f"to() received an invalid combination of arguments - got ({types})")
        elif isinstance(value, dtypes.dtype):
            dtype, known = value, True
        elif isinstance(value, Tensor):
            other, known = value, True
        elif value is not None:
            device = value
    return dtype, device, other, switches


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
    """Convert the tensor to another dtype (or device, of which there is one).

    Args:
        self: tensor.
        where: a dtype, a device, a device and a dtype, or a tensor whose dtype is wanted; then `non_blocking`, `copy`.
        dtype, device, other: the same arguments by name.
        non_blocking: ignored.
        copy: copy even if nothing changes.
        memory_format: memory format of a copy.

    Returns:
        The tensor itself if nothing changes, otherwise a copy; its gradient is cast back.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5, 2.5]).to(wg.int64)
        tensor([1, 2])
    """
    dtype, device, other, switches = read_target(where, dtype, device, other)
    if other is not None:
        if not isinstance(other, Tensor):
            raise TypeError(errors.wrong_type("to", "other", 1, "Tensor", other))
        dtype, device = other.dtype, other.device if device is None else device
    elif dtype is not None:
        dtype = dtypes.as_dtype(dtype)
        dtypes.check_dtype("to", "dtype", 1, dtype)
    check_device(device)
    if device is not None and self._flags_ & flags.SPARSE:
        refuse_leaving(self)
    copy = switches[1] if len(switches) > 1 else copy
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
    yield Bad(make(2), "cuda", raises=AssertionError, says="is not available")


@composite(function=False)
def type_as(self: Any, other: Tensor) -> Any:
    """Convert the tensor to the dtype of `other`.

    Args:
        self, other: tensors.

    Returns:
        The tensor itself if it has that dtype, otherwise a copy.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5, 2.5]).type_as(wg.tensor([1]))
        tensor([1, 2])
    """
    return self.to(other.dtype)


@type_as.samples
def type_as_samples(make: Any) -> Any:
    yield Sample(make(2), make(3))
