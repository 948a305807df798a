"""Keys of a path into nested containers: `tree["a"][0].x`."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .._tensor.attributes import Size

KeyPath = tuple["KeyEntry", ...]


@dataclass(frozen=True)
class SequenceKey:
    """Index into a list, tuple or deque."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Return the item at the index."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """Key of a dictionary."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Return the value of the key."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """Field of a named tuple or another object."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Return the value of the field."""
        return getattr(obj, self.name)


KeyEntry = SequenceKey | MappingKey | GetAttrKey
Keyed = tuple[list[tuple[KeyEntry, Any]], Any]


def keystr(kp: Iterable[KeyEntry]) -> str:
    """Return a path as it would be written in a program.

    >>> from wengert.utils.pytree_keys import MappingKey, SequenceKey, keystr
    >>> keystr((MappingKey("a"), SequenceKey(0)))
    "['a'][0]"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[KeyEntry]) -> Any:
    """Return the value at a path."""
    for step in kp:
        obj = step.get(obj)
    return obj


def _list_flatten_with_keys(d: Any) -> Keyed:
    return [(SequenceKey(at), item) for at, item in enumerate(d)], None


_tuple_flatten_with_keys = _list_flatten_with_keys


def _deque_flatten_with_keys(d: deque[Any]) -> Keyed:
    return _list_flatten_with_keys(d)[0], d.maxlen


def _dict_flatten_with_keys(d: Any) -> Keyed:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


_ordereddict_flatten_with_keys = _dict_flatten_with_keys


def _defaultdict_flatten_with_keys(d: defaultdict[Any, Any]) -> Keyed:
    parts, keys = _dict_flatten_with_keys(d)
    return parts, [d.default_factory, keys]


def _namedtuple_flatten_with_keys(d: Any) -> Keyed:
    return [(GetAttrKey(name), item) for name, item in zip(d._fields, d)], type(d)


WITH_KEYS: dict[Any, Callable[[Any], Keyed]] = {
    tuple: _tuple_flatten_with_keys,
    list: _list_flatten_with_keys,
    dict: _dict_flatten_with_keys,
    OrderedDict: _ordereddict_flatten_with_keys,
    defaultdict: _defaultdict_flatten_with_keys,
    deque: _deque_flatten_with_keys,
    namedtuple: _namedtuple_flatten_with_keys,
    Size: _tuple_flatten_with_keys,
}
"""Functions that flatten the usual containers with the key of each part."""
