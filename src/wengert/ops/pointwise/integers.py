"""Functions of integers: greatest common divisors and least common multiples. No derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import INTEGERS, Array, pointwise
from .binary import PAIRS, native, tensor_pairs

_IN_PACKAGE = ("gcd_", "lcm_")

of_integers = partial(
    pointwise,
    numbers=False,
    samples=tensor_pairs,
    dtypes=INTEGERS,
    inplace=True,
    why="integer result",
    describes=PAIRS.format(
        kind="integer tensor", errors=".\n        NotImplementedError: if the operands are not integers"
    ),
)
"""Card decorator for a function of integers."""


@of_integers(native=native("gcd"))
def gcd(self: Array, other: Array, *, out: Any = None) -> Any:
    """The greatest common divisor of `self` and `other`, element by element, not negative; gcd(0, 0) is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.gcd(wg.tensor([12, -4, 0]), wg.tensor([18, 6, 5]))
        tensor([6, 2, 5])
    """
    return np.gcd(self, other, out=out)


@of_integers(native=native("lcm"))
def lcm(self: Array, other: Array, *, out: Any = None) -> Any:
    """The least common multiple of `self` and `other`, element by element, not negative; 0 where one of them is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.lcm(wg.tensor([4, -4, 0]), wg.tensor([6, 6, 5]))
        tensor([12, 12,  0])
    """
    return np.lcm(self, other, out=out)
