"""Views of memory with any shape and strides: as_strided and its derivative."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import flags
from ..._core.aliasing import views
from ..._core.cards.arguments import integers
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown
from ..._core.tensor import batches
from ..._core.tensor.base import OPERATORS
from ..._core.tensor.storage import size_in_bytes
from ..._core.types.sizes import LARGEST
from ..._kernels import positions
from ..._kernels.layout import reaching

native = kernels.direct_function


def strided_arguments(input: Any, size: Any, stride: Any, storage_offset: int | None) -> tuple[Any, ...]:
    """Return shape, strides and the offset from the first element of `input`, of a view within its memory.

    Raises:
        RuntimeError: if the view is not within the memory.
    """
    lengths, steps = integers("as_strided", "size", size), integers("as_strided", "stride", stride)
    start = offset_of(input)
    offset = start if storage_offset is None else operator.index(storage_offset)
    batched = input._flags_ & flags.BATCHED
    check_strided(
        lengths, steps, offset, input._array_.itemsize, LARGEST if batched else size_in_bytes(input._storage_)
    )
    if batched:
        check_member(lengths, steps, offset, input)
    return lengths, steps, offset - start


def offset_of(tensor: Any) -> int:
    """Return the offset of a tensor in its storage; 0 for a batch without members."""
    nobody = tensor._flags_ & flags.BATCHED and not all(level.size for level in batches.levels_of(tensor))
    return 0 if nobody else int(tensor.storage_offset())


def check_member(lengths: tuple[int, ...], steps: tuple[int, ...], offset: int, member: Any) -> None:
    """Refuse a view of each member of a batch that reaches into another one.

    Raises:
        RuntimeError: if it does.
    """
    if not all(lengths):
        return
    first = offset_of(member)
    last = first + reach_of(tuple(member.shape), member.stride())
    end = offset + reach_of(lengths, steps)
    if offset < first or end > last:
        raise RuntimeError(
            f"result = tensor.as_strided({shown(lengths)}, {shown(steps)}, {offset}) can access memory outside of "
            f"`tensor`. `result` can access some memory in range [{offset}, {end}], but `tensor` can only access some "
            f"memory in range [{first}, {last}]. This is not supported inside of vmap, please try to rewrite the "
            "`as_strided` call as a sequence of PyTorch view operations"
        )


def reach_of(lengths: tuple[int, ...], steps: tuple[int, ...]) -> int:
    """Return the distance of the last element from the first, in elements."""
    return sum((length - 1) * step for length, step in zip(lengths, steps)) if all(lengths) else -1


def check_strided(lengths: tuple[int, ...], steps: tuple[int, ...], offset: int, item: int, room: int) -> None:
    """Refuse a view that is not within `room` bytes of memory.

    Args:
        lengths, steps: shape and strides of the view, in elements of `item` bytes.
        offset: its start, in elements.

    Raises:
        RuntimeError: if it is not.
    """
    if len(lengths) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in steps):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {shown(steps)}")
    reach = 1 + sum((length - 1) * step for length, step in zip(lengths, steps)) if all(lengths) else 0
    if min(lengths, default=0) < 0 or reach > LARGEST:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={shown(lengths)} and strides={shown(steps)}"
        )
    if math.prod(filter(None, lengths)) * item > LARGEST:
        raise RuntimeError("numel: integer multiplication overflow")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    need = (offset + reach) * item
    if reach and need > room:
        raise RuntimeError(
            f"setStorage: sizes {shown(lengths)}, strides {shown(steps)}, storage offset {offset}, and itemsize "
            f"{item} requiring a storage size of {need} are out of bounds for storage of size {room}"
        )


@composite()
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """View of a tensor's memory with any shape and strides.

    Args:
        input: tensor.
        size: the shape.
        stride: step between neighbours along each dimension, in elements of memory.
        storage_offset: start in the storage; by default that of `input`.

    Returns:
        A view; several of its elements may share memory.

    Raises:
        RuntimeError: if the view is not within the memory.

    Examples:
        >>> import wengert as wg
        >>> wg.as_strided(wg.arange(5), (3, 2), (1, 1))
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
    """
    result = as_strided_from.call((input, *strided_arguments(input, size, stride, storage_offset)))
    views.moved(result, singly=True)  # it may see memory that `input` does not
    return result


@as_strided.samples
def as_strided_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 2), (4, 1), 1)
    yield Sample(make(5), (3, 3), (1, 1))
    yield Bad(make(3), (4,), (1,), raises=RuntimeError, says="out of bounds for storage")


@op(dtypes=WIDE, view="memory", linear="self", public="neither", node="AsStridedBackward0", native=native("as_strided"))
def as_strided_from(self: Array, size: Any, stride: Any, offset: int) -> Any:
    """`as_strided` with an offset counted from the tensor's first element."""
    step = self.itemsize
    return reaching(self, size, tuple([pace * step for pace in stride]), offset * step)


as_strided_from.shows(storage_offset=lambda node: node.step[1][3])


@as_strided_from.vjp("self")
def as_strided_vjp(
    grad: Any, self_shape: Any, self_strides: Any, self_dtype: Any, size: Any, stride: Any, offset: int
) -> Any:
    steps = tuple(value // self_dtype.itemsize for value in self_strides)
    return as_strided_backward(grad, self_shape, steps, size, stride, offset)


@as_strided_from.batched
def as_strided_from_batched(self: Any, size: Any, stride: Any, offset: int) -> Any:
    return as_strided_from.call((self, (self.shape[0], *size), (self.stride(0), *stride), offset))


plain_case(as_strided, as_strided_from, native("as_strided"), translate=native("as_strided_arguments"))
OPERATORS.reshaped_view = as_strided_from


@as_strided_from.samples
def as_strided_from_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 2), (4, 1), 1)


def element_places(shape: Any, steps: Any, start: int) -> Any:
    """Return the position of each element in memory, counted in elements."""
    result = np.full((1,) * len(shape), start, np.int64)
    for dim, (length, step) in enumerate(zip(shape, steps)):
        lengths = [1] * len(shape)
        lengths[dim] = length
        result = result + (positions.arange(length) * step).reshape(lengths)
    return result


def numbered(inner: Any, outer: Any) -> tuple[int, Any, Any]:
    """Return the size of the memory of two sets of positions, and the positions there, flat; large gaps are omitted."""
    both = np.concatenate([inner.reshape(-1), outer.reshape(-1)])  # flat: NumPy indexes in few dimensions only
    both -= both.min()
    if both.max() > 4 * both.size:
        both = positions.inverse_of_unique(both)[1]
    return int(both.max()) + 1, both[: inner.size], both[inner.size :]


def check_steps(shape: Any, steps: Any, size: Any, stride: Any) -> None:
    """Refuse views with different numbers of lengths and strides.

    Raises:
        RuntimeError: if the numbers differ.
    """
    if len(shape) != len(steps) or len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")


def is_part(shape: Any, steps: Any, size: Any, stride: Any, offset: int) -> bool:
    """Return whether a strided view selects different elements of a row-major array, and nothing outside of it."""
    expected = 1
    for length, step in zip(reversed(shape), reversed(steps)):
        if length > 1 and step != expected:
            return False
        expected *= length
    reach = 1
    for step, length in sorted(zip(stride, size)):
        if length > 1 and step < reach:
            return False
        reach += step * (length - 1)
    return offset >= 0 and offset + reach <= expected and min(size, default=1) > 0


@op(dtypes=WIDE, linear="grad", public="neither", node="AsStridedBackward0")
def as_strided_backward(
    grad: Array, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool = True
) -> Any:
    """Gradient of memory through a strided view, read by another one (`shape`, `steps`).

    Elements of the input that share memory share its gradient equally, as in torch. `back=False` is the adjoint.

    Raises:
        RuntimeError: if the numbers of lengths and strides differ.
    """
    check_steps(shape, steps, size, stride)
    if back and is_part(shape, steps, size, stride, offset):
        result = np.zeros(shape, grad.dtype)
        as_strided_from.body(result, size, stride, offset)[...] = grad
        return result
    inner, outer = element_places(shape, steps, 0), element_places(size, stride, offset)
    if not inner.size or not outer.size:
        return np.zeros(shape if back else size, grad.dtype)
    count, inner, outer = numbered(inner, outer)
    memory = np.zeros(count, grad.dtype)
    counts = positions.bincount(inner, count).astype(grad.real.dtype)
    if back:
        np.add.at(memory, outer, np.broadcast_to(grad, size).reshape(-1))
        return (memory[inner] / counts[inner]).reshape(shape).astype(grad.dtype, copy=False)
    np.add.at(memory, inner, np.broadcast_to(grad, shape).reshape(-1) / counts[inner])
    return memory[outer].reshape(size)


@as_strided_backward.vjp("grad")
def as_strided_backward_vjp(grad: Any, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool) -> Any:
    return as_strided_backward(grad, shape, steps, size, stride, offset, not back)


@as_strided_backward.batched
def as_strided_backward_batched(
    grad: Any, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool
) -> Any:
    # The members' memory is concatenated.
    reach = 1 + max(furthest(shape, steps), abs(offset) + furthest(size, stride)) - min(offset, 0)
    count = grad.shape[0]
    return as_strided_backward.call(
        (grad, (count, *shape), (reach, *steps), (count, *size), (reach, *stride), offset, back)
    )


def furthest(shape: Any, steps: Any) -> int:
    """Return the distance of the last element of a strided view from the first."""
    return sum((length - 1) * step for length, step in zip(shape, steps) if length)


@as_strided_backward.samples
def as_strided_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2), (3, 4), (4, 1), (2, 2), (4, 1), 1)
    yield Sample(make(2, 2), (3, 4), (4, 1), (2, 2), (4, 1), 2**40)
    yield Sample(make(2, 2), (2, 3), (1, 1), (2, 2), (2, 1), 0)
