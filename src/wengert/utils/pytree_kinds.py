"""How the usual containers are opened and made again, under the names by which libraries register their own kinds."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import Any

Opened = tuple[list[Any], Any]


def _tuple_flatten(d: Any) -> Opened:
    return list(d), None


def _tuple_unflatten(values: Iterable[Any], context: Any) -> tuple[Any, ...]:
    return tuple(values)


def _list_flatten(d: list[Any]) -> Opened:
    return d, None


def _list_unflatten(values: Iterable[Any], context: Any) -> list[Any]:
    return list(values)


def _dict_flatten(d: Any) -> Opened:
    return list(d.values()), list(d)


def _dict_unflatten(values: Iterable[Any], context: Any) -> dict[Any, Any]:
    return dict(zip(context, values))


_ordereddict_flatten = _odict_flatten = _dict_flatten


def _ordereddict_unflatten(values: Iterable[Any], context: Any) -> OrderedDict[Any, Any]:
    return OrderedDict(zip(context, values))


_odict_unflatten = _ordereddict_unflatten


def _defaultdict_flatten(d: defaultdict[Any, Any]) -> Opened:
    return list(d.values()), [d.default_factory, list(d)]


def _defaultdict_unflatten(values: Iterable[Any], context: Any) -> defaultdict[Any, Any]:
    return defaultdict(context[0], zip(context[1], values))


def _namedtuple_flatten(d: Any) -> Opened:
    return list(d), type(d)


def _namedtuple_unflatten(values: Iterable[Any], context: Any) -> Any:
    return context(*values)


def _deque_flatten(d: deque[Any]) -> Opened:
    return list(d), d.maxlen


def _deque_unflatten(values: Iterable[Any], context: Any) -> deque[Any]:
    return deque(values, context)


def is_mapping(kind: Any) -> bool:
    """Whether a class is one of the usual dictionaries, which stand for each other where trees are compared."""
    return kind is dict or kind is OrderedDict or kind is defaultdict


def keys_of(kind: Any, context: Any) -> list[Any]:
    """The keys of a dictionary."""
    return context[1] if kind is defaultdict else context  # type: ignore[no-any-return]
