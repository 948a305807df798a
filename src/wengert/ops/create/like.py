"""Factories with the size or dtype of a tensor: `zeros_like` and its family, `new_zeros` and its family."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types.devices import refuse_absent, strided
from ..._core.types.dtypes import dtype as DType
from ..dtype_checks import checked_number
from ..family import describes
from ..memory.kept import in_kept
from ..memory.memory_formats import strides_in
from .create import (
    ArrayOfSize,
    copy_of_members,
    copy_warning,
    ones_of_size,
    uninitialised,
    zeros_of_size,
)
from .factory import (
    Levels,
    Options,
    array_of_layout,
    batched_shape,
    batches_of,
    check_place,
    finish,
    read_dtype,
    read_number,
    read_size,
    read_tuple,
)
from .infer import array_of


def array_like(name: str, source: Any, options: Options, memory_format: Any, levels: Levels) -> Any:
    """Return an uninitialised array of a tensor's shape, with the same order in memory unless `memory_format` differs.

    For a tensor that is to carry batches, return those of all members, concatenated.

    Raises:
        TypeError: if `source` is not a tensor.
    """
    if not isinstance(source, Tensor):
        raise TypeError(errors.wrong_type(name, "input", 1, "Tensor", source))
    dtype, layout, device, pin_memory, _ = options
    check_place(name, device, pin_memory, layout, sparse=True)
    element = read_dtype(name, dtype, source.dtype).numpy
    if is_sparse(source, device) and layout in (None, source.layout):
        return sparse_like(name, source._array_, element)
    if is_sparse(source, device) or layout not in (None, strided):
        return array_of_layout(name, layout, uninitialised, source._array_.shape, element)
    shape, strides = source._array_.shape, strides_in(source._array_, memory_format)
    if levels:
        shape, strides = batched_shape(levels, shape), (*strides_of(levels, math.prod(shape)), *strides)
    return layouts.empty(shape, strides, element)


def is_sparse(source: Any, device: Any) -> bool:
    """Return whether a tensor is sparse.

    Raises:
        ElsewhereError: if it is on the device "meta", and no other one is given.
    """
    if source._flags_ & flags.SPARSE and source.is_meta:
        if device is None:
            refuse_absent("meta")
        return False
    return source._flags_ & flags.SPARSE != 0


def sparse_like(name: str, array: Any, element: Any) -> Any:
    """Return the array of a tensor of the shape and layout of a sparse one."""
    if hasattr(array, "like"):  # a compressed one
        return array.like(name, element)
    from ..._core.tensor.coordinates import without_entries

    return without_entries(array, element)


def strides_of(levels: Levels, span: int) -> tuple[int, ...]:
    """Return the strides of batches whose members take `span` elements each."""
    return tuple([step * span for step in layouts.row_major(tuple([level.size for level in levels]))])


def likes(make: Any) -> Any:
    """Samples of a factory that takes a tensor."""
    yield Sample(make(2, 3))
    yield Sample(make(0, 3), requires_grad=True)
    yield Sample(make())
    yield Bad([1], raises=TypeError, says="must be Tensor, not list")
    yield Bad(make(2), device="cuda", raises=AssertionError, says="cuda")


LIKE = """
    Args:
        input: tensor.
        dtype: dtype of the result; the tensor's by default.
        layout: a sparse one for a tensor of zeros; that of the tensor by default.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on the result are recorded.
        memory_format: `contiguous_format` for row-major order; otherwise the order of the tensor's elements.

    Returns:
        A new leaf.

    Raises:
        TypeError: if `input` is not a tensor.
        RuntimeError: if the dtype cannot require a gradient.
    """


fill_zeros: Callable[[Any], None] = methodcaller("fill", 0)
fill_ones: Callable[[Any], None] = methodcaller("fill", 1)


def like(name: str, fill: Callable[[Any], None] | None, input: Tensor, options: Options, memory_format: Any) -> Tensor:
    """Return the result of a factory, with the shape of a tensor.

    Args:
        name: name of the factory.
        fill: function that writes to the array; None leaves it unchanged.
        input, options, memory_format: the arguments of the factory.
    """
    levels = batches_of(input)
    array = array_like(name, input, options, memory_format, levels)
    if fill is not None:
        fill(array)
    return finish(name, array, options[-1], levels)


@composite(method=False)
@describes(LIKE)
def zeros_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return zeros of the shape of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros_like(wg.tensor([1, 2, 3]))
        tensor([0, 0, 0])
    """
    return like("zeros_like", fill_zeros, input, (dtype, layout, device, pin_memory, requires_grad), memory_format)


@composite(method=False)
@describes(LIKE)
def ones_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return ones of the shape of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.ones_like(wg.tensor([1, 2, 3]), dtype=wg.float64)
        tensor([1., 1., 1.], dtype=torch.float64)
    """
    return like("ones_like", fill_ones, input, (dtype, layout, device, pin_memory, requires_grad), memory_format)


@composite(method=False)
@describes(LIKE)
def empty_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return an uninitialised tensor of the shape of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.empty_like(wg.ones(2, 3)).shape
        torch.Size([2, 3])
    """
    return like("empty_like", None, input, (dtype, layout, device, pin_memory, requires_grad), memory_format)


for factory in (zeros_like, ones_like, empty_like):
    factory.samples(likes)


@composite(method=False)
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor of the shape of another one, filled with a number; other arguments, result and errors as for
    `zeros_like`.

    Args:
        input: tensor.
        fill_value: a number.
        dtype, layout, device, pin_memory, requires_grad, memory_format: as for `zeros_like`.

    Returns:
        A new leaf.

    Examples:
        >>> import wengert as wg
        >>> wg.full_like(wg.tensor([1, 2, 3]), 7)
        tensor([7, 7, 7])
    """
    levels = batches_of(input)
    array = array_like("full_like", input, (dtype, layout, device, pin_memory, requires_grad), memory_format, levels)
    value = read_number("full_like", "fill_value", 2, fill_value)
    array.fill(checked_number(value, read_dtype("full_like", dtype, input.dtype), halves=array.size != 1))
    return finish("full_like", array, requires_grad, levels)


@full_like.samples
def full_like_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 2)
    yield Sample(make(0), 1, requires_grad=True)
    yield Bad(make(2), [3], raises=TypeError, says="must be Number, not list")


def news(make: Any) -> Any:
    """Samples of a method that takes a size."""
    yield Sample(make(2), 2, 3)
    yield Sample(make(2), (0, 3), requires_grad=True)
    yield Sample(make(), size=())
    yield Bad(make(2), -2, raises=RuntimeError, says="Trying to create tensor with negative dimension -2")
    yield Bad(make(2), 2.0, raises=TypeError, says="must be tuple of ints, not float")


NEW = """
    Args:
        input: tensor.
        sizes, size: the lengths, one by one or as one sequence.
        dtype: dtype of the result; the tensor's by default.
        layout: a sparse one for a tensor of zeros; that of the tensor by default.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on the result are recorded.

    Returns:
        A new leaf.

    Raises:
        TypeError: if a length is not an integer.
        RuntimeError: if a length is negative, or the dtype cannot require a gradient.
    """


def new(name: str, array_of_size: ArrayOfSize, input: Tensor, size: tuple[Any, Any], options: Options) -> Tensor:
    """Return the result of a method, with the dtype of a tensor.

    Args:
        name: name of the method.
        array_of_size: function that makes the array.
        input, options: the arguments of the method.
        size: the lengths passed one by one, and those passed by name.
    """
    dtype, layout, device, pin_memory, requires_grad = options
    check_place(name, device, pin_memory, layout, sparse=True)
    element = read_dtype(name, dtype, input.dtype)
    levels = batches_of(input)
    if layout is None and is_sparse(input, device):
        layout = input.layout
    array = array_of_layout(name, layout, array_of_size, batched_shape(levels, read_size(name, *size)), element.numpy)
    return finish(name, array, requires_grad, levels)


@composite(function=False)
@describes(NEW)
def new_zeros(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return zeros of the dtype of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5], dtype=wg.float64).new_zeros(2)
        tensor([0., 0.], dtype=torch.float64)
    """
    return new("new_zeros", zeros_of_size, input, (sizes, size), (dtype, layout, device, pin_memory, requires_grad))


@composite(function=False)
@describes(NEW)
def new_ones(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return ones of the dtype of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5], dtype=wg.float64).new_ones(2)
        tensor([1., 1.], dtype=torch.float64)
    """
    return new("new_ones", ones_of_size, input, (sizes, size), (dtype, layout, device, pin_memory, requires_grad))


@composite(function=False)
@describes(NEW)
def new_empty(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return an uninitialised tensor of the dtype of a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5], dtype=wg.float64).new_empty(2, 3).dtype
        torch.float64
    """
    return new("new_empty", uninitialised, input, (sizes, size), (dtype, layout, device, pin_memory, requires_grad))


for method in (new_zeros, new_ones, new_empty):
    method.samples(news)


@composite(function=False)
def new_full(
    input: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of the dtype of another one, filled with a number; other arguments, result and errors as for
    `new_zeros`.

    Args:
        input: tensor.
        size: the lengths, a sequence.
        fill_value: a number.
        dtype, layout, device, pin_memory, requires_grad: as for `new_zeros`.

    Returns:
        A new leaf.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5], dtype=wg.float64).new_full((2,), 7)
        tensor([7., 7.], dtype=torch.float64)
    """
    check_place("new_full", device, pin_memory, layout)
    is_sparse(input, device)
    shape = read_tuple("new_full", size, 1)
    element = read_dtype("new_full", dtype, input.dtype)
    value = checked_number(read_number("new_full", "fill_value", 2, fill_value), element, halves=math.prod(shape) != 1)
    levels = batches_of(input)
    return finish(
        "new_full", in_kept(np.full, batched_shape(levels, shape), value, element.numpy), requires_grad, levels
    )


@new_full.samples
def new_full_samples(make: Any) -> Any:
    yield Sample(make(2), (2, 3), 1)
    yield Sample(make(2), (0,), 2, requires_grad=True)
    yield Bad(make(2), 2, 2, raises=TypeError, says="must be tuple of ints, not int")


@composite(function=False)
def new_tensor(
    input: Tensor, data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`tensor(data)` in the dtype of a tensor (an array keeps its own).

    Args:
        input: tensor.
        data: argument of `tensor`.
        dtype, device, requires_grad: as for `new_zeros`.

    Returns:
        A new leaf.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5], dtype=wg.float64).new_tensor([1, 2])
        tensor([1., 2.], dtype=torch.float64)
    """
    check_place("new_tensor", device)
    is_sparse(input, device)
    if isinstance(data, Tensor):
        anomaly.warn(copy_warning("tensor.new_tensor"))
        if data._flags_ & (flags.BATCHED | flags.SPARSE):
            return copy_of_members(data, dtype, requires_grad)
    is_array = isinstance(data, (np.ndarray, np.generic))
    wanted = None if dtype is None and is_array else read_dtype("new_tensor", dtype, input.dtype)
    levels, array = batches_of(input), array_of(data, wanted)
    if levels:
        array = np.array(np.broadcast_to(array, batched_shape(levels, array.shape)), order="C")
    return finish("new_tensor", array, requires_grad, levels)


@new_tensor.samples
def new_tensor_samples(make: Any) -> Any:
    yield Sample(make(2), [[1, 2], [3, 4]])
    yield Sample(make(2), 1, requires_grad=True)
    yield Bad(make(2), [[1, 2], [3]], raises=ValueError, says="expected sequence of length 2 at dim 1 (got 1)")


for factory in (zeros_like, ones_like, empty_like, full_like, new_zeros, new_ones, new_empty, new_full):
    plain_case(factory, native=kernels.direct_function(factory.__name__))

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]
