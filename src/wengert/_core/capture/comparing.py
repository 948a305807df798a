"""Comparison of a list with the one of a later call of the same function."""

from __future__ import annotations

from typing import Any

from .lists import COPY, GRADS, ISLAND, NESTED, READ, Entry, Nested
from .outputs import same_outputs
from .signatures import flattened


def compared(entries: Any, result: Any, others: Any, other_result: Any) -> tuple[bool, str]:
    """Compare two recordings of one function: their lists, and the descriptions of their results.

    Returns:
        Whether they differ in a value that Python code read (so that the second is another branch), and a description
        of another difference; "" if there is none.
    """
    one: Entry
    other: Entry
    for one, other in zip(entries, others):
        if one.kind == READ and other.kind == READ and one.places == other.places:
            if one.layouts != other.layouts:
                return True, ""
        difference = of_entries(one, other)
        if difference:
            return False, difference
    if len(entries) != len(others):
        return False, "it called a different number of operators"
    if not same_outputs(result, other_result):
        return False, "it returned a different result"
    return False, ""


def of_entries(one: Entry, other: Entry) -> str:
    """Return a description of the difference of two entries; "" if they are equal."""
    if one.kind != other.kind or one.title != other.title or one.op is not other.op or one.native is not other.native:
        return f"it called {other.title}, where it had called {one.title}"
    if one.places != other.places or one.outs != other.outs:
        return f"it called {one.title} with other tensors"
    if one.kind == GRADS:
        return "" if same_grads(one.args, other.args) else "it set other gradients of leaves"
    if one.kind == ISLAND:
        return (
            "" if same_constants(one.args[:2], other.args[:2]) else "it took an optimiser's step with other arguments"
        )
    for place, value, new in zip(one.places, one.args, other.args):
        if place == -1 and not same_constants(value, new):
            return f"it called {one.title} with {shown(new)}, where that had been {shown(value)}"
        if place == NESTED and not same_nested(value, new):
            return f"it called {one.title} with another list"
    if one.kind == COPY and len(one.args) == 1 and one.args[0].tobytes() != other.args[0].tobytes():
        return "a constant has another value"
    if one.counts != other.counts or one.draws != other.draws:
        return f"{one.title} wrote to other memory, or drew other numbers"
    return ""


def same_grads(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether two entries set equal gradients: (leaf, description) of each."""
    if [leaf for leaf, _ in one] != [leaf for leaf, _ in other]:
        return False
    return all(same_outputs(mine[1], yours[1]) for mine, yours in zip(one, other))


def same_constants(one: Any, other: Any) -> bool:
    """Return whether two arguments are equal."""
    return bool(flattened(one, []) == flattened(other, [])) or one is other or is_equal(one, other)


def is_equal(one: Any, other: Any) -> bool:
    """Return whether two objects of one class are equal by `==`."""
    try:
        return type(one) is type(other) and bool(one == other)
    except (TypeError, ValueError, RuntimeError):
        return False


def same_nested(one: Nested, other: Nested) -> bool:
    """Return whether two sequences of registers and constants are equal."""
    return one.places == other.places and all(map(same_constants, one.values, other.values))


def shown(value: Any) -> str:
    """Return a constant as text for messages."""
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."


def other_graph(one: Any, other: Any) -> str:
    """Return a description of the difference of two recorded graphs (`Connections`, or None); "" if they are equal."""
    text = "it returned a result with another history"
    if one is None or other is None:
        return "" if one is other else text
    if one.sources != other.sources or one.count != other.count or len(one.steps) != len(other.steps):
        return text
    for step, new in zip(one.steps, other.steps):
        if step.facts() != new.facts() or not all(map(same_constants, step.constants(), new.constants())):
            return text
    return ""
