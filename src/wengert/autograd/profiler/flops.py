"""Floating-point operations of operators from the shapes of their arguments, by torch's formulas.

Source: `torch/csrc/profiler/util.cpp`, `computeFlops`: two for each multiply-add of a matrix product or of a
two-dimensional convolution; one for each element of the first argument of an elementwise sum or product.
`utils.flop_counter` counts by `matrices` and `windows`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

Shape = list[int]


def of_operator(name: str, details: tuple[Any, ...]) -> int:
    """Return the number of operations of a call; 0 if there is no formula for it or for its arguments.

    Args:
        name: name of the event, such as "aten::mm".
        details: for each argument its shape as a list, or its value; see `Event.details`.
    """
    formula = FORMULAS.get(name)
    if formula is None or details is None:
        return 0
    try:
        return formula(details)
    except (IndexError, TypeError, ValueError):  # arguments without a formula: 0, as in torch
        return 0


def elements(details: tuple[Any, ...]) -> int:
    """Return one operation for each element of the first argument."""
    return prod(shape_of(details[0]))


def matrices(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the operations of a product of matrices, or batches of matrices, of these shapes."""
    return 2 * prod(left) * right[-1]


def windows(batch: int, places: Sequence[int], weight: Sequence[int]) -> int:
    """Return the operations of a convolution: the weight, of this shape, is applied at each place of a batch."""
    return 2 * batch * prod(places) * prod(weight)


def product(details: tuple[Any, ...]) -> int:
    """Return the operations of a matrix product, or of a batch of matrix products."""
    return matrices(shape_of(details[0]), shape_of(details[1]))


def product_added(details: tuple[Any, ...]) -> int:
    """Return the operations of a product that is added to another operand."""
    return product(details[1:])


def convolution(details: tuple[Any, ...]) -> int:
    """Return the operations of a 2-D convolution: (input, weight, bias, stride, padding, dilation, groups)."""
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
    """Return a number for each of two dimensions."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def shape_of(detail: Any) -> Shape:
    """Return the shape of a tensor among the arguments.

    Raises:
        TypeError: if the argument was not a tensor.
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
