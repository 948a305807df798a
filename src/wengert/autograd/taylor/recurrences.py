"""Recurrences for the power series of the results of basic operators.

A series is a list of the coefficients c0, c1, ..., cn of powers of t: tensors, or numbers, or None for zero. A
recurrence takes the series of the arguments and that of the result, and computes all coefficients but the first.

Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., 2008, section 13.2. Each takes of the order of n^2
products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product as pairs
from math import factorial, prod
from typing import Any

from ..._core.cards.card import registered

Series = list[Any]


def times(x: Any, y: Any) -> Any:
    """Return the product of two coefficients."""
    return None if x is None or y is None else x * y


def plus(x: Any, y: Any) -> Any:
    """Return the sum of two coefficients."""
    return y if x is None else x if y is None else x + y


def minus(x: Any, y: Any) -> Any:
    """Return the difference of two coefficients."""
    return x if y is None else -y if x is None else x - y


def convolved(x: Series, y: Series, k: int, first: int, last: int) -> Any:
    """Return the sum of x[j] y[k - j] for j from `first` to `last`."""
    total = None
    for j in range(first, last + 1):
        total = plus(total, times(x[j], y[k - j]))
    return total


def integrated(x: Series, derivative: Series, k: int, last: int | None = None) -> Any:
    """Return coefficient k of a function whose derivative is derivative(t) x'(t).

    It is the sum of j x[j] derivative[k - j] / k, for j from 1 to `last`.
    """
    total = None
    for j in range(1, (k if last is None else last) + 1):
        total = plus(total, times(None if x[j] is None else x[j] * (j / k), derivative[k - j]))
    return total


def multiply(y: Series, a: Series, b: Series) -> None:
    """Recurrence of y = a b."""
    for k in range(1, len(y)):
        y[k] = convolved(a, b, k, 0, k)


def divide(y: Series, a: Series, b: Series) -> None:
    """Recurrence of y = a / b."""
    for k in range(1, len(y)):
        rest = minus(a[k], convolved(b, y, k, 1, k))
        y[k] = None if rest is None else rest / b[0]


def exponential(y: Series, x: Series) -> None:
    """Recurrence of y' = y x'."""
    for k in range(1, len(y)):
        y[k] = integrated(x, y, k)


def logarithm(y: Series, x: Series) -> None:
    """Recurrence of x y' = x'."""
    for k in range(1, len(y)):
        rest = minus(x[k], integrated(y, x, k, k - 1))
        y[k] = None if rest is None else rest / x[0]


def root(y: Series, x: Series) -> None:
    """Recurrence of y y = x."""
    for k in range(1, len(y)):
        rest = minus(x[k], convolved(y, y, k, 1, k - 1))
        y[k] = None if rest is None else rest / (2 * y[0])


def rotating(sign: int, other: str) -> Callable[[Series, Series], None]:
    """Return the recurrence of y' = z x', z' = sign y x', where z is another operator."""

    def recurrence(y: Series, x: Series) -> None:
        z: Series = [getattr(x[0], other)()]
        for k in range(1, len(y)):
            y[k] = integrated(x, z, k)
            value = integrated(x, y, k)
            z.append(value if sign > 0 or value is None else -value)

    return recurrence


def cosine(y: Series, x: Series) -> None:
    """Recurrence of y' = - z x', z' = y x'."""
    z: Series = [x[0].sin()]
    for k in range(1, len(y)):
        value = integrated(x, z, k)
        y[k] = None if value is None else -value
        z.append(integrated(x, y, k))


def of_square(start: float, linear: float, square: float) -> Callable[[Series, Series], None]:
    """Return the recurrence of y' = (start + linear y + square y^2) x'."""

    def recurrence(y: Series, x: Series) -> None:
        derivative: Series = [start + (linear + square * y[0]) * y[0]]
        for k in range(1, len(y)):
            y[k] = integrated(x, derivative, k)
            term = convolved(y, y, k, 0, k)
            term = None if term is None else term * square
            derivative.append(plus(term, None if y[k] is None or not linear else y[k] * linear))

    return recurrence


def power(x: Series, exponent: int) -> Series:
    """Return x to a non-negative integer power, by products, which hold also where x is zero."""
    series: Series = [1.0, *[None] * (len(x) - 1)]
    for digit in f"{exponent:b}":
        series = product(series, series)
        series = product(series, x) if digit == "1" else series
    return series


def solution(y: Series, a: Series, b: Series, left: Series, check: Series) -> None:
    """Recurrence of a y = b, or y a = b, for matrices."""
    solve: Any = registered("_linalg_solve_ex")
    if y[0].ndim < a[0].ndim:  # one vector for each matrix
        wide: Series = [y[0].unsqueeze(-1), *y[1:]]
        solution(
            wide, a, [None if coefficient is None else coefficient.unsqueeze(-1) for coefficient in b], left, check
        )
        y[1:] = [None if coefficient is None else coefficient.squeeze(-1) for coefficient in wide[1:]]
        return
    for k in range(1, len(y)):
        rest = minus(b[k], multiplied(a, y, k, left[0]))
        y[k] = None if rest is None else solve(a[0], rest, left[0], False)[0]


def triangular_solution(y: Series, a: Series, b: Series, upper: Series, left: Series, unit: Series) -> None:
    """Recurrence of a y = b, or y a = b, for triangular matrices."""
    solve: Any = registered("_linalg_solve_triangular")
    part, first = ("triu", 1) if upper[0] else ("tril", -1)
    a = [None if coefficient is None else getattr(coefficient, part)(first if unit[0] else 0) for coefficient in a]
    for k in range(1, len(y)):
        rest = minus(b[k], multiplied(a, y, k, left[0]))
        y[k] = None if rest is None else solve(a[0], rest, upper[0], left[0], unit[0])


def multiplied(a: Series, y: Series, k: int, left: bool) -> Any:
    """Return the sum of products of matrices a[j] y[k - j], or y[k - j] a[j], for j from 1."""
    total = None
    for j in range(1, k + 1):
        if a[j] is not None and y[k - j] is not None:
            total = plus(total, a[j] @ y[k - j] if left else y[k - j] @ a[j])
    return total


def minors(y: Series, matrices: list[Series]) -> None:
    """Recurrence of the gradient of a derivative of det(matrices[0]) along all other matrices.

    The derivative is linear in each direction, and zero if there are as many directions as rows. So its Taylor
    polynomial in a perturbation of the matrix is finite.
    """
    operator: Any = registered("_det_minors")
    matrix, *directions = matrices
    size = matrix[0].shape[-1]
    for k in range(1, len(y)):
        for powers in pairs(range(k + 1), repeat=len(directions)):
            factors = [series[power] for series, power in zip(directions, powers)]
            for added in partitions(k - sum(powers), size - 1 - len(directions)):
                chosen = [*factors, *(matrix[power] for power in added)]
                if all(coefficient is not None for coefficient in chosen):
                    count = prod(factorial(added.count(power)) for power in set(added))
                    y[k] = plus(y[k], operator.call(([matrix[0], *chosen],)) / count)


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the partitions of a number into at most `most` positive integers, in ascending order."""
    for count in range(most + 1):
        for parts in combinations_with_replacement(range(1, total + 1), count):
            if sum(parts) == total:
                yield parts


def product(a: Series, b: Series) -> Series:
    """Return the product of two series."""
    return [convolved(a, b, k, 0, k) for k in range(len(a))]


RECURRENCES: dict[str, Callable[..., None]] = {
    "mul": multiply,
    "multiply": multiply,
    "true_divide": divide,
    "square": lambda y, x: multiply(y, x, x),
    "reciprocal": lambda y, x: divide(y, [1.0, *[None] * (len(y) - 1)], x),
    "exp": exponential,
    "log": logarithm,
    "sqrt": root,
    "sin": rotating(-1, "cos"),
    "cos": cosine,
    "sinh": rotating(1, "cosh"),
    "cosh": rotating(1, "sinh"),
    "tanh": of_square(1.0, 0.0, -1.0),
    "tan": of_square(1.0, 0.0, 1.0),
    "sigmoid": of_square(0.0, 1.0, -1.0),
    "_det_minors": minors,
    "_linalg_solve_ex": solution,
    "_linalg_solve_triangular": triangular_solution,
}
"""Recurrences by the name of the operator, whose arguments are those of the recurrence."""
