"""Copies with rearranged elements: roll, repeat, tile, repeat_interleave, tril, triu."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..._core import batch_errors, errors, flags
from ..._core.cards.arguments import integers, some_integers
from ..._core.cards.card import WIDE, Array, Bad, InPlace, Sample, Sizes, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown
from ..._core.operators.batch_rules import shifted
from ..._core.operators.declaration import is_whole
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.postponed import resolved
from ..._core.tensor.tracing import told_reading
from ..._core.types.devices import contiguous_format
from ..._core.types.sizes import check_room, normalise
from ..._kernels import direct_function as native, natives, positions
from ..family import as_function_of
from ..memory.memory_formats import copied
from .shape import spread


def rolled_axes(array: Any, shifts: Any, dims: Any) -> tuple[tuple[int, ...], list[int]]:
    """Return the shifts of an array and their axes; without axes the flat array is rolled.

    Raises:
        RuntimeError: if there are no shifts, or another number than dimensions.
        IndexError: if a dimension is out of range.
    """
    steps = some_integers("roll", "shifts", shifts)
    axes = some_integers("roll", "dims", () if dims is None else dims)
    if not steps:
        raise RuntimeError("`shifts` required")
    if not axes and len(steps) == 1:
        return steps, []
    if len(steps) != len(axes):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}")
    if axes and not array.ndim:
        raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
    return steps, [normalise(dim, array.ndim) for dim in axes]


@op(layout="own", dtypes=WIDE, linear="self", native=native("roll"))
def roll(self: Array, shifts: Any, dims: Any = ()) -> Any:
    """Roll elements along dimensions: those beyond the end reappear at the front.

    Args:
        shifts: distances, one integer for each of `dims`.
        dims: the dimensions; without them the flat tensor is rolled.

    Raises:
        RuntimeError: if there are no shifts, or another number than dimensions.
        IndexError: if `dims` names a dimension of a 0-dim tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.roll(wg.tensor([1, 2, 3, 4]), 1)
        tensor([4, 1, 2, 3])
    """
    steps, axes = rolled_axes(self, shifts, dims)
    if not axes:
        return np.roll(np.ascontiguousarray(self), steps[0]).reshape(self.shape)
    return np.roll(self.copy(order="C"), steps, axes) if self.size else copied(self, None)


roll.shows(dims="as dimensions", shifts="as dimensions")


@roll.vjp("self")
def roll_vjp(grad: Any, shifts: Any, dims: Any) -> Any:
    return grad.roll([-step for step in some_integers("roll", "shifts", shifts)], dims)


@roll.batched
def roll_batched(self: Any, shifts: Any, dims: Any) -> Any:
    axes = some_integers("roll", "dims", () if dims is None else dims)
    if axes:
        if self.ndim == 1:
            raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
        return roll.call((self, shifts, shifted(axes, self.ndim - 1)))
    flat = self.reshape((self.shape[0], math.prod(self.shape[1:])))
    return roll.call((flat, shifts, (1,))).reshape(self.shape)


@roll.samples
def roll_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 1)
    yield Sample(make(2, 3), (1, -1), (0, 1))
    yield Bad(make(), 1, 0, raises=IndexError, says="Dimension specified as 0 but tensor has no dimensions")
    yield Bad(make(2), (1, 2), 0, raises=RuntimeError, says="shifts and dimensions must align")
    yield Bad(make(2), (), raises=RuntimeError, says="`shifts` required")


def repeated_shape(array: Any, times: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of an array that is repeated along each dimension.

    Raises:
        RuntimeError: if there are fewer numbers than dimensions, one is negative, or the result does not fit in memory.
    """
    lead = len(times) - array.ndim
    if lead < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    lengths = [count * length for count, length in zip(times, (1,) * lead + array.shape)]
    if any(count < 0 for count in times):
        lowest = min(lengths)
        raise RuntimeError(f"Trying to create tensor with negative dimension {lowest}: {shown(lengths)}")
    check_room("repeat", lengths, array.itemsize)
    return tuple(lengths)


@op(dtypes=WIDE, linear="self")
def repeat(self: Array, repeats: Sizes) -> Any:
    """Repeat the tensor along dimensions.

    Args:
        repeats: number of repetitions along each dimension; additional numbers add dimensions in front.

    Raises:
        RuntimeError: if there are fewer numbers than dimensions, or one is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    times = integers("repeat", "repeats", repeats)
    repeated_shape(self, times)
    return np.tile(self, times) if times else self.copy()


@repeat.vjp("self")
def repeat_vjp(grad: Any, self_shape: Any, repeats: Any) -> Any:
    lead = len(repeats) - len(self_shape)
    shape: list[int] = []
    dims: list[int] = []
    for at, count in enumerate(repeats):
        if at < lead or count != 1:
            dims.append(len(shape))
            shape.append(count)
        if at >= lead:
            shape.append(self_shape[at - lead])
    return grad.reshape(shape).sum(dims) if dims else grad


@repeat.batched
def repeat_batched(self: Any, repeats: Any) -> Any:
    for _ in range(len(repeats) - self.ndim + 1):
        self = self.unsqueeze(1)
    return repeat.call((self, (1, *repeats)))


@repeat.samples
def repeat_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (2, 1))
    yield Sample(make(3), 2, 1, 2)
    yield Bad(make(2, 3), 2, raises=RuntimeError, says="can not be smaller than number of dimensions of tensor")
    yield Bad(make(3), 2, 1, 2, 2**62, raises=RuntimeError, says="Storage size calculation overflowed")


@composite()
def tile(input: Any, *times: Any, dims: Any = None) -> Any:
    """`repeat` with as many leading ones as necessary.

    Args:
        input: tensor.
        times, dims: numbers of repetitions along the last dimensions, as one sequence or integer by integer.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2]).tile(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    wanted = integers("tile", "dims", spread("tile", times, dims, "dims"))
    return input.repeat((*(1,) * (input._array_.ndim - len(wanted)), *wanted))


@as_function_of(tile)
def tile_function(input: Any, dims: Any) -> Any:
    return tile(input, dims=dims)


@tile.samples
def tile_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (2,))
    yield Sample(make(2, 3), dims=(3, 1, 2))
    yield Bad(make(2), dims=2, raises=TypeError, says="tile(): argument 'dims' must be tuple of ints, not int")
    yield Bad(make(2), None, raises=TypeError, says="must be tuple of ints, not NoneType")
    yield Bad(make(2), (2,), dims=(2,), raises=TypeError, says="tile() got multiple values for argument 'dims'")


@composite()
def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Repeat each slice along a dimension several times in a row.

    Args:
        input: tensor.
        repeats: number of repetitions: an integer for all slices, or an integer tensor with one number for each slice.
            By default `input` holds these numbers, and the slices are those of `arange`.
        dim: the dimension; by default the tensor is flattened.
        output_size: the length of the result along the dimension, if known; it must be right.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if there is not one number for each slice, or one is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.repeat_interleave(wg.tensor([1, 2]), wg.tensor([3, 1]))
        tensor([1, 1, 1, 2])
    """
    if repeats is None:
        if input.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        input, repeats = wrap(positions.arange(len(input._array_))), input
    if isinstance(repeats, Tensor) and repeats._flags_ & flags.BATCHED:
        raise RuntimeError(batch_errors.dynamic("repeat_interleave"))
    if not isinstance(repeats, Tensor) and not is_whole(repeats):
        raise TypeError(errors.wrong_type("repeat_interleave", "repeats", 2, "int", repeats))
    source, axis = (input.reshape((-1,)), 0) if dim is None else (input, dim)
    shape = source._array_.shape or (1,)
    at = normalise(axis, len(shape))
    length = shape[at]
    if not isinstance(repeats, Tensor) and repeats >= 0:
        check_output_size(output_size, length * repeats)
        raised = (source if source._array_.ndim else source.reshape((1,))).unsqueeze(at + 1)
        return (
            raised.expand((*shape[: at + 1], repeats, *shape[at + 1 :]))
            .clone(memory_format=contiguous_format)
            .flatten(at, at + 1)
        )
    if is_meta(repeats):
        return repeated_by_values(source, axis, repeats, output_size)
    counts = counts_of(repeats, length, axis)
    index = positions.repeat(positions.arange(length), counts if counts.size != 1 else int(counts.reshape(-1)[0]))
    check_output_size(output_size, index.size)
    return source.index_select(axis, wrap(index))


def counts_of(repeats: Any, length: int, dim: int) -> Any:
    """Return the number of repetitions of each of `length` slices, or that of all of them.

    Raises:
        RuntimeError: if there is not one number for each slice, or one is negative.
        NotImplementedError: if they are not integers.
    """
    if isinstance(repeats, Tensor):
        told_reading(repeats, "repeat_interleave")
    counts = np.asarray(resolved(repeats._array_) if isinstance(repeats, Tensor) else repeats)
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.dtype not in (np.int64, np.int32):
        raise NotImplementedError(errors.no_kernel("repeat_interleave", repeats.dtype))
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative" if counts.ndim else "Repeats must be non-negative")
    if counts.ndim and counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {counts.size} and input.size({dim}) = {length}"
        )
    return counts


def repeated_by_values(source: Any, dim: int, repeats: Any, output_size: int | None) -> Any:
    """`repeat_interleave` on the device "meta", where only the length of the result can be known.

    Raises:
        NotImplementedError: if the length is not given.
    """
    from ..._core.calls.meta import unknown

    if output_size is None:
        raise unknown("repeat_interleave", "the sum of the repeats is the length of the result (see output_size)")
    return source.index_select(dim, repeats.new_empty((output_size,)))


NATIVE = wider, expanded, copy_of = natives("unsqueeze", "expand", "clone")


def repeated_array(array: Any, repeats: Any, dim: Any, output_size: Any) -> Any:
    """`repeat_interleave` along a dimension with one number for all, the repetitions in a dimension behind it."""
    if type(repeats) is not int or repeats < 0 or type(dim) is not int or output_size is not None:
        return NotImplemented
    shape = array.shape
    at = normalise(dim, len(shape))
    repeated = expanded(wider(array, at + 1), (*shape[: at + 1], repeats, *shape[at + 1 :]), False)
    return copy_of(repeated, contiguous_format)


def joined_repetitions(result: Any, args: tuple[Any, ...]) -> Any:
    """Merge the repetitions in a result of `repeated_array` with the repeated dimension."""
    at = normalise(args[2], result._array_.ndim - 1)
    return result.flatten(at, at + 1)


plain_case(repeat_interleave, arrays=repeated_array, needs=NATIVE, then=(joined_repetitions,))


def check_output_size(output_size: int | None, length: int) -> None:
    """Refuse a wrong length of the result.

    Raises:
        RuntimeError: if the lengths differ.
    """
    if output_size is not None and output_size != length:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {length} but got {output_size}")


@repeat_interleave.samples
def repeat_interleave_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 2)
    yield Sample(make(2, 3), wrap(np.array([1, 2], np.int64)), 0)
    yield Bad(make(2, 3), -1, raises=RuntimeError, says="Repeats must be non-negative")
    yield Bad(make(2, 3), 2.0, raises=TypeError, says="argument 'repeats' (position 2) must be int, not float")
    yield Bad(make(2), 2, output_size=5, raises=RuntimeError, says="Invalid output_size, expected 4 but got 5")
    yield Bad(
        make(2), wrap(np.array([[1], [2]], np.int64)), raises=RuntimeError, says="repeats must be 0-dim or 1-dim tensor"
    )
    yield Bad(make(2), wrap(np.array([1.0, 2.0])), raises=NotImplementedError, says="not implemented for 'Double'")


def triangles(make: Any) -> Any:
    """Samples of `tril` and `triu`."""
    yield Sample(make(3, 4))
    yield Sample(make(2, 3, 3), -1)
    yield Bad(make(3), raises=RuntimeError, says="input tensor must have at least 2 dimensions")


def check_matrix(name: str, array: Any) -> None:
    """Refuse an array without rows and columns."""
    if array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def in_rows(array: Any) -> Any:
    """Return a batch of matrices in row-major order, like the result; single matrices keep their strides."""
    return array if array.ndim == 2 else np.ascontiguousarray(array)


def of_matrices(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `tril` and `triu`, which accept batches of matrices."""
    if args[0].ndim < 3:
        raise RuntimeError(f"{op.name}: input tensor must have at least 2 dimensions")
    return op.call(tuple(args))


triangle = partial(op, dtypes=WIDE, linear="self", batching=of_matrices, samples=triangles)
"""Card decorator for a triangle of matrices."""


@triangle(native=native("tril"), inplace=InPlace(apart="never", native=native("tril_")))
def tril(self: Array, diagonal: int = 0) -> Any:
    """The lower triangle of matrices, zeros elsewhere.

    Args:
        self: tensor with at least two dimensions.
        diagonal: last diagonal to keep; 0 is the main one, positive ones are above it.

    Examples:
        >>> import wengert as wg
        >>> wg.tril(wg.tensor([[1, 2], [3, 4]]))
        tensor([[1, 0],
                [3, 4]])
    """
    check_matrix("tril", self)
    return np.tril(in_rows(self), diagonal)


@tril.vjp("self")
def tril_vjp(grad: Any, diagonal: int) -> Any:
    return grad.tril(diagonal)


@triangle(native=native("triu"), inplace=InPlace(apart="never", native=native("triu_")))
def triu(self: Array, diagonal: int = 0) -> Any:
    """The upper triangle of matrices, zeros elsewhere.

    Args:
        self: tensor with at least two dimensions.
        diagonal: first diagonal to keep; 0 is the main one, positive ones are above it.

    Examples:
        >>> import wengert as wg
        >>> wg.triu(wg.tensor([[1, 2], [3, 4]]))
        tensor([[1, 2],
                [0, 4]])
    """
    check_matrix("triu", self)
    return np.triu(in_rows(self), diagonal)


@triu.vjp("self")
def triu_vjp(grad: Any, diagonal: int) -> Any:
    return grad.triu(diagonal)
