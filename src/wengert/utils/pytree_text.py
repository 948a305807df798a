"""Structures of nested containers as JSON, in torch's form."""

from __future__ import annotations

import importlib
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

from .._tensor.attributes import Size

PROTOCOL = 1


class Named(NamedTuple):
    """How the structure of a class is written: under which name, and what else is known of it as JSON and back."""

    name: str
    to_plain: Callable[[Any], Any] = json.dumps
    from_plain: Callable[[Any], Any] = json.loads


def plain_defaults(context: Any) -> dict[str, Any]:
    """What a `defaultdict` makes, and its keys, as JSON can hold them."""
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def made_defaults(plain: Any) -> list[Any]:
    """The reverse of `plain_defaults`."""
    module = importlib.import_module(plain["default_factory_module"])
    return [getattr(module, plain["default_factory_name"]), plain["dict_context"]]


NAMED_TUPLES: dict[type, str] = {}
"""The names of those classes of named tuples that have one."""


def plain_named_tuple(cls: type) -> str:
    """The name of a class of named tuples.

    Raises:
        NotImplementedError: it has none.
    """
    if cls not in NAMED_TUPLES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return NAMED_TUPLES[cls]


def made_named_tuple(name: str) -> type:
    """The reverse of `plain_named_tuple`."""
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
    defaultdict: Named("collections.defaultdict", plain_defaults, made_defaults),
    deque: Named("collections.deque"),
    namedtuple: Named("collections.namedtuple", plain_named_tuple, made_named_tuple),
    Size: Named("torch.Size"),
}
"""By the class of containers; programs register their own with a name."""


def name_class(cls: Any, serialized_type_name: str, to_plain: Any = None, from_plain: Any = None) -> None:
    """Let structures with containers of a class be written under a name."""
    NAMES[cls] = Named(serialized_type_name, to_plain or json.dumps, from_plain or json.loads)


def plain_structure(spec: Any) -> dict[str, Any]:
    """A structure as JSON can hold it.

    Raises:
        NotImplementedError: a class of containers has no name.
    """
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in NAMES:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    named = NAMES[spec.type]
    children = [plain_structure(spec) for spec in spec.children_specs]
    return {"type": named.name, "context": named.to_plain(spec.context), "children_spec": children}


def made_structure(plain: dict[str, Any], make: Callable[[Any, Any, list[Any]], Any], leaf: Any) -> Any:
    """The reverse of `plain_structure`, by the class of structures.

    Raises:
        NotImplementedError: no class has the name that is written there.
    """
    if plain["type"] is None and plain["context"] is None and not plain["children_spec"]:
        return leaf
    for cls, named in NAMES.items():
        if named.name == plain["type"]:
            children = [made_structure(child, make, leaf) for child in plain["children_spec"]]
            return make(cls, named.from_plain(plain["context"]), children)
    raise NotImplementedError(f"Deserializing {plain['type']} in pytree is not registered.")


def check_protocol(protocol: int) -> None:
    """Refuse another form than the one that is known."""
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")


def dumped(spec: Any, protocol: int | None) -> str:
    """A structure as a text."""
    check_protocol(PROTOCOL if protocol is None else protocol)
    return json.dumps([PROTOCOL, plain_structure(spec)])


def loaded(serialized: str, make: Callable[[Any, Any, list[Any]], Any], leaf: Any) -> Any:
    """A structure of what `dumped` gave."""
    protocol, plain = json.loads(serialized)
    check_protocol(protocol)
    return made_structure(plain, make, leaf)
