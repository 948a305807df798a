"""Families of functions that differ in one thing alone, and functions that differ from their methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from .._core.calls.op import Op, begin_calls
from .._core.cards.arguments import checked
from .._core.cards.card import CARDS, Card, registered
from .._core.cards.composed import Factory, PlainCase
from .._core.cards.plain_case import plain_case
from .._core.operators.declaration import take_over

PACKAGE = str(__package__).partition(".")[0]
Function = TypeVar("Function", bound=Callable[..., Any])


def describes(sections: str, **words: str) -> Callable[[Function], Function]:
    """Complete the docstring of a family's member by the sections that the family shares; decorates the member.

    Args:
        sections: what comes after the summary, with places for `words`.
        words: what differs between members.
    """

    def complete(function: Function) -> Function:
        if function.__doc__:
            function.__doc__ = f"{function.__doc__}\n{sections.format(**words)}"
        return function

    return complete


class OnSequence(Card):
    """The function of an operator whose method takes its `Sizes` one by one, too: `flip(x, (0, 1))`, `x.flip(0, 1)`.

    (The method stays a `Card`: Python calls methods of the types that it knows without making a bound one first.)
    """

    __doc__ = vars(Card)["__doc__"]  # of each operator its own

    def public_as(self, name: str) -> Any:
        """The function."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return function_of, (self.name,)


@functools.cache
def on_one_sequence(card: Card) -> OnSequence:
    """What an operator's function is, made when all is said about the operator."""
    result = OnSequence.__new__(OnSequence)
    take_over(result, card)
    result.__dict__.update(card.__dict__)
    result.spread = -1
    begin_calls(result)
    return result


def on_sequence(card: Card) -> Card:
    """Let the function of an operator take its `Sizes` as one sequence only; decorates the card."""
    card.function_of = on_one_sequence
    return card


def function_of(name: str) -> Any:
    """The operator of that name as a function; what its pickle calls."""
    return registered(name).public


def as_function_of(body: Callable[..., Any], op: Op | None = None, native: Any = None) -> Callable[..., Any]:
    """Let the function of a composite that gathers integers be another one, which takes them as one sequence: decorates
    that. The method goes on gathering them.

    Args:
        body: the composite.
        op, native: the plain case of the function, as in `plain_case`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__name__ = function.__qualname__ = body.__name__
        function.__doc__ = body.__doc__
        result = function if op is None else plain_case(function, op, native=native, module="wengert")
        if result is function:
            result = checked(body.__name__, function, module="wengert")
        result.__module__ = "wengert"
        card: Any = CARDS[body.__name__]
        card.public, card.as_function = result, function
        return function

    return decorate


def is_of_package(value: Any) -> bool:
    """Return whether a value is a function of the package, and no method of one of its classes."""
    if isinstance(value, FunctionType):  # what the package's decorators make has the names of what they were given
        home, _, _ = value.__qualname__.rpartition(".")
        names = (value.__globals__["__name__"], value.__module__ or "")
        return all(f"{name}.".startswith(f"{PACKAGE}.") for name in names) and (not home or home.endswith("<locals>"))
    return isinstance(value, (Op, PlainCase, Factory))
