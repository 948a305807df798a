"""Random tensors: uniform, normal and integer numbers, also in the shape of a tensor, and permutations."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..create.factory import (
    Options,
    batched_shape,
    check_output,
    check_place,
    deliver,
    finish,
    read_dtype,
    read_size,
    read_tuple,
    result_dtype,
)
from ..create.like import array_like
from ..dtype_checks import integers_of, largest_of
from ..family import describes
from .batches import drawn_levels, drawn_room
from .generator import chosen, native_draw

Ints = tuple[int, ...]
C_INTEGERS = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "bool": "bool",
}


UNSIGNED = frozenset(("uint16", "uint32", "uint64"))
LONGEST = {dtypes.float16: (1 << 11) + 1, dtypes.float32: (1 << 24) + 1}
"""Number of non-negative integers that floating-point dtypes represent without gaps."""


def uniform_array(generator: Any, shape: Ints, element: DType, low: float = 0.0, high: float = 1.0) -> Any:
    """Draw numbers from [low, high), for both parts of complex ones.

    Raises:
        NotImplementedError: if the dtype is an integer type.
    """
    if element.category < dtypes.FLOAT:
        raise NotImplementedError(errors.no_kernel("check_uniform_bounds", element))
    if element.category == dtypes.COMPLEX:
        parts = generator.draw(kernels.uniform, (*shape, 2), element.to_real().numpy, low, high)
        return parts.view(element.numpy)[..., 0]
    return generator.draw(kernels.uniform, shape, element.numpy, low, high)


def normal_array(
    generator: Any, shape: Ints, element: DType, mean: float = 0.0, std: float = 1.0, dense: bool = True
) -> Any:
    """Draw numbers of a normal distribution; each part of complex ones has half of the variance.

    Args:
        dense: whether they are written to row-major memory without gaps.

    Raises:
        NotImplementedError: if the dtype is an integer type.
    """
    if element.category < dtypes.FLOAT:
        raise NotImplementedError(errors.no_kernel("normal_kernel_cpu", element))
    return generator.draw(kernels.normal, shape, element.numpy, mean, std, dense)


def numbers_of(draw: Callable[..., Any], source: Any, *parameters: Any) -> Any:
    """Draw the numbers of a kernel of `_kernels/rejection.py` for arrays of one shape, row by row."""
    shape = parameters[0].shape
    return source.draw(draw, *[np.ascontiguousarray(parameter.reshape(-1)) for parameter in parameters]).reshape(shape)


def check_spread(std: float) -> None:
    """Refuse a negative standard deviation, and NaN.

    Raises:
        RuntimeError: if it is negative, or NaN.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def in_memory_order(array: Any, draw: Callable[[Ints], Any]) -> Any:
    """Draw numbers for the elements of an array in the order of memory, as torch does."""
    if array.flags.c_contiguous:
        return draw(array.shape)
    axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    drawn = draw(tuple(array.shape[axis] for axis in axes))
    return drawn.transpose([axes.index(axis) for axis in range(array.ndim)])


def integer_array(generator: Any, low: int, high: int, shape: Ints, element: DType, bounded: bool = True) -> Any:
    """Draw integers from [low, high).

    Args:
        bounded: whether a program passed the bounds; otherwise the dtype determines the number of bits to draw.

    Raises:
        RuntimeError: if the range is empty, or does not fit the dtype.
    """
    check_range(low, high, element)
    few = element.itemsize < 8 if not bounded else None
    return generator.draw(kernels.integers, low, high, shape, element.numpy, few)


def check_range(low: int, high: int, element: DType) -> None:
    """Refuse empty ranges, and those that do not fit the dtype.

    Raises:
        RuntimeError: if the range is refused.
    """
    if element.category == dtypes.COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    check_fit(low, high, element)


def check_fit(low: int, high: int, element: DType) -> None:
    """Refuse ranges that do not fit the dtype.

    Raises:
        RuntimeError: if `low` or the last integer below `high` is beyond what the dtype represents.
    """
    smallest, largest = range_of(element)
    for what, value in (("from", low), ("to - 1", high - 1)):
        if not smallest <= value <= largest:
            name = C_INTEGERS.get(element.name, element.name)
            raise RuntimeError(f"{what} is out of bounds for {name}: {value} is not in [{smallest}, {largest}]")


def range_of(element: DType) -> tuple[int, int]:
    """Return the smallest and the largest integer of a dtype."""
    if element.category == dtypes.BOOL:
        return 0, 1
    if element.category == dtypes.INTEGER:
        return integers_of(element)
    largest = int(largest_of(element))
    return -largest, largest


def sized(make: Any) -> Any:
    """Samples of `rand` and `randn`."""
    yield Sample(2, 3)
    yield Sample((0, 3), requires_grad=True)
    yield Sample(size=(2,), dtype=dtypes.float64)
    yield Bad(-2, raises=RuntimeError, says="Trying to create tensor with negative dimension -2: [-2]")
    yield Bad(2, dtype=dtypes.int64, raises=NotImplementedError, says="not implemented for 'Long'")


DRAWN = """
    Args:
        sizes, size: the lengths, one by one or as one sequence.
        generator: generator of the numbers; the default generator by default.
        out: a tensor to write into.
        dtype: floating or complex; the default dtype by default.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on the result are recorded.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if a length is not an integer.
        RuntimeError: if a length is negative, or the dtype is an integer type.
    """


def drawn(
    name: str, draw: Callable[..., Any], size: tuple[Any, Any], generator: Any, out: Tensor | None, options: Options
) -> Tensor:
    """Return the result of a factory.

    Args:
        name: name of the factory.
        draw: function that makes the array, of a generator, a shape and a dtype.
        size: the lengths passed one by one, and those passed by name.
        generator, out, options: the arguments of the factory.
    """
    dtype, layout, device, pin_memory, requires_grad = options
    check_place(name, device, pin_memory, layout, out=out, dtype=dtype)
    element = result_dtype(name, dtype, out, dtypes.get_default_dtype())
    levels, shape = drawn_levels(), read_size(name, *size)
    check_output(out, shape)
    array = draw(chosen(name, generator), batched_shape(levels, shape), element)
    return deliver(name, array, requires_grad, out, levels)


@composite(method=False)
@describes(DRAWN)
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Draw numbers evenly from [0, 1) (for both parts of complex ones).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
    options = (dtype, layout, device, pin_memory, requires_grad)
    return drawn("rand", uniform_array, (sizes, size), generator, out, options)


@composite(method=False)
@describes(DRAWN)
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Draw numbers of the normal distribution with mean 0 and variance 1 (half of it in each part of complex ones).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.randn(3)
        tensor([ 1.5410, -0.2934, -2.1788])
    """
    options = (dtype, layout, device, pin_memory, requires_grad)
    return drawn("randn", normal_array, (sizes, size), generator, out, options)


for factory in (rand, randn):
    factory.samples(sized)
    plain_case(factory, native=native_draw(factory.__name__), draws=True)


@composite(method=False)
def randint(
    *bounds: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Draw integers evenly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
        bounds: `low` (0 by default), `high` and `size`.
        low: the smallest integer.
        high: one more than the largest.
        size: the lengths, a sequence.
        generator: generator of the numbers; the default generator by default.
        out: a tensor to write into.
        dtype: dtype of the result; int64 by default.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on the result are recorded.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if arguments are missing, or are not integers.
        RuntimeError: if `low` is not less than `high`, or the integers do not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.randint(10, (5,))
        tensor([4, 9, 3, 0, 3])
    """
    check_place("randint", device, pin_memory, layout, out=out, dtype=dtype)
    values = list(bounds)
    if size is None and values and (isinstance(values[-1], (tuple, list)) or len(values) == (3 if high is None else 2)):
        size = values.pop()
    first, last = read_range("randint", values, low, high)
    if size is None:
        raise TypeError(
            f"randint() received an invalid combination of arguments - got {bounds}, but expected (low, high, size)"
        )
    shape = read_tuple("randint", size, len(bounds) or 3)
    element = result_dtype("randint", dtype, out, dtypes.int64)
    levels = drawn_levels()
    check_output(out, shape)
    array = integer_array(chosen("randint", generator), first, last, batched_shape(levels, shape), element)
    return deliver("randint", array, requires_grad, out, levels)


def read_range(name: str, positional: list[Any], low: Any, high: Any) -> tuple[int, int]:
    """Return the bounds of integers: one or two of them by position, the others by name.

    Raises:
        TypeError: if the upper one is missing, there are too many, or one is not an integer.
    """
    values = [*positional, *(bound for bound in (low, high) if bound is not None)]
    if (
        (high is not None and low is not None and positional)
        or len(values) not in (1, 2)
        or (low is not None and len(values) == 1)
    ):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got bounds {positional}, low={low}, high={high}, "
            "but expected (high) or (low, high)"
        )
    for value in values:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(
                f"{name}() received an invalid combination of arguments - bounds must be int, not "
                f"{type(value).__name__}"
            )
    numbers = [int(value.__index__()) for value in values]
    return (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


@randint.samples
def randint_samples(make: Any) -> Any:
    yield Sample(3, (2, 3))
    yield Sample(-1, 3, (0,))
    yield Sample(low=1, high=3, size=(2,), dtype=dtypes.float32, requires_grad=True)
    yield Bad(
        3, 3, (2,), raises=RuntimeError, says="random_ expects 'from' to be less than 'to', but got from=3 >= to=3"
    )
    yield Bad(0, 300, (2,), dtype=dtypes.uint8, raises=RuntimeError, says="to - 1 is out of bounds for unsigned char")
    yield Bad(3, 2, raises=TypeError, says="randint()")


@composite(method=False)
def randperm(
    n: int,
    *,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers 0 ... n - 1 in random order; other arguments as for `rand`. The default dtype is int64.

    Args:
        n: number of elements.
        generator: generator of the order; the default generator by default.
        out, dtype, layout, device, pin_memory, requires_grad: as for `rand`.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if `n` is not an integer.
        RuntimeError: if `n` is negative, or too large for the dtype.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.randperm(5)
        tensor([4, 0, 1, 3, 2])
    """
    check_place("randperm", device, pin_memory, layout, out=out, dtype=dtype)
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(errors.wrong_type("randperm", "n", 1, "int", n))
    (count,) = read_size("randperm", (operator.index(n),))
    element = result_dtype("randperm", dtype, out, dtypes.int64)
    check_numbers(element, count)
    if count - 1 > range_of(element)[1]:
        raise RuntimeError(f"value cannot be converted to type {element.name}_t without overflow: n = {count}")
    check_output(out, (count,))
    levels, source = drawn_levels(), chosen("randperm", generator)
    shape = batched_shape(levels, (count,))
    rows = [source.draw(kernels.permutation, count) for _ in range(math.prod(shape[:-1]))]
    array = np.array(rows, np.int64).reshape(shape)
    return deliver("randperm", array.astype(element.numpy, copy=False), requires_grad, out, levels)


def check_numbers(element: DType, count: int) -> None:
    """Refuse dtypes that cannot represent the numbers below `count`.

    Raises:
        NotImplementedError: if the dtype is complex, bool or a wide unsigned integer type.
        RuntimeError: if it does not represent all of the numbers.
    """
    if element.category in (dtypes.COMPLEX, dtypes.BOOL) or element.name in UNSIGNED:
        raise NotImplementedError(f"\"randperm\" not implemented for '{element.legacy[:-6]}'")
    if count > LONGEST.get(element, count):
        raise RuntimeError(f"randperm: n cannot be greater than {LONGEST[element]} for {element.name}, but got {count}")


@randperm.samples
def randperm_samples(make: Any) -> Any:
    yield Sample(5)
    yield Sample(0, dtype=dtypes.float32)
    yield Bad(-3, raises=RuntimeError, says="Trying to create tensor with negative dimension -3: [-3]")
    yield Bad(3.0, raises=TypeError, says="must be int, not float")


for factory in (randint, randperm):
    plain_case(factory, native=native_draw(factory.__name__), draws=True)

__all__ = ["rand", "randint", "randn", "randperm"]


def likes(make: Any) -> Any:
    """Samples of `rand_like` and `randn_like`."""
    yield Sample(make(2, 3))
    yield Sample(make(0, 3), dtype=dtypes.float64, requires_grad=True)
    yield Bad([1], raises=TypeError, says="must be Tensor, not list")


DRAWN_LIKE = """
    Args:
        input: tensor.
        generator: generator of the numbers; the default generator by default.
        dtype, layout, device, pin_memory, requires_grad, memory_format: as for `zeros_like`.

    Returns:
        A new leaf.
    """


def drawn_like(
    name: str, draw: Callable[..., Any], input: Tensor, generator: Any, options: Options, memory_format: Any
) -> Tensor:
    """Return the result of a factory, with the shape of a tensor.

    Args:
        name: name of the factory.
        draw: function that makes the array, of a generator, a shape, a dtype, and whether it is row-major.
        input, generator, options, memory_format: the arguments of the factory.
    """
    levels = drawn_levels(input)
    array = array_like(name, input, options, memory_format, levels)
    element = read_dtype(name, options[0], input.dtype)
    if levels:
        array[...] = draw(chosen(name, generator), drawn_room(levels, array.shape[len(levels) :]), element, True)
    else:
        dense, source = array.flags.c_contiguous, chosen(name, generator)
        array[...] = in_memory_order(array, lambda shape: draw(source, shape, element, dense))
    return finish(name, array, options[-1], levels)


def uniform_numbers(generator: Any, shape: tuple[int, ...], element: DType, dense: bool) -> Any:
    """Draw the numbers of `rand`, whose order is the same for any strides."""
    return uniform_array(generator, shape, element)


def normal_numbers(generator: Any, shape: tuple[int, ...], element: DType, dense: bool) -> Any:
    """Draw the numbers of `randn`, whose order depends on whether the memory is dense."""
    return normal_array(generator, shape, element, dense=dense)


@composite(method=False)
@describes(DRAWN_LIKE)
def rand_like(
    input: Tensor,
    *,
    generator: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`rand` of the shape and dtype of a tensor; other arguments as for `rand` and `zeros_like`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.rand_like(wg.zeros(3))
        tensor([0.4963, 0.7682, 0.0885])
    """
    options = (dtype, layout, device, pin_memory, requires_grad)
    return drawn_like("rand_like", uniform_numbers, input, generator, options, memory_format)


@composite(method=False)
@describes(DRAWN_LIKE)
def randn_like(
    input: Tensor,
    *,
    generator: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`randn` of the shape and dtype of a tensor; other arguments as for `randn` and `zeros_like`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.randn_like(wg.zeros(3))
        tensor([ 1.5410, -0.2934, -2.1788])
    """
    options = (dtype, layout, device, pin_memory, requires_grad)
    return drawn_like("randn_like", normal_numbers, input, generator, options, memory_format)


for factory in (rand_like, randn_like):
    factory.samples(likes)


@composite(method=False)
def randint_like(
    input: Tensor,
    *bounds: Any,
    low: Any = None,
    high: Any = None,
    generator: Any = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`randint` of the shape and dtype of a tensor: `randint_like(input, high)` or `randint_like(input, low, high)`.

    Args:
        input: tensor.
        bounds, low, high: the smallest integer (0 by default), and one more than the largest.
        generator: generator of the numbers; the default generator by default.
        dtype, layout, device, pin_memory, requires_grad, memory_format: as for `zeros_like`.

    Returns:
        A new leaf.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.randint_like(wg.zeros(3), 10)
        tensor([4., 9., 3.])
    """
    levels = drawn_levels(input)
    options = (dtype, layout, device, pin_memory, requires_grad)
    array = array_like("randint_like", input, options, memory_format, levels)
    element = read_dtype("randint_like", dtype, input.dtype)
    if isinstance(high, Tensor) and not bounds and low is None:
        bounds, high = (high,), None
    if len(bounds) == 1 and isinstance(bounds[0], Tensor) and low is None and high is None:
        if bounds[0].ndim:
            raise RuntimeError("high must be a scalar tensor and on CPU")
        bounds = (int(bounds[0].to(dtypes.int64)),)
    first, last = read_range("randint_like", list(bounds), low, high)
    source = chosen("randint_like", generator)
    if levels:
        shape = drawn_room(levels, array.shape[len(levels) :])
        array[...] = integer_array(source, first, last, shape, element)
    else:
        array[...] = in_memory_order(array, lambda shape: integer_array(source, first, last, shape, element))
    return finish("randint_like", array, requires_grad, levels)


@randint_like.samples
def randint_like_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 3)
    yield Sample(make(2), 1, 3)
    yield Bad(make(2), 3, 1, raises=RuntimeError, says="but got from=3 >= to=1")


__all__ = ["rand_like", "randint_like", "randn_like"]
