"""Checks of the claims of cards for forward mode: linearity in an input, and partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.cards.card import Card, parameters_of
from .._core.operators import declaration, rules, sources
from .._core.state.grad_mode import no_grad
from .._core.tensor.base import Tensor
from .calls import Call, leaf, replaced, tensors_in
from .differences import Wrong, random_like, refined
from .seeds import reseed

TOLERANCE = 1e-10


def bound_arguments(call: Call) -> list[Any]:
    """Return all arguments of a card's call in the order of its parameters."""
    return list(declaration.bind(call.operator, call.args, call.kwargs))


def rebound(card: Card, bound: list[Any]) -> Call:
    """Return a call with all arguments given."""
    plain = dict(zip(card.names[card.positional :], bound[card.positional :]))
    return Call(card, bound[: card.positional], plain)


def values_of(call: Call) -> list[Any]:
    """Return the floating-point and complex results of a call."""
    reseed()
    with no_grad():
        return [output._array_ for output in call.outputs() if output._array_.dtype.kind in "fc"]


def check_linear(call: Call, seed: int = 0) -> int:
    """Check that a card is linear in the inputs that it names: f(a x + b y) = a f(x) + b f(y).

    Returns:
        The number of inputs checked.

    Raises:
        Wrong: if the card is not linear in an input.
    """
    random = np.random.default_rng(seed)
    card: Card = call.operator
    checked = 0
    for name in card.linear:
        position = card.names.index(name)
        bound = bound_arguments(call)
        tensors = list(tensors_in(bound[position]))
        if not tensors or any(value._array_.dtype.kind not in "fc" for value in tensors):
            continue
        first = [value._array_ for value in tensors]
        second = [random_like(random, array) for array in first]
        a, b = random.standard_normal(2)
        mixed = [a * x + b * y for x, y in zip(first, second)]
        results = [values_of(rebound(card, at(bound, position, arrays))) for arrays in (first, second, mixed)]
        for one, other, both in zip(*results):
            expected = a * one + b * other
            scale = 1 + float(np.abs(expected).max(initial=0))
            if not np.abs(both - expected).max(initial=0) <= TOLERANCE * scale:
                raise Wrong(f"{call} is not linear in '{name}', as its card says")
        checked += 1
    return checked


def at(bound: list[Any], position: int, arrays: list[Any]) -> list[Any]:
    """Return the arguments with other values in the tensors at `position`."""
    following = iter(arrays)
    exchanged = list(bound)
    exchanged[position] = replaced(bound[position], lambda _: leaf(next(following)))
    return exchanged


def check_partials(call: Call, seed: int = 0) -> int:
    """Check that the partial derivatives of a card equal difference quotients elementwise, in a complex direction.

    Returns:
        The number of partial derivatives checked.

    Raises:
        Wrong: if a partial derivative differs from the difference quotient.
    """
    random = np.random.default_rng(seed)
    card: Card = call.operator
    bound = bound_arguments(call)
    checked = 0
    for name, rule in partials_of(card).items():
        position = card.names.index(name)
        value = bound[position]
        if not isinstance(value, Tensor) or value._array_.dtype.kind not in "fc" or not call.smooth:
            continue
        way = random_like(random, value._array_)
        with no_grad():
            partial = run_partial(rule, card, bound)

        def moved(points: Any, position: int = position) -> list[Any]:
            return values_of(rebound(card, at(bound, position, list(points))))

        (numeric,) = refined(moved, [value._array_], [way])
        claimed = np.broadcast_to(way, numeric.shape) * (partial._array_ if isinstance(partial, Tensor) else partial)
        if not np.isfinite(numeric).all():
            continue
        scale = 1 + np.abs(claimed)
        if not (np.abs(numeric - claimed) <= 1e-6 * scale).all():
            raise Wrong(f"{call}: the partial derivative by '{card.names[position]}' is wrong")
        checked += 1
    return checked


def partials_of(card: Card) -> dict[str, Callable[..., Any]]:
    """Return the partial derivatives of a card by input, also those for forward mode only."""
    return {name: rule.fn for name, rule in (card.partial_rules or {}).items()}


def run_partial(rule: Callable[..., Any], card: Card, bound: list[Any]) -> Any:
    """Return a partial derivative at the arguments of a call."""
    read: dict[int, Callable[[int], Any]] = {
        sources.FROM_INPUT: lambda at: bound[at],
        sources.FROM_PLAIN: lambda at: bound[at],
        sources.FROM_OUTPUT: lambda at: rebound(card, bound).outputs()[at],
        sources.FROM_SHAPE: lambda at: tuple(bound[at].shape),
        sources.FROM_DTYPE: lambda at: bound[at]._array_.dtype,
    }
    values = []
    for name in parameters_of(rule):
        source, position = rules.locate(card, name)
        values.append(read[source](position))
    return rule(*values)
