"""Checks of derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...autograd.containers import flatten, mapped, unflatten
from .boxes import getval
from .products import jvp_at, unary_to_nary, vjp_at

STEP = 1e-6
TOLERANCE, RELATIVE_TOLERANCE = 1e-6, 1e-6


def random_like(value: Any) -> Any:
    """Return random numbers like the elements of containers, as a direction or a gradient."""

    def numbers_like(value_of_leaf: Any) -> Any:
        value_of_leaf = np.asarray(getval(value_of_leaf))
        numbers = np.random.standard_normal(value_of_leaf.shape)
        if np.iscomplexobj(value_of_leaf):
            numbers = numbers + 1j * np.random.standard_normal(value_of_leaf.shape)
        return numbers.astype(value_of_leaf.dtype if value_of_leaf.dtype.kind in "fc" else np.float64)[()]

    return mapped(numbers_like, value)


def combined(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function elementwise to containers of one structure."""
    parts = [flatten(value) for value in values]
    return unflatten(
        [function(*elements_of_values) for elements_of_values in zip(*(elements for elements, _ in parts))], parts[0][1]
    )


def inner(x: Any, y: Any) -> float:
    """Real part of the sum of all products."""
    return float(np.real(sum(np.sum(a * b) for a, b in zip(flatten(x)[0], flatten(y)[0]))))


def numerical_jvp(f: Callable[..., Any], x: Any, v: Any) -> Any:
    """Derivative along a direction, by central differences."""
    ahead = f(combined(lambda a, b: a + b * (STEP / 2), x, v))
    behind = f(combined(lambda a, b: a - b * (STEP / 2), x, v))
    return combined(lambda a, b: (a - b) / STEP, ahead, behind)


def scalar_close(a: float, b: float) -> bool:
    """Return whether two numbers agree."""
    return bool(abs(a - b) <= TOLERANCE + RELATIVE_TOLERANCE * abs(b))


def name_of(f: Any) -> str:
    """Return the name of a function."""
    return getattr(f, "__name__", "[unknown name]")


def check_close(what: str, analytic: float, numeric: float) -> None:
    """Refuse numbers that differ.

    Raises:
        AssertionError: if the numbers differ.
    """
    if not scalar_close(analytic, numeric):
        raise AssertionError(f"{what}:\nanalytic: {analytic}\nnumeric:  {numeric}")


def check_equivalent(x: Any, y: Any, what: str = "Value mismatch") -> None:
    """Refuse values that differ in structure, shape or elements.

    Raises:
        AssertionError: if `x` and `y` differ.
    """
    shapes = [mapped(lambda leaf: (np.shape(leaf), np.iscomplexobj(leaf)), value) for value in (x, y)]
    if flatten(x)[1] != flatten(y)[1] or shapes[0] != shapes[1]:
        raise AssertionError(f"VSpace mismatch:\nx: {shapes[0]}\ny: {shapes[1]}")
    v = random_like(x)
    check_close(what, inner(x, v), inner(y, v))


def check_vjp(f: Callable[..., Any], x: Any) -> None:
    """Compare the gradient with finite differences along random directions.

    Raises:
        AssertionError: if they differ.
    """
    vjp, value = vjp_at(f, x)
    direction, weights = random_like(x), random_like(value)
    gradient = vjp(weights)
    for part, like in zip(flatten(gradient)[0], flatten(x)[0]):
        if np.shape(part) != np.shape(like) or np.iscomplexobj(part) != np.iscomplexobj(getval(like)):
            raise AssertionError(f"VSpace mismatch:\nx: {like}\ngradient: {part}")
    wanted = inner(weights, numerical_jvp(f, x, direction))
    check_close(f"Derivative (VJP) check of {name_of(f)} failed with arg {x}", inner(gradient, direction), wanted)


def check_jvp(f: Callable[..., Any], x: Any) -> None:
    """Compare the derivative along a random direction with finite differences.

    Raises:
        AssertionError: if they differ.
    """
    direction = random_like(x)
    what = f"Derivative (JVP) check of {name_of(f)} failed with arg {x}"
    check_equivalent(jvp_at(f, x)(direction)[1], numerical_jvp(f, x, direction), what)


@unary_to_nary
def check_grads(f: Any, x: Any, modes: Sequence[str] = ("fwd", "rev"), order: int = 2) -> None:
    """Compare derivatives up to an order with finite differences, in one mode or both.

    Raises:
        AssertionError: if they differ.
    """
    if not set(modes) <= {"fwd", "rev"}:
        raise ValueError(f"check_grads: modes must be 'fwd' and 'rev', but got {modes}")
    for mode, check in (("fwd", check_jvp), ("rev", check_vjp)):
        if mode in modes:
            check(f, x)
            if order > 1:
                check_grads(derived(f, mode), (0, 1), modes, order - 1)(x, random_like(x if mode == "fwd" else f(x)))


def derived(f: Callable[..., Any], mode: str) -> Callable[..., Any]:
    """Return the derivative of a function as a function of the point and the direction."""

    def derivative(x: Any, direction: Any) -> Any:
        return jvp_at(f, x)(direction)[1] if mode == "fwd" else vjp_at(f, x)[0](direction)

    derivative.__name__ = f"{'jvp' if mode == 'fwd' else 'vjp'}_{name_of(f)}"
    return derivative


def combo_check(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., None]:
    """Return a function that calls `check_grads` for all combinations of arguments from lists."""

    def check(*lists: Any, **named: Any) -> None:
        for positional in product(*lists):
            for keywords in product(*named.values()):
                check_grads(fun, *args, **kwargs)(*positional, **dict(zip(named, keywords)))

    return check
