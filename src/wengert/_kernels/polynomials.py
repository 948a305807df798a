"""Orthogonal polynomials of real numbers, each number with a degree of its own; computed in float64.

Degrees are rounded towards zero; below zero, and where no int64 holds them, a polynomial is 0, as in torch.

Source: Abramowitz and Stegun, Handbook of mathematical functions, 22.3 (closed forms) and 22.7 (recurrences).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .results import Array, deliver
from .special import special

Step = Callable[[int, Array, Array, Array], Array]
"""`step(k, x, last, before)`: the polynomial of degree k + 1 from those of degrees k and k - 1."""

RECURRED = 6
"""Degree up to which Chebyshev polynomials are computed by their recurrence, above by their closed form."""
LONGEST = 1000
"""Degree up to which polynomials without elementary closed form are computed by their recurrence."""
HERMITE_LIMIT = {2: 128, 4: 128, 8: 512}
"""Degree above which Hermite polynomials are NaN, as in torch, by the size of a number."""


def widened(x: Array | float, n: Array | float) -> tuple[Array, Array]:
    """Numbers and degrees in float64, of one shape."""
    number = np.asarray(n, np.float64)
    degrees = np.where(np.abs(number) < 2.0**63, number, -1.0)  # C converts all others, and NaN, to a negative integer
    wide, truncated = np.broadcast_arrays(np.asarray(x, np.float64), np.trunc(degrees))
    return wide, truncated


def narrowed(result: Array, x: Array | float, n: Array | float, out: Array | None) -> Array:
    """A result in the dtype of the operands."""
    like = x if isinstance(x, np.ndarray) else n
    return deliver(result.astype(np.asarray(like).dtype, copy=False), out)


def recurrence(x: Array, n: Array, first: Array, step: Step) -> Array:
    """Polynomials by their recurrence, from 1 and `first`, 0 for negative degrees."""
    result = np.where(n < 0, 0.0, np.where(n == 0, 1.0, first))
    before, last = np.ones_like(x), first
    for degree in range(1, int(n.max(initial=0))):
        before, last = last, step(degree, x, last, before)
        result = np.where(n > degree, last, result)
        if np.isnan(last).all():  # they stay so
            break
    return result


def doubling(k: int, x: Array, last: Array, before: Array) -> Array:
    """The recurrence of all kinds of Chebyshev polynomials."""
    return 2 * x * last - before


def chebyshev(first: Callable[[Array], Array], closed: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    """The Chebyshev polynomials of one kind: `first` is that of degree 1, `closed` those of higher ones."""

    def function(x: Array | float, n: Array | float, out: Array | None = None, *, shifted: bool = False) -> Array:
        wide, degrees = widened(x, n)
        if shifted:
            wide = 2 * wide - 1
        low = recurrence(wide, np.where(degrees > RECURRED, 0, degrees), first(wide), doubling)
        if (degrees > RECURRED).any():
            high = closed(wide, degrees)
            if np.isinf(high).any():  # two steps of the recurrence after the first infinity are their difference
                high = np.where(np.isinf(closed(wide, np.maximum(degrees - 2, 1))), np.nan, high)
            low = np.where(degrees > RECURRED, high, low)
        return narrowed(low, x, n, out)

    return function


def signs(x: Array, n: Array) -> Array:
    """(-1)^n where `x` is negative, else 1."""
    return np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)


def angles(x: Array) -> tuple[Array, Array, Array]:
    """Mask of x <= 1 (x is not negative), arccos(x) and arccosh(x)."""
    inside = x <= 1
    return inside, np.arccos(np.where(inside, x, 0)), np.arccosh(np.where(inside, 1, x))


def quotient(above: Array, below: Array, limit: Array) -> Array:
    """above / below, and `limit` where that is 0 / 0."""
    return np.where(below == 0, limit, above / np.where(below == 0, 1, below))


def first_kind(x: Array, n: Array) -> Array:
    """cos(n t) with cos(t) = |x|; below 0 with the sign of the degree."""
    inside, angle, growth = angles(np.abs(x))
    return signs(x, n) * np.where(inside, np.cos(n * angle), np.cosh(n * growth))


def second_kind(x: Array, n: Array) -> Array:
    """sin((n + 1) t) / sin(t) with cos(t) = |x|; below 0 with the sign of the degree."""
    inside, angle, growth = angles(np.abs(x))
    waves = quotient(np.sin((n + 1) * angle), np.sin(angle), n + 1)
    return signs(x, n) * np.where(inside, waves, quotient(np.sinh((n + 1) * growth), np.sinh(growth), n + 1))


def cosine_half(x: Array, n: Array) -> Array:
    """cos((n + 1/2) t) / cos(t / 2) with cos(t) = x, not negative."""
    inside, angle, growth = angles(x)
    waves = np.cos((n + 0.5) * angle) / np.cos(angle / 2)
    return np.where(inside, waves, np.cosh((n + 0.5) * growth) / np.cosh(growth / 2))


def sine_half(x: Array, n: Array) -> Array:
    """sin((n + 1/2) t) / sin(t / 2) with cos(t) = x, not negative."""
    inside, angle, growth = angles(x)
    waves = quotient(np.sin((n + 0.5) * angle), np.sin(angle / 2), 2 * n + 1)
    return np.where(inside, waves, quotient(np.sinh((n + 0.5) * growth), np.sinh(growth / 2), 2 * n + 1))


def third_kind(x: Array, n: Array) -> Array:
    """V: below 0 by W(-x), whose quotient is more accurate there."""
    return np.where(x < 0, signs(x, n) * sine_half(np.abs(x), n), cosine_half(np.abs(x), n))


def fourth_kind(x: Array, n: Array) -> Array:
    """W: below 0 by V(-x)."""
    return np.where(x < 0, signs(x, n) * cosine_half(np.abs(x), n), sine_half(np.abs(x), n))


chebyshev_t = chebyshev(lambda x: x, first_kind)
chebyshev_u = chebyshev(lambda x: 2 * x, second_kind)
chebyshev_v = chebyshev(lambda x: 2 * x - 1, third_kind)
chebyshev_w = chebyshev(lambda x: 2 * x + 1, fourth_kind)


def hermite(twice: int) -> Callable[..., Array]:
    """Hermite polynomials: the physicists' (`twice` is 2) or those of probability theory (1)."""

    def step(k: int, x: Array, last: Array, before: Array) -> Array:
        return twice * (x * last - k * before)

    def function(x: Array | float, n: Array | float, out: Array | None = None) -> Array:
        wide, degrees = widened(x, n)
        like = x if isinstance(x, np.ndarray) else np.asarray(n)
        most = HERMITE_LIMIT[like.dtype.itemsize]
        values = recurrence(wide, np.where(degrees > most, 0, degrees), twice * wide, step)
        return narrowed(np.where(degrees > most, np.nan, values), x, n, out)

    return function


def by_recurrence(name: str, first: Callable[[Array], Array], step: Step) -> Callable[..., Array]:
    """A family of polynomials by its recurrence; of high degrees as SciPy's function `name` has them."""

    def function(x: Array | float, n: Array | float, out: Array | None = None) -> Array:
        wide, degrees = widened(x, n)
        values = recurrence(wide, np.where(degrees > LONGEST, 0, degrees), first(wide), step)
        if (degrees > LONGEST).any():
            values = np.where(degrees > LONGEST, special(name, np.maximum(degrees, 0), wide), values)
        return narrowed(values, x, n, out)

    return function


hermite_h, hermite_he = hermite(2), hermite(1)
laguerre = by_recurrence(
    "eval_laguerre", lambda x: 1 - x, lambda k, x, last, before: ((2 * k + 1 - x) * last - k * before) / (k + 1)
)
legendre = by_recurrence(
    "eval_legendre", lambda x: x, lambda k, x, last, before: ((2 * k + 1) * x * last - k * before) / (k + 1)
)


Line = tuple[float, float]
Coefficients = Callable[[int], tuple[float, float, float]]

DIFFERENTIATED = 10_000
"""Degree up to which derivatives are computed by the recurrence."""

FAMILIES: dict[str, tuple[Line, Coefficients]] = {
    "chebyshev_t": ((1, 0), lambda k: (2, 0, 1)),
    "chebyshev_u": ((2, 0), lambda k: (2, 0, 1)),
    "chebyshev_v": ((2, -1), lambda k: (2, 0, 1)),
    "chebyshev_w": ((2, 1), lambda k: (2, 0, 1)),
    "hermite_h": ((2, 0), lambda k: (2, 0, 2 * k)),
    "hermite_he": ((1, 0), lambda k: (1, 0, k)),
    "laguerre": ((-1, 1), lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1))),
    "legendre": ((1, 0), lambda k: ((2 * k + 1) / (k + 1), 0, k / (k + 1))),
}
"""For each family p and q of its polynomial p x + q of degree 1, and a, b, c of degree k in its recurrence
(a x + b) last - c before."""


def derivative(x: Array | float, n: Array | float, family: str, shifted: bool, order: int) -> Array:
    """Derivatives of polynomials of one of `FAMILIES`, of order 1 or higher, by their recurrence, differentiated.

    Raises:
        NotImplementedError: if a degree is above `DIFFERENTIATED`.
    """
    wide, degrees = widened(x, n)
    if degrees.max(initial=0) > DIFFERENTIATED:
        raise NotImplementedError(
            f"the derivative for '{family}_polynomial' of a degree above {DIFFERENTIATED} is not implemented."
        )
    wide = 2 * wide - 1 if shifted else wide
    (p, q), coefficients = FAMILIES[family]
    before = [np.full_like(wide, float(not at)) for at in range(order + 1)]
    last = [p * wide + q, *[np.full_like(wide, p if at == 1 else 0.0) for at in range(1, order + 1)]]
    result = np.where(degrees == 1, last[order], 0.0)
    for degree in range(1, int(degrees.max(initial=0))):
        a, b, c = coefficients(degree)
        step = [(a * wide + b) * latest - c * earlier for latest, earlier in zip(last, before)]
        for at in range(1, order + 1):
            step[at] += at * a * last[at - 1]
        before, last = last, step
        result = np.where(degrees > degree, last[order], result)
    return narrowed(result * 2.0**order if shifted else result, x, n, None)
