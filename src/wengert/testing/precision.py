"""Values and derivatives of operators by formulas in fifty digits, and errors of computed ones.

Formulas are functions of mpmath. A point on a branch cut is on the side of the sign of its zero; derivatives are those
along the ray from 0, which contains all cuts of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core.backward.passes import grad
from .._core.tensor.base import wrap
from ..func.forward import jvp

DIGITS = 50
STEP = 30
"""Digits of the relative step of differences, whose error is the square of the step."""
LOST = 8
"""Digits at the end that a formula may lose: a difference of no others is 0."""
SIDE = "1e-4000"
"""Replacement of a signed zero: smaller than any compared number."""


def real_points(dtype: Any) -> np.ndarray:
    """Return numbers of every magnitude of a dtype, some near 0, 1 and the poles of tan, and their negatives."""
    facts = np.finfo(dtype)
    one, top = facts.dtype.type(1), 0.49 * np.log2(float(facts.max))
    near = [np.nextafter(one, 0), one, np.nextafter(one, 2), 1 - 1e-3, 1 + 1e-3, np.pi / 2, 11.0]
    small = [facts.smallest_subnormal, facts.tiny, *(2.0 ** -np.linspace(1, top, 4))]
    sizes = np.array([*small, *near, 0.3, 0.7, 2.0, 5.0, 15.0, 30.0, 85.0], dtype)
    large = np.array([100.0, 600.0, *(2.0 ** np.linspace(8, top, 3))], dtype)
    sizes = np.concatenate([sizes, large])
    return np.concatenate([sizes, -sizes])


def complex_points(dtype: Any) -> np.ndarray:
    """Return numbers of all quadrants, near the branch points and on both sides of the cuts, which are on the axes."""
    part = np.empty(0, dtype).real.dtype.type
    sizes = [1e-6, 0.4, 1.001, 6.0]
    zeros = [0.0, -0.0]
    numbers = [complex(sign * size, zero) for size in sizes for sign in (1, -1) for zero in zeros]
    numbers += [complex(value.imag, value.real) for value in numbers]
    numbers += [size * complex(np.cos(angle), np.sin(angle)) for size in sizes for angle in np.arange(0.2, 6.2, 1.2)]
    points = np.empty(len(numbers), dtype)
    points.real, points.imag = [part(value.real) for value in numbers], [part(value.imag) for value in numbers]
    return points


def exact(formula: Callable[[Any], Any], points: np.ndarray) -> Iterator[tuple[int, list[Any]]]:
    """Iterate over the points where a formula and its derivatives are finite: index, and the three values.

    The derivatives are differences along the ray, of steps far below the distance of any point to the nearest pole.
    """
    import mpmath as mp

    for at, point in enumerate(points):
        step = STEP + max(int(np.log10(abs(complex(point)))), 0)
        with mp.workdps(digits(point) + 2 * step):
            z, t = placed(point), mp.mpf(10) ** -step
            try:
                below, value, above = [formula(z * (1 + side * t)) for side in (-1, 0, 1)]
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            noise = max(abs(value), 1) * mp.mpf(10) ** (LOST - mp.mp.dps)
            first, second = above - below, above - 2 * value + below
            first, second = [difference if abs(difference) > noise else mp.mpf(0) for difference in (first, second)]
            terms = [value, first / (2 * t * z), second / (t * z) ** 2]
            if all(mp.isfinite(value) for value in terms):
                if np.iscomplexobj(points) or all(mp.im(value) == 0 for value in terms):
                    yield at, terms


def digits(point: Any) -> int:
    """Return the digits needed such that `DIGITS` remain in differences of z^2 (small and large z), e^z or e^(z^2).

    Values below the smallest number of the dtype need not be known.
    """
    size = abs(complex(point))
    return int(DIGITS + 3 * abs(np.log10(size)) + min(size * max(size, 1) if size < 30 else 900, 900))


def placed(point: Any) -> Any:
    """Return a point as a number of mpmath, beside its axis if it is on one."""
    import mpmath as mp

    if not np.iscomplexobj(point):
        return mp.mpf(float(point))
    parts = [float(component) for component in (point.real, point.imag)]
    return mp.mpc(*[mp.mpf(part) if part else mp.mpf(SIDE) * (-1 if np.signbit(part) else 1) for part in parts])


def computed(function: Callable[[Any], Any], points: np.ndarray, way: str) -> list[np.ndarray]:
    """Return value, first and second derivative at each point, by "reverse" or "forward" mode."""
    x: Any = wrap(points.copy())
    ones = wrap(np.ones_like(points))
    if way == "reverse":
        x.requires_grad_()
        value = function(x)
        (first,) = grad(value, x, ones, create_graph=True, materialize_grads=True)
        (second,) = grad(first, x, ones, materialize_grads=True)
        return [value.detach().numpy(), np.conj(first.detach().numpy()), np.conj(second.numpy())]
    along = lambda x: jvp(function, (x,), (ones,))[1]  # noqa: E731
    return [function(x).numpy(), along(x).numpy(), jvp(along, (x,), (ones,))[1].numpy()]


def error(number: Any, wanted: Any, dtype: Any, scale: float = 0.0) -> float:
    """Return the error of a number in units in the last place of the exact one or, if it is larger, of `scale`.

    Complex numbers are measured as a whole. Beyond the largest number of the dtype any number as large or infinite is
    correct; below the smallest normal number that number is the unit, because kernels may flush to zero.
    """
    import mpmath as mp

    facts = np.finfo(dtype)
    with mp.workdps(DIGITS):
        size = abs(wanted)
        if size >= mp.mpf(float(facts.max)) / 2:
            return 0.0 if not np.isfinite(number) or abs(number) > facts.max / 4 else float("inf")
        if not np.isfinite(number):
            return float("inf")
        size = max(size, mp.mpf(scale), mp.mpf(float(facts.tiny)) / float(facts.eps))
        unit = mp.ldexp(float(facts.eps), mp.frexp(size)[1] - 1)
        actual = mp.mpc(complex(number)) if np.iscomplexobj(number) else mp.mpf(float(number))
        return float(abs(actual - wanted) / unit)
