"""Floating-point operations of operators, by the shapes of their arguments: torch's formulas.

Source: `torch/csrc/profiler/util.cpp`, `computeFlops`: two for each multiplication and addition of a product or of a
two-dimensional convolution; one for each element of the first argument of a sum or a product element by element.
`utils.flop_counter` counts by `matrices` and `windows`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

Shape = list[int]


def of_operator(name: str, details: tuple[Any, ...]) -> int:
    """The number of operations of a call; 0 where no formula is known, or the arguments are none that it knows.

    Args:
        name: of the event, such as "aten::mm".
        details: of each argument the shape as a list, or the value; see `Event.details`.
    """
    formula = FORMULAS.get(name)
    if formula is None or details is None:
        return 0
    try:
        return formula(details)
    except (IndexError, TypeError, ValueError):  # arguments that the formula does not know: torch says 0, too
        return 0


def elements(details: tuple[Any, ...]) -> int:
    """One for each element of the first argument."""
    return prod(shape_of(details[0]))


def matrices(left: Sequence[int], right: Sequence[int]) -> int:
    """A product of matrices of these shapes, or of a batch of them."""
    return 2 * prod(left) * right[-1]


def windows(batch: int, places: Sequence[int], weight: Sequence[int]) -> int:
    """A convolution: the whole weight, of this shape, meets the input at each of the places."""
    return 2 * batch * prod(places) * prod(weight)


def product(details: tuple[Any, ...]) -> int:
    """A matrix product, or a batch of them."""
    return matrices(shape_of(details[0]), shape_of(details[1]))


def product_added(details: tuple[Any, ...]) -> int:
    """A product that is added to something."""
    return product(details[1:])


def convolution(details: tuple[Any, ...]) -> int:
    """A convolution over two dimensions: (input, weight, bias, stride, padding, dilation, groups)."""
    values = (*details, *DEFAULTS[len(details) :])
    batch, channels, *lengths = shape_of(values[0])
    channels_out, _, *kernel = shape_of(values[1])
    if len(lengths) != 2 or len(kernel) != 2 or isinstance(values[4], str):
        return 0
    places = [
        (length + 2 * pad - spread * (size - 1) - 1) // step + 1
        for length, size, step, pad, spread in zip(lengths, kernel, *(pair(values[at]) for at in (3, 4, 5)))
    ]
    return windows(batch, places, (channels_out, channels // int(values[6]), *kernel))


DEFAULTS = (None, None, None, 1, 0, 1, 1)


def pair(value: Any) -> tuple[Any, ...]:
    """A number for both dimensions, or one for each."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def shape_of(detail: Any) -> Shape:
    """The shape of a tensor among the arguments.

    Raises:
        TypeError: the argument was no tensor.
    """
    if not isinstance(detail, list):
        raise TypeError(f"a tensor was expected, not {detail!r}")
    return detail


FORMULAS: dict[str, Callable[[tuple[Any, ...]], int]] = {
    "aten::mm": product,
    "aten::bmm": product,
    "aten::addmm": product_added,
    "aten::baddbmm": product_added,
    "aten::conv2d": convolution,
    "aten::mul": elements,
    "aten::add": elements,
}
