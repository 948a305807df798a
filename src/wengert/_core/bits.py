"""Sets of small numbers as bits of an integer, which has 64 bits in the compiled core.

A shifted literal, `1 << number`, is a C `int` there: from number 31 on its value is undefined.
"""

from __future__ import annotations

MOST = 62
"""The numbers below it have a bit."""


def bit(number: int) -> int:
    """Return the bit of a number below `MOST`."""
    one: int = 1
    return one << number


def all_below(count: int) -> int:
    """Return the bits of the numbers below `count`; -1, which has every bit, if one of them has none."""
    return -1 if count > MOST else bit(count) - 1
