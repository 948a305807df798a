"""Calls of the operators of the registry, as text: what their samples are called with, made to depend on a program.

A sample says which arguments an operator takes and from which domain. Each of its floating-point tensors becomes an
expression: the constant, the constant plus a tenth of a sine of something that the program has, or a variable of the
program in its place. So every operator that has a derivative and a public name occurs, and none is listed here.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import wengert as wg
from tools.written import text_of
from wengert._core.cards.card import REGISTRY, Bad, Card
from wengert.testing import Maker

LARGEST = 24
"""Samples with larger tensors are left out."""
LEFT_OUT = ("fake_quantize", "detach", "as_strided", "nextafter")
"""Operators whose derivatives are, on purpose, not those of their values, and one whose values depend on memory."""
UNLIKE_VALUES = ("padding_idx", "scale_grad_by_freq")
"""Arguments that let a gradient be, on purpose, another one than that of the values."""
NAMESPACES = ("linalg", "fft", "special")

Operand = Callable[["Slot"], str]
"""Give the expression that stands in a slot."""


@dataclass(frozen=True)
class Slot:
    """The place of a tensor that is to depend on a program: the values that the sample has there."""

    tensor: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what stands there."""
        return tuple(self.tensor.shape)


@dataclass(frozen=True)
class Call:
    """A way to call an operator.

    Attributes:
        form: how it is called; `{0}` stands for its first argument, `{rest}` for the others, `{all}` for all.
        args, kwargs: the arguments of a sample, with a `Slot` in the place of each tensor that may be another.
        results: what to write behind the call, for each of its results that a derivative leads through.
    """

    form: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: tuple[str, ...]

    def text(self, operand: Operand) -> str:
        """Return the call with an expression in the place of each floating-point tensor."""
        args = [written(value, operand) for value in self.args]
        named = [f"{key}={written(value, operand)}" for key, value in self.kwargs.items()]
        rest, everything = ", ".join(args[1:] + named), ", ".join(args + named)
        return self.form.format(*args[:1], rest=rest, all=everything)


def written(value: Any, operand: Operand) -> str:
    """An argument as text."""
    if isinstance(value, Slot):
        return operand(value)
    if isinstance(value, (tuple, list)):
        inside = ", ".join(written(element, operand) for element in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return str(text_of(value))


def slotted(value: Any) -> Any:
    """An argument with slots in it, which holds no graph alive."""
    if isinstance(value, (tuple, list)) and not isinstance(value, wg.Size):
        return type(value)([slotted(element) for element in value])
    return Slot(value.detach()) if isinstance(value, wg.Tensor) and value.requires_grad else value


def tensors_in(values: Any) -> Iterator[Any]:
    """The tensors among arguments and the elements of lists."""
    for value in values:
        if isinstance(value, wg.Tensor):
            yield value
        elif isinstance(value, Slot):
            yield value.tensor
        elif isinstance(value, (tuple, list)):
            yield from tensors_in(value)


@functools.cache
def functions() -> dict[str, tuple[Call, ...]]:
    """The calls of each operator that returns something new, or a view."""
    return gathered(forms)


@functools.cache
def in_place() -> dict[str, tuple[Call, ...]]:
    """The calls of the in-place form of each operator that has one: `{0}` is written to."""
    return gathered(lambda name, card: [f"{{0}}.{name}_({{rest}})"] if hasattr(wg.Tensor, name + "_") else [])


def gathered(forms_of: Callable[[str, Any], list[str]]) -> dict[str, tuple[Call, ...]]:
    """The calls that a function gives forms of, for all operators that have some."""
    result = {}
    for name, card in sorted(REGISTRY.items()):
        if name.startswith(("_", *LEFT_OUT)) or (isinstance(card, Card) and card.why):
            continue
        texts = forms_of(name, card)
        known = samples(name) if texts else []
        calls = [
            Call(form, *sample)
            for sample in known
            for form in texts
            if not form.startswith("{0}.") or is_tensor(sample[0])
        ]
        if calls:
            result[name] = tuple(calls)
    return result


def is_tensor(args: tuple[Any, ...]) -> bool:
    """Whether the first argument is a tensor, so that a method may be called on it."""
    return bool(args) and isinstance(args[0], (Slot, wg.Tensor))


def forms(name: str, card: Any) -> list[str]:
    """How programs call an operator."""
    texts = [f"{{0}}.{name}({{rest}})"] * bool(card.method) + [f"wg.{name}({{all}})"] * bool(card.function)
    functional = importlib.import_module("wengert.nn.functional")
    if hasattr(functional, name):
        texts.append(f"F.{name}({{all}})")
    for namespace in NAMESPACES:
        short = name.removeprefix(namespace + "_")
        if short != name and hasattr(getattr(wg, namespace), short):
            texts.append(f"wg.{namespace}.{short}({{all}})")
    return texts


@functools.cache
def samples(name: str) -> list[tuple[tuple[Any, ...], dict[str, Any], tuple[str, ...]]]:
    """The samples of an operator that can be written, in real and in complex numbers."""
    result, card = [], REGISTRY[name]
    for dtype in (wg.float64, wg.complex128):
        if card.sampler is None or (isinstance(card, Card) and (card.random or dtype not in card.declared_dtypes)):
            continue
        maker = Maker(dtype, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for sample in card.sampler(maker):
                    results = results_of(card, sample) if maker.smooth and fits(card, sample) else ()
                    if results:
                        result.append((slotted(sample.args), dict(slotted([*sample.kwargs.items()])), results))
                    maker.begin()
            except (RuntimeError, TypeError, ValueError):  # a composite without complex numbers
                continue
    return result


def fits(card: Any, sample: Any) -> bool:
    """Whether a sample is small, has a tensor to be differentiated by, and can be written."""
    values = [*sample.args, *sample.kwargs.values()]
    bound = inspect.signature(card.body).bind_partial(*sample.args, **sample.kwargs).arguments
    tensors = list(tensors_in(values))
    if isinstance(sample, Bad) or sample.through is not None or {"out", "requires_grad"} & {*sample.kwargs}:
        return False
    if any(bound.get(name) not in (None, False, -1) for name in UNLIKE_VALUES):
        return False
    double = all(value.dtype in (wg.float64, wg.complex128) for value in tensors if value.requires_grad)
    small = all(value.numel() <= LARGEST and value.layout == wg.strided for value in tensors)
    plain = [value for value in values if not isinstance(value, wg.Tensor)]
    return double and small and all(text_of(value) is not None for value in plain)


def results_of(card: Any, sample: Any) -> tuple[str, ...]:
    """What to write behind a call for each result that a derivative leads through; none if it draws random numbers."""
    before = wg.get_rng_state()
    try:
        result = (card if isinstance(card, Card) else card.body)(*sample.args, **sample.kwargs)
    except (RuntimeError, TypeError, ValueError, AssertionError):  # as for integers
        return ()
    if not bool((wg.get_rng_state() == before).all()):
        return ()
    if isinstance(result, wg.Tensor):
        return ("",) if result.requires_grad else ()
    if not isinstance(result, (tuple, list)):
        return ()
    return tuple(f"[{at}]" for at, part in enumerate(result) if isinstance(part, wg.Tensor) and part.requires_grad)


def drawn(draw: random.Random, among: dict[str, tuple[Call, ...]]) -> Call:
    """A call of an operator, each of which is as likely as any other; seldom one with no elements."""
    call = draw.choice(among[draw.choice([*among])])
    if draw.random() < 0.8 and any(not tensor.numel() for tensor in tensors_in(call.args)):
        return drawn(draw, among)
    return call
