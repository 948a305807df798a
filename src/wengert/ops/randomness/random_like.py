"""Random tensors of the shape and dtype of another tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..create.factory import Options, finish, read_dtype
from ..create.like import array_like
from ..family import describes
from .batches import drawn_levels, drawn_room
from .generator import chosen
from .random import in_memory_order, integer_array, normal_array, read_range, uniform_array


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
