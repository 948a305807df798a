"""Nested containers of tensors: flattened to a list and a structure, and rebuilt.

Containers are dictionaries (also ordered ones and those with defaults), lists, tuples, named tuples and deques, to any
depth; all else is an element, also None.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from .._core.tensor.base import Tensor


class Structure:
    """Structure of nested containers without their elements.

    Attributes:
        kind: the type of the container; None for an element.
        facts: data of the container beside its children: keys, default factory, maximal length.
        children: the structures of its items.
        count: the number of elements, at any depth.
    """

    count: int

    __slots__ = ("children", "count", "facts", "kind")

    def __init__(self, kind: Any, facts: Any, children: list[Structure]) -> None:
        self.kind = kind
        self.facts = facts
        self.children = children
        self.count = 1 if kind is None else sum(child.count for child in children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return NotImplemented
        return (self.kind, self.facts, self.children) == (other.kind, other.facts, other.children)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        inner = [repr(child) for child in self.children]
        if issubclass(self.kind, dict):
            return "{" + ", ".join(f"{key!r}: {text}" for key, text in zip(keys_of(self), inner)) + "}"
        if issubclass(self.kind, tuple):
            name = "" if self.kind is tuple else self.kind.__name__
            return f"{name}({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        return f"{'' if self.kind is list else self.kind.__name__}[{', '.join(inner)}]"


ELEMENT = Structure(None, None, [])
"""The structure of an element."""


def keys_of(structure: Structure) -> Any:
    """Return the keys of a dictionary's structure."""
    return structure.facts[1] if structure.kind is defaultdict else structure.facts


def opened(value: Any) -> tuple[Any, list[Any]] | None:
    """Return the facts of a container (see `Structure`) and its items; None for an element."""
    kind = type(value)
    if kind is dict or kind is OrderedDict:
        return tuple(value), list(value.values())
    if kind is defaultdict:
        return (value.default_factory, tuple(value)), list(value.values())
    if kind is list or isinstance(value, tuple):
        return None, list(value)
    if kind is deque:
        return value.maxlen, list(value)
    return None


def flatten(value: Any) -> tuple[list[Any], Structure]:
    """Return the elements of nested containers from left to right, and the structure."""
    parts = opened(value)
    if parts is None:
        return [value], ELEMENT
    elements: list[Any] = []
    children: list[Structure] = []
    for part in parts[1]:
        if isinstance(part, Tensor):  # the usual case
            elements.append(part)
            children.append(ELEMENT)
            continue
        items, structure = flatten(part)
        elements += items
        children.append(structure)
    return elements, Structure(type(value), parts[0], children)


def unflatten(elements: Any, structure: Structure) -> Any:
    """Return nested containers of a structure with these elements."""
    return built(iter(elements), structure)


def built(elements: Iterator[Any], structure: Structure) -> Any:
    """Build the container of a structure from the next elements."""
    if structure.kind is None:
        return next(elements)
    parts = [next(elements) if child is ELEMENT else built(elements, child) for child in structure.children]
    if structure.kind is defaultdict:
        return defaultdict(structure.facts[0], zip(structure.facts[1], parts))
    if issubclass(structure.kind, dict):
        return structure.kind(zip(structure.facts, parts))
    if structure.kind is deque:
        return deque(parts, structure.facts)
    if hasattr(structure.kind, "_fields"):
        return structure.kind(*parts)
    return structure.kind(parts)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested containers with `function(element)` in place of each element."""
    elements, structure = flatten(value)
    return unflatten([function(element) for element in elements], structure)


def spread(outer: Any, structure: Structure) -> list[Any] | None:
    """Broadcast `outer` to the elements of a structure: each of its elements holds for everything below its place.

    Returns:
        One value for each element; None if the containers of `outer` are not those of the structure.
    """
    parts = opened(outer)
    if parts is None:
        return [outer] * structure.count
    kind = type(outer)
    if kind is not structure.kind or len(parts[1]) != len(structure.children):
        return None
    inner = dict(zip(keys_of(structure), structure.children)) if issubclass(kind, dict) else None
    if inner is not None and set(inner) != set(outer):
        return None
    places = structure.children if inner is None else list(inner.values())
    items = parts[1] if inner is None else [outer[key] for key in inner]
    results: list[Any] = []
    for item, place in zip(items, places):
        below = spread(item, place)
        if below is None:
            return None
        results += below
    return results
