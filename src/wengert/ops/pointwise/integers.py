"""Functions of integers: greatest common divisors, least common multiples, and shifted bits. No derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import INTEGERS, Array, Bad, Sample, pointwise
from ..._core.tensor.base import OPERATORS
from .binary import broadcast_pairs, tensor_pairs

of_integers = partial(
    pointwise,
    dtypes=INTEGERS,
    inplace=True,
    derivative=None,
    why="integer result",
    describes="""
    Args:
        self: integer tensor.
        other: integer tensor that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: the shapes do not broadcast.
        NotImplementedError: the operands are not integers.
    """,
)
"""The form of a function of integers."""


def shift_samples(make: Any) -> Any:
    """Samples of a shift: in range, out of range, by negative counts."""
    yield from broadcast_pairs(make)
    yield Sample(make(4), 70)
    yield Sample(make(4), 0)
    if make.dtype.is_signed:
        yield Sample(make(4), -1)
    yield Sample(3, make(4))
    yield Bad(make(2), make(3, kind="nonzero"), raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2), 1.5, raises=NotImplementedError, says="not implemented for 'Float'")


@of_integers(numbers=False, samples=tensor_pairs)
def gcd(self: Array, other: Array, *, out: Any = None) -> Any:
    """The greatest common divisor of `self` and `other`, element by element, not negative; gcd(0, 0) is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.gcd(wg.tensor([12, -4, 0]), wg.tensor([18, 6, 5]))
        tensor([6, 2, 5])
    """
    return np.gcd(self, other, out=out)


@of_integers(numbers=False, samples=tensor_pairs)
def lcm(self: Array, other: Array, *, out: Any = None) -> Any:
    """The least common multiple of `self` and `other`, element by element, not negative; 0 where one of them is.

    Examples:
        >>> import wengert as wg
        >>> wg.lcm(wg.tensor([4, -4, 0]), wg.tensor([6, 6, 5]))
        tensor([12, 12,  0])
    """
    return np.lcm(self, other, out=out)


@of_integers(samples=shift_samples)
def bitwise_left_shift(self: Array, other: Array, *, out: Any = None) -> Any:
    """The bits of `self` moved up by `other` places, element by element; 0 if that is no place that there is.

    Args:
        self: integer tensor, or number.
        other: integer tensor that broadcasts with `self`, or number.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2, 3]) << 4
        tensor([16, 32, 48])
    """
    return np.left_shift(self, other, out=out)


@of_integers(samples=shift_samples)
def bitwise_right_shift(self: Array, other: Array, *, out: Any = None) -> Any:
    """The bits of `self` moved down by `other` places, element by element, the sign kept.

    0 (of negative numbers -1) if that is no place that there is.

    Args:
        self: integer tensor, or number.
        other: integer tensor that broadcasts with `self`, or number.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([64, 5, -5]) >> 1
        tensor([32,  2, -3])
    """
    return np.right_shift(self, other, out=out)


OPERATORS.lshift, OPERATORS.ilshift = bitwise_left_shift, bitwise_left_shift.in_place
OPERATORS.rshift, OPERATORS.irshift = bitwise_right_shift, bitwise_right_shift.in_place
