"""An example of each operator for the reference: a sample of its card as a session of Python."""

from __future__ import annotations

import contextlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import wengert as wg
from tools.written import samples_of
from wengert._core.cards.card import REGISTRY, Card

MODULES = ("wengert", "wengert.nn.functional", "wengert.special", "wengert.linalg", "wengert.fft")
"""Where the package offers operators."""
LONGEST = 300
"""Characters of a session that serves at once; where all are longer, the shortest does."""
WORD = {"self": "input"}
"""What examples call parameters that have another name on the cards."""
UNSET = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
"""Functions whose results hold whatever was there: their shape is shown."""
REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, AssertionError)
"""What a sample may end in whose numbers are said in fewer digits."""

Call = Callable[[list[str]], str]
"""Makes the text of a call of those of its arguments."""


def example(module: str, name: str, value: Any) -> str:
    """A session in which a function of the package is called, to stand below its docstring.

    Args:
        module: where programs find it, such as "wengert.linalg".
        name: its name there.
        value: the function.

    Returns:
        Lines with `>>>` and what Python answers; "" if it is no operator, or its docstring has an example.
    """
    card = card_of(module, name, value)
    if card is None or ">>>" in (inspect.getdoc(value) or ""):
        return ""
    path = f"{module.replace('wengert', 'wg', 1)}.{name}"
    return chosen(card, lambda given: f"{path}({', '.join(given)})")


def example_of_method(name: str, value: Any) -> str:
    """The same of a method of Tensor."""
    card = REGISTRY.get(name)
    if card is None or ">>>" in (inspect.getdoc(value) or ""):
        return ""
    return chosen(card, lambda given: f"{bracketed(given[0])}.{name}({', '.join(given[1:])})")


def card_of(module: str, name: str, value: Any) -> Any:
    """The card of a function that a module offers: by its body, or by its name; None if it has none."""
    if module not in MODULES or not callable(value) or isinstance(value, type):
        return None
    body = value.body if isinstance(value, Card) else inspect.unwrap(value)
    by_body = (card for card in REGISTRY.values() if card.body is body)
    return next(by_body, None) or REGISTRY.get(name)


def bracketed(text: str) -> str:
    """An expression before a point."""
    return text if text.isidentifier() else f"({text})"


def chosen(card: Any, call: Call) -> str:
    """The first session that is short enough, or the shortest; "" if there is none."""
    longer = []
    for found in sessions(card, call):
        if len(found) <= LONGEST:
            return found
        longer.append(found)
    return min(longer, key=len, default="")


def sessions(card: Any, call: Call) -> Iterator[str]:
    """The samples of a card that work as they are said, as sessions."""
    for args, kwargs in samples_of(card.name, card):
        lines, given = [], []
        for name, text in zip(names_of(card, len(args)), map(plain, args), strict=True):
            if "wg.tensor(" in text or "wg.ones(" in text:
                lines.append(f"{name} = {text}")
                text = name
            given.append(text)
        last = call([*given, *(f"{key}={plain(text)}" for key, text in kwargs.items())])
        with contextlib.suppress(*REFUSALS):
            yield session([*lines, last + ".shape" * (card.name in UNSET)])


def names_of(card: Any, count: int) -> list[str]:
    """The names of the first parameters; of those that a function takes any number of, with their number."""
    names = [WORD.get(name, name) for name in inspect.signature(card.body).parameters]
    return [*names, *(f"{names[-1]}{at}" for at in range(2, count + 1 if names else 0))][:count]


def plain(text: str) -> str:
    """The text of a tensor that records nothing."""
    return text.replace(".requires_grad_()", "")


def session(lines: list[str]) -> str:
    """The lines of a program with what Python answers to the last of them."""
    *before, last = lines
    names: dict[str, Any] = {"wg": wg, "np": np}
    with warnings.catch_warnings(), wg.random.fork_rng():
        warnings.simplefilter("ignore")
        begun = wg.manual_seed(0).get_state()
        exec("\n".join(before), names)
        result = eval(last, names)
        drawn = not wg.equal(begun, wg.get_rng_state())
    seed = [">>> generator = wg.manual_seed(0)"] * drawn
    answer = [re.sub(r"\n(?=\n)", "\n<BLANKLINE>", repr(result))] * (result is not None)
    return "\n".join([*seed, *(f">>> {line}" for line in lines), *answer])
