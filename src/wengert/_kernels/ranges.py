"""Ranges of floating-point numbers, in NumPy, digit by digit as in torch: a product and a sum are rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import positions
from .normal import fused, fused_doubles
from .results import Array, as_array

WIDTHS = {np.dtype(np.float32): 8, np.dtype(np.float64): 4}
"""Number of elements that torch's loops for AVX2 compute at once."""


def once_rounded(at: Array, pace: Any, offset: Any) -> Array:
    """at * pace + offset in float64, rounded once; twice where that would overflow."""
    with np.errstate(all="ignore"):
        result = fused_doubles(at, pace, offset)
        return as_array(np.where(np.isfinite(result), result, at * pace + offset))


def counted(low: float, pace: float, count: int, dtype: Any) -> Array:
    """`count` numbers from `low` on, `pace` apart.

    They are computed in float64. Pairs of blocks of `WIDTHS` elements are counted from the first element of each block,
    which has been rounded to the dtype; the elements behind the last pair are counted from `low`.

    Args:
        dtype: floating.

    Returns:
        A new vector.
    """
    at = np.arange(count, dtype=np.float64)
    width = WIDTHS.get(np.dtype(dtype))
    if width is None:
        return as_array((float(low) + at * float(pace)).astype(dtype, copy=False))
    in_vectors = count - count % (2 * width)
    place = np.where(at < in_vectors, at % width, 0)
    heads = once_rounded(at - place, float(pace), np.float64(low)).astype(dtype)
    result = once_rounded(place, float(pace), heads.astype(np.float64)).astype(dtype)
    return as_array(np.where(place == 0, heads, result))


def spread(first: Any, last: Any, count: int) -> Array:
    """`count` numbers from `first` to `last`, at equal distances: counted from the nearer of the two.

    Args:
        first, last: NumPy scalars of one inexact dtype, which is that of the result.
        count: 2 or more.

    Returns:
        A new vector.
    """
    kind = first.dtype
    pace, at = (last - first) / kind.type(count - 1), positions.arange(count)
    ahead, behind = at.astype(kind), (count - 1 - at).astype(kind)
    if kind not in WIDTHS:  # complex numbers and halves, of which each step is rounded
        return np.where(at < count // 2, first + pace * ahead, last - pace * behind)
    form = fused if kind == np.float32 else once_rounded
    return np.where(at < count // 2, form(ahead, pace, first), form(behind, -pace, last))


__all__ = ["counted", "spread"]


def one_power(base: float, exponent: Any) -> Any:
    """`base ** exponent` as a number: a complex exponent by length and angle."""
    if not isinstance(exponent, complex):
        return float(np.power(base, float(exponent)))
    if not base > 0:
        return complex(np.exp(exponent * np.log(np.complex128(base))))
    length, angle = np.power(base, exponent.real), exponent.imag * np.log(base)
    return complex(length * np.cos(angle), length * np.sin(angle))


def powers(base: float, exponents: Array, dtype: Any) -> Array:
    """`base ** exponents` in a dtype: complex ones by the logarithm, integers in a wider dtype.

    Returns:
        A new vector.
    """
    if dtype.kind == "c":
        return as_array(np.exp(exponents * np.log(np.asarray(base, dtype))))
    result = np.power(np.asarray(base, np.result_type(exponents.dtype, np.float64)), exponents)
    if dtype.kind in "iu":
        wide = np.int64 if dtype == np.int64 else np.int32  # its lowest value replaces results out of range
        limits = np.iinfo(wide)
        result = np.where((result >= limits.min) & (result < -float(limits.min)), result, limits.min).astype(wide)
    return as_array(result.astype(dtype))
