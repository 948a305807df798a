"""Calls that work, as text: what hostile arguments are put into. From the samples of all cards, and by hand."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tools.beside_torch.generate import listed
from tools.hunt import hostile
from tools.written import samples_of, text_of
from wengert._core.cards.card import Card

MOST = 3
"""How many samples of a card serve."""


def forms(name: str, card: Any) -> Iterator[str]:
    """How an operator is called: `{0}` stands for its first argument, `{rest}` for the others, `{all}` for all."""
    wg = hostile.wg
    if card.function:
        yield f"wg.{name}({{all}})"
    if card.method:
        yield f"{{0}}.{name}({{rest}})"
    if hasattr(hostile.F, name):
        yield f"F.{name}({{all}})"
    if hasattr(wg.Tensor, name + "_"):
        yield f"{{0}}.{name}_({{rest}})"
    if not (card.function or card.method):
        yield f"cards[{name!r}].public({{all}})"
    if isinstance(card, Card) and card.takes_out:
        yield f"wg.{name}({{all}}, out=wg.empty(0))" if card.function else f"cards[{name!r}]({{all}}, out=wg.empty(0))"


def from_cards() -> list[str]:
    """Programs of all cards: a line for each argument, then the call."""
    programs = []
    for name, card in hostile.cards.items():
        for args, kwargs in islice(samples_of(name, card), MOST):
            programs += [program(form, args, kwargs) for form in forms(name, card) if args or "{0}" not in form]
    return programs


def program(form: str, args: list[Any], kwargs: dict[str, Any]) -> str:
    """The text of a call."""
    lines, arguments = [], []
    in_place, writes = form.partition("(")[0].endswith("_"), "out=" in form
    for at, text in enumerate(args):
        if writes or (in_place and at == 0):
            text = text.replace(".requires_grad_()", "")
        if any(f"wg.{maker}(" in text for maker in ("tensor", "ones", "empty")):
            lines.append(f"a{at} = {text}")
            text = f"a{at}"
        arguments.append(text)
    named = [f"{key}={text}" for key, text in kwargs.items()]
    first = arguments[0] if arguments else ""
    first = f"({first})" if not first.isidentifier() else first
    call = form.replace("{0}", first).replace("{rest}", ", ".join(arguments[1:] + named))
    return "\n".join([*lines, call.replace("{all}", ", ".join(arguments + named))])


def natives() -> list[str]:
    """Calls of the native kernels, as recorded while the operators' samples ran."""
    kernels = importlib.import_module("wengert._kernels")
    if hostile.native is None:
        return []
    calls: dict[str, str] = {}
    kept = dict(vars(kernels))

    def recording(name: str, function: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            parts = [text_of(value) for value in args] + [
                f"{key}={text_of(value)}" for key, value in named.items() if text_of(value)
            ]
            if None not in parts and name not in calls:
                calls[name] = f"native.{name}({', '.join(map(str, parts))})"
            return function(*args, **named)

        return call

    try:
        for name in dir(hostile.native):
            if callable(kept.get(name)) and not name.startswith("_"):
                setattr(kernels, name, recording(name, kept[name]))
        for text in from_cards():
            settle(text)
    finally:
        vars(kernels).update(kept)
    return [*calls.values(), *DIRECT]


def settle(text: str) -> None:
    """Run a program and its backward pass, whatever comes of it."""
    names = {name: vars(hostile)[name] for name in hostile.__all__}
    *lines, last = text.splitlines()
    try:
        exec("\n".join(lines), names)
        result = eval(last, names)
        if isinstance(result, hostile.wg.Tensor) and result.requires_grad:
            result.sum().backward()
    except Exception:  # other samples do
        return


DIRECT = listed(r"""
    native.direct_add(np.ones((2, 3), 'f4'), np.ones((2, 3), 'f4')) ;
    native.direct_multiply(np.ones((2, 3), 'f4'), 2.0) ; native.direct_divide(np.ones(3), np.ones(3)) ;
    native.direct_subtract(np.ones(3), np.ones(1)) ; native.direct_exp(np.ones((2, 3), 'f4')) ;
    native.direct_log(np.ones((2, 3), 'f4')) ; native.direct_tanh(np.ones((2, 3), 'f4')) ;
    native.direct_relu(np.ones((2, 3), 'f4')) ; native.direct_sigmoid(np.ones((2, 3), 'f4')) ;
    native.direct_erf(np.ones((2, 3), 'f4')) ; native.direct_sqrt(np.ones((2, 3), 'f4')) ;
    native.direct_relu_backward(np.ones(3, 'f4'), np.ones(3, 'f4')) ;
    native.direct_tanh_backward(np.ones(3, 'f4'), np.ones(3, 'f4')) ;
    native.direct_sigmoid_backward(np.ones(3, 'f4'), np.ones(3, 'f4')) ;
    native.direct_silu_backward(np.ones(3, 'f4'), np.ones(3, 'f4')) ; native.bind_twins({}) ; native.set_num_threads(2)
""")


@functools.cache
def every() -> tuple[str, ...]:
    """All programs that can be said, in a fixed order."""
    from tools.hunt.by_hand import CALLS

    texts = [*from_cards(), *natives(), *CALLS]
    return tuple(text for text in dict.fromkeys(texts) if parses(text))


def parses(text: str) -> bool:
    """Whether it is a program."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
