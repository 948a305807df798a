"""What calls share and keep: memory of views, saved tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._core.backward import passes
from .._core.cards.card import Card, Composite
from .calls import Call, leaf, tensors_in
from .differences import Wrong, random_like, recorded
from .seeds import reseed

UNSEEN = ("_unsafe_view", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk")
"""Operators for memory that nobody else sees, or that promise no views: they may share it without being views."""


def check_sharing(call: Call) -> None:
    """Views share memory and version counter with their input; others share no memory that is not counted for both.

    Raises:
        Wrong: a view is a copy, or a result aliases an input behind the counter's back.
    """
    inputs = call.tensors()
    operator = call.operator
    for result in call.outputs():
        if any(result is each for each in inputs):
            continue
        shared = [each for each in inputs if np.shares_memory(result._array_, each._array_)]
        if isinstance(operator, Card) and operator.view and result._array_.size and inputs[0] not in Identical(shared):
            raise Wrong(f"{call} is declared a view, but its result does not share the memory of its input")
        if isinstance(operator, Card) and not operator.view and shared and operator.name not in UNSEEN:
            raise Wrong(f"{call} is not declared a view, but its result shares the memory of an input")
        if operator.name in UNSEEN:
            continue
        if isinstance(operator, Composite) and any(each._storage_ is not result._storage_ for each in shared):
            raise Wrong(f"{call}: the result shares memory with an input, but not its version counter")


class Identical:
    """Membership by identity: `==` of tensors compares elements."""

    def __init__(self, members: Sequence[object]) -> None:
        self._ids = {id(each) for each in members}

    def __contains__(self, one: object) -> bool:
        return id(one) in self._ids


def saved_names(node: object) -> list[str]:
    """The names under which a node shows what it saved."""
    return [name for name in dir(type(node)) if name.startswith("_saved_")]


def check_saved(call: Call) -> int:
    """What a node saved can be read before the backward pass, and no tensor of it after the pass has freed it.

    Returns:
        How many saved values were read.

    Raises:
        Wrong: a saved tensor can be read after the pass.
    """
    reseed()
    results = recorded(call)
    if not results:
        return 0
    node = results[0].grad_fn  # type: ignore[attr-defined]
    names = saved_names(node)
    values = [getattr(node, name) for name in names]
    kept = [name for name, value in zip(names, values) if any(True for _ in tensors_in(value))]
    random = np.random.default_rng(0)
    passes.backward([results[0]], [leaf(random_like(random, results[0]._array_))])
    for name in kept:
        try:
            getattr(node, name)
        except RuntimeError as error:
            if "after they have already been freed" not in str(error):
                raise Wrong(f"{call}: reading {name} after the pass says: {error}") from error
        else:
            raise Wrong(f"{call}: {name} can still be read after the pass has freed what it saved")
    return len(names)
