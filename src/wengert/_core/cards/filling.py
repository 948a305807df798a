"""Setting up a card from its declaration: the options beside the signature, and its rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import KERNELS
from ..operators import sources
from ..operators.rules import Rule, locate
from ..types import dtypes
from ..types.dtypes import dtype as DType
from .node_classes import NodeClasses
from .options import InPlace

APART = ("never", "itself", "partly", "wholly")
LAYOUTS = ("rows", "iterator", "like", "suggested", "own", "reversed", "power", "scaled")
SIGHTS = ("part", "dtype", "batch", "signs", "memory")
"""Words of options, in the order of the numbers in `sources`."""

ATEN = "aten::"
"""Prefix of the name of an operator without a rule in torch."""
REFUSING = "torch::autograd::NotImplemented"
"""The nodes of such an operator."""

PLACES = {
    "both": (True, True),
    "method": (True, False),
    "function": (False, True),
    "neither": (False, False),
    "hidden": (False, False),
}
"""Public places of operators: on Tensor, and in the package."""

KEPT = frozenset(["batching", "out", "takes_halves"])
"""Options that are attributes of a card under the same names."""

ONLY = InPlace()
"""Defaults of an in-place form."""


def fill_options(card: Any, stated: dict[str, Any], options: dict[str, Any]) -> None:
    """Set the options of the declaration.

    Args:
        stated: the options that the declaration states.
        options: all options, see `completed`.
    """
    for name in stated:
        if name in KEPT:
            setattr(card, name, stated[name])
        elif name == "public":
            card.method, card.function = PLACES[stated[name]]
        elif name == "kernel":
            KERNELS[card.name] = stated[name]
    card.shares = {}
    card.declared_dtypes = declared = frozenset(options["dtypes"])
    card.accepts = numpy_dtypes(declared.union(options["explained"]) if options["explained"] else declared)
    card.promotion = options["promote"]
    card.numbers = numbers_among(card, options["numbers"])
    card.lone_numbers = options["numbers"] == "alone"
    card.allows_larger = options["larger"]
    card.native = options["native"]
    how = options["inplace"] if isinstance(options["inplace"], InPlace) else ONLY
    card.writer = how.write
    card.overwrites = how.overwrites
    if isinstance(how.apart, str):
        card.apart = APART.index(how.apart)
    else:
        card.apart, card.warn_shared = sources.APART_WARNED, how.apart
    card.layout = LAYOUTS.index(options["layout"])
    view = options["view"]
    card.view = bool(view)
    card.sees = SIGHTS.index(view) if isinstance(view, str) else sources.SEES_PART
    outputs = options["outputs"]
    card.several = outputs is not None
    card.output_names = tuple(outputs) if isinstance(outputs, dict) else ()
    card.differentiable = tuple(outputs.values()) if isinstance(outputs, dict) else ()
    if options["linear"]:
        card.linear = (options["linear"],) if isinstance(options["linear"], str) else options["linear"]
    card.random = options["random"]
    fill_nodes(card, options["node"], options["why"])


def fill_nodes(card: Any, node: Any, why: Any) -> None:
    """Set the nodes of a card, and the reason why it has no derivative; both as in `DEFAULTS`."""
    words = ""
    if why:
        card.why, words = why if isinstance(why, tuple) else (why, "")
    choose = None
    if isinstance(node, tuple):
        node, choose = node
    nodes = NodeClasses(card.name, REFUSING if words.startswith(ATEN) else node, choose, card.view)
    nodes.serve(card)


def refusal(words: str) -> Callable[[Any], Any]:
    """The reverse rule of inputs without derivative, which raises torch's error; `words` as in `why` of `DEFAULTS`."""
    error: Exception = NotImplementedError(f"the derivative for '{words}' is not implemented.")
    if words.startswith(ATEN):
        error = RuntimeError(f"derivative for {words} is not implemented")

    def refuse(grad: Any) -> Any:
        raise type(error)(*error.args)

    return refuse


def mark_constant(card: Any, names: tuple[str, ...]) -> None:
    """Note the inputs in which the results are constant, so that their gradients and tangents are zero.

    Raises:
        TypeError: if one is not among the tensors without a derivative.
    """
    for name in names:
        if name not in card.names or card.names.index(name) not in card.constants:
            raise TypeError(f"{card.name}: {name!r} names no tensor that is marked as an index")
    card.constants = tuple([at for at in card.constants if card.names[at] not in names])
    card.forward_slots = card.grad_slots + card.constants


def numbers_among(card: Any, numbers: bool | str) -> tuple[int, ...]:
    """The places of tensors for which numbers may stand."""
    if numbers is True or numbers == "alone":
        return card.tensor_slots
    return tuple([card.names.index(name) for name in numbers.split()]) if numbers else ()


@functools.cache
def numpy_dtypes(declared: frozenset[DType]) -> frozenset[Any]:
    """NumPy's dtypes for a set of ours; a few sets serve all cards. (`halves` treats `bfloat16`.)"""
    return frozenset(dtype.numpy for dtype in declared if dtype is not dtypes.bfloat16)


def slots_of(card: Any, inputs: tuple[str, ...]) -> tuple[int, ...]:
    """The places of inputs among those that have gradients (which come first) or tangents."""
    return tuple([card.forward_slots.index(card.names.index(name)) for name in inputs])


def add_rule(
    card: Any, rule: Callable[..., Any], names: tuple[str, ...], inputs: tuple[str, ...], partial: bool
) -> Rule:
    """Add a rule for some inputs, whose further arguments are `names`.

    Raises:
        TypeError: if nothing has such a name, or an input is marked as one without a gradient.
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
