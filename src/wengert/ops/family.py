"""Families of functions that differ in one respect, and functions that differ from their methods."""

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
EXAMPLES = "\n\n    Examples:\n"
"""The heading of the last section of a docstring."""


WRITTEN = """\
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: {error}.
    """
"""Last parameter, and sections, of a function that computes a new tensor or writes into `out`."""


def describes(sections: str, **words: str) -> Callable[[Function], Function]:
    """Return a decorator that appends a family's sections to the docstring of a member, before its examples.

    Args:
        sections: text after the summary, with places for `words`.
        words: words that differ between members.
    """

    def complete(function: Function) -> Function:
        if function.__doc__:
            text, heading, examples = function.__doc__.partition(EXAMPLES)
            shared = sections.format(**words)
            function.__doc__ = f"{text}\n{shared.rstrip()}{heading}{examples}" if examples else f"{text}\n{shared}"
        return function

    return complete


class OnSequence(Card):
    """Function of an operator whose method also accepts its `Sizes` one by one: `flip(x, (0, 1))`, `x.flip(0, 1)`.

    (The method stays a `Card`: Python calls methods of types that it knows without making a bound method first.)
    """

    __doc__ = vars(Card)["__doc__"]  # one for each operator

    def public_as(self, name: str) -> Any:
        """Return the function."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return function_of, (self.name,)


@functools.cache
def on_one_sequence(card: Card) -> OnSequence:
    """Return an operator's function, which is made after the operator is complete."""
    result = OnSequence.__new__(OnSequence)
    take_over(result, card)
    result.__dict__.update(card.__dict__)
    result.spread = -1
    begin_calls(result)
    return result


def on_sequence(card: Card) -> Card:
    """Let the function of an operator accept its `Sizes` as one sequence only; decorates the card."""
    card.function_of = on_one_sequence
    return card


def function_of(name: str) -> Any:
    """Return the function of an operator by name, for its pickle."""
    return registered(name).public


def as_function_of(body: Callable[..., Any], op: Op | None = None, native: Any = None) -> Callable[..., Any]:
    """Decorate the function of a composite that gathers integers by another one, which accepts them as one sequence.
    The method still gathers them.

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
    """Return whether a value is a function of the package, not a method of one of its classes."""
    if isinstance(value, FunctionType):  # results of the package's decorators have the names of their functions
        home, _, _ = value.__qualname__.rpartition(".")
        names = (value.__globals__["__name__"], value.__module__ or "")
        return all(f"{name}.".startswith(f"{PACKAGE}.") for name in names) and (not home or home.endswith("<locals>"))
    return isinstance(value, (Op, PlainCase, Factory))
