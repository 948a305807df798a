"""Functions that flatten and unflatten the usual containers, under the names that libraries use."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
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


def results_unflatten(cls: Any) -> Callable[[Iterable[Any], Any], Any]:
    """Return the function that rebuilds an instance of a class of `return_types`."""
    return lambda values, context: cls(values)


def _deque_flatten(d: deque[Any]) -> Opened:
    return list(d), d.maxlen


def _deque_unflatten(values: Iterable[Any], context: Any) -> deque[Any]:
    return deque(values, context)


def is_mapping(kind: Any) -> bool:
    """Return whether a class is one of the usual dictionaries, which are equivalent when trees are compared."""
    return kind is dict or kind is OrderedDict or kind is defaultdict


def keys_of(kind: Any, context: Any) -> list[Any]:
    """Return the keys of a dictionary."""
    return context[1] if kind is defaultdict else context


class _Star:
    """Placeholder for a leaf in the text of a structure."""

    def __repr__(self) -> str:
        return "*"


STAR = _Star()


def is_namedtuple_class(cls: object) -> bool:
    """Return whether a value is a class made by `collections.namedtuple`, or derived from one."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(getattr(cls, "_fields", None), tuple)
        and all(type(field) is str for field in cls._fields)  # type: ignore[attr-defined]
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_structseq_class(cls: object) -> bool:
    """Return whether a value is a class of `return_types`, or another tuple class with fields named in C."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and all(type(cls.__dict__.get(name)) is int for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Return whether a value is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_structseq_instance(obj: object) -> bool:
    """Return whether a value is an instance of a class for which `is_structseq_class` is true."""
    return is_structseq_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Return whether a value is a named tuple, or a class of named tuples."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq(obj: object) -> bool:
    """Return whether a value is a class for which `is_structseq_class` is true, or an instance of one."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


_is_namedtuple_instance = is_namedtuple_instance
