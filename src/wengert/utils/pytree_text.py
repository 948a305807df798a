"""JSON text of structures of nested containers, in torch's form."""

from __future__ import annotations

import importlib
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

from .._tensor.attributes import Size

PROTOCOL = 1


class Named(NamedTuple):
    """Serialisation of a class of containers: its name, and functions from the context to JSON and back."""

    name: str
    to_plain: Callable[[Any], Any] = json.dumps
    from_plain: Callable[[Any], Any] = json.loads


def plain_defaults(context: Any) -> dict[str, Any]:
    """Return the factory and the keys of a `defaultdict` in a JSON form."""
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def defaults_from_plain(plain: Any) -> list[Any]:
    """Invert `plain_defaults`."""
    module = importlib.import_module(plain["default_factory_module"])
    return [getattr(module, plain["default_factory_name"]), plain["dict_context"]]


NAMED_TUPLES: dict[type, str] = {}
"""Registered names of classes of named tuples."""


def plain_named_tuple(cls: type) -> str:
    """Return the name of a class of named tuples.

    Raises:
        NotImplementedError: if it has no name.
    """
    if cls not in NAMED_TUPLES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return NAMED_TUPLES[cls]


def named_tuple_from_plain(name: str) -> type:
    """Invert `plain_named_tuple`."""
    for cls, known in NAMED_TUPLES.items():
        if known == name:
            return cls
    raise NotImplementedError(
        f"Can't deserialize TreeSpec of namedtuple class {name} because we couldn't find a serializated name."
    )


NAMES: dict[Any, Named] = {
    tuple: Named("builtins.tuple"),
    list: Named("builtins.list"),
    dict: Named("builtins.dict"),
    OrderedDict: Named("collections.OrderedDict"),
    defaultdict: Named("collections.defaultdict", plain_defaults, defaults_from_plain),
    deque: Named("collections.deque"),
    namedtuple: Named("collections.namedtuple", plain_named_tuple, named_tuple_from_plain),
    Size: Named("torch.Size"),
}
"""Serialisations by class of containers; programs register their own classes with a name."""


def name_class(cls: Any, serialized_type_name: str, to_plain: Any = None, from_plain: Any = None) -> None:
    """Register the name of a class of containers for the JSON text."""
    NAMES[cls] = Named(serialized_type_name, to_plain or json.dumps, from_plain or json.loads)


def plain_structure(spec: Any) -> dict[str, Any]:
    """Return a structure in a JSON form.

    Raises:
        NotImplementedError: if a class of containers has no name.
    """
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in NAMES:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    named = NAMES[spec.type]
    children = [plain_structure(child) for child in spec.children_specs]
    return {"type": named.name, "context": named.to_plain(spec.context), "children_spec": children}


def structure_from_plain(plain: dict[str, Any], make: Callable[[Any, Any, list[Any]], Any], leaf: Any) -> Any:
    """Invert `plain_structure`.

    Raises:
        NotImplementedError: if no class has the name in the text.
    """
    if plain["type"] is None and plain["context"] is None and not plain["children_spec"]:
        return leaf
    for cls, named in NAMES.items():
        if named.name == plain["type"]:
            children = [structure_from_plain(child, make, leaf) for child in plain["children_spec"]]
            return make(cls, named.from_plain(plain["context"]), children)
    raise NotImplementedError(f"Deserializing {plain['type']} in pytree is not registered.")


def check_protocol(protocol: int) -> None:
    """Refuse an unknown protocol."""
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")


def dumped(spec: Any, protocol: int | None) -> str:
    """Return a structure as text."""
    check_protocol(PROTOCOL if protocol is None else protocol)
    return json.dumps([PROTOCOL, plain_structure(spec)])


def loaded(serialized: str, make: Callable[[Any, Any, list[Any]], Any], leaf: Any) -> Any:
    """Return a structure from the text of `dumped`."""
    protocol, plain = json.loads(serialized)
    check_protocol(protocol)
    return structure_from_plain(plain, make, leaf)
