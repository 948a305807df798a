"""What a card gets of its declaration: the options beside the signature, and its rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..kernel_names import OF_OPERATORS
from ..operators import sources
from ..operators.rules import Rule, locate
from ..types import dtypes
from ..types.dtypes import dtype as DType
from .node_classes import NodeClasses
from .options import completed

APART = ("never", "itself", "partly", "wholly")
LAYOUTS = ("rows", "iterator", "like", "suggested", "own", "reversed", "power", "scaled")
SIGHTS = ("part", "dtype", "batch", "signs", "memory")
"""What `Options` say in words, in the order of the numbers in `sources`."""

ATEN = "aten::"
"""Before the name of an operator that torch knows to have no rule."""

KEPT = frozenset(["batching", "crossing", "function", "keeps_numbers", "method", "mixed", "takes_halves"])
"""Options that are attributes of a card under the same names."""


def fill_options(card: Any, options: dict[str, Any]) -> None:
    """Take over what was said beside the signature.

    Raises:
        TypeError: there is no such option, or the card has neither a derivative nor a reason why.
    """
    given = completed(options)
    if given["derivative"] is None:
        if not given["why"]:
            raise TypeError(f"{card.name}: an operator without derivative needs a reason (why=...)")
        card.why = given["why"]
    for name in options:
        if name in KEPT:
            setattr(card, name, options[name])
    if given["kernel"]:
        OF_OPERATORS[card.name] = given["kernel"]
    card.options = options
    card.shares = {}
    card.declared_dtypes = declared = frozenset(given["dtypes"])
    card.accepts = numpy_dtypes(declared.union(given["explained"]) if given["explained"] else declared)
    card.promotion = given["promote"]
    card.numbers = numbers_among(card, given["numbers"])
    card.lone_numbers = given["lone_numbers"]
    card.allows_larger = given["larger"]
    card.native = given["native"]
    card.writer = given["write"]
    card.overwrites = given["overwrites"]
    card.tail = given["tail"]
    apart = given["apart"]
    card.apart = APART.index(apart) if isinstance(apart, str) else sources.APART_WARNED
    if card.apart == sources.APART_WARNED:
        card.warn_shared = apart
    card.layout = LAYOUTS.index(given["layout"])
    card.view = bool(given["view"])
    card.sees = SIGHTS.index(given["view"]) if isinstance(given["view"], str) else sources.SEES_PART
    card.output_names = given["outputs"]
    card.several = given["several"] or bool(given["outputs"])
    card.differentiable = given["differentiable"]
    if given["zero"]:
        mark_zero(card, (given["zero"],) if isinstance(given["zero"], str) else given["zero"])
    if given["linear"]:
        card.linear = (given["linear"],) if isinstance(given["linear"], str) else given["linear"]
    card.random = given["random"]
    node = "torch::autograd::NotImplemented" if given["refused"].startswith(ATEN) else given["node"]
    nodes = NodeClasses(card.name, node, given["choose"], card.view)
    nodes.serve(card)


def refusal(words: str) -> Callable[[Any], Any]:
    """The reverse rule of inputs without derivative, which raises torch's error; `words` as in `Options.refused`."""
    error: Exception = NotImplementedError(f"the derivative for '{words}' is not implemented.")
    if words.startswith(ATEN):
        error = RuntimeError(f"derivative for {words} is not implemented")

    def refuse(grad: Any) -> Any:
        raise type(error)(*error.args)

    return refuse


def mark_zero(card: Any, names: tuple[str, ...]) -> None:
    """Note the inputs of whose gradients and tangents nothing reaches the results.

    Raises:
        TypeError: if one is not among the tensors without a derivative.
    """
    for name in names:
        if name not in card.names or card.names.index(name) not in card.constants:
            raise TypeError(f"{card.name}: zero={name!r} names no tensor that is marked as an index")
    card.constants = tuple([at for at in card.constants if card.names[at] not in names])
    card.forward_slots = card.grad_slots + card.constants


def numbers_among(card: Any, given: bool | str) -> tuple[int, ...]:
    """The places of tensors for which numbers may stand."""
    if given is True:
        return card.tensor_slots
    return tuple([card.names.index(name) for name in given.split()]) if given else ()


@functools.cache
def numpy_dtypes(given: frozenset[DType]) -> frozenset[Any]:
    """NumPy's own dtypes of ours; few families of dtypes serve all cards. (`bfloat16` is met by `halves`.)"""
    return frozenset(each.numpy for each in given if each is not dtypes.bfloat16)


def slots_of(card: Any, inputs: tuple[str, ...]) -> tuple[int, ...]:
    """The places of inputs among those whose gradients (they come first) or tangents count."""
    return tuple([card.forward_slots.index(card.names.index(name)) for name in inputs])


def add_rule(
    card: Any, rule: Callable[..., Any], names: tuple[str, ...], inputs: tuple[str, ...], partial: bool
) -> Rule:
    """Add a rule for some inputs, which asks for `names`.

    Raises:
        TypeError: nothing of such a name exists, or an input is marked as one without a gradient.
    """
    nodes: NodeClasses = card.nodes
    for name in names:
        nodes.saved[name] = locate(card, name)[0]
    added = Rule(rule, names, slots_of(card, inputs), partial)
    if max(added.slots) >= len(card.grad_slots):
        raise TypeError(f"{card.name}: a reverse rule for {', '.join(inputs)}, one of which is marked as an index")
    card.rules = (*card.rules, added)
    if card.in_place is not None:
        card.in_place.rules = card.rules
    return added
