"""Tensors of modules by their names, and their temporary replacement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor

Place = tuple[Any, str]
"""Module, and the name of one of its attributes."""

MISSING: Any = object()
"""Value of a missing attribute."""


def tables_of(module: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tables of parameters and buffers of a module itself."""
    return module._parameters, module._buffers


def places_of(module: Any) -> dict[str, Place]:
    """Return the places of the parameters and buffers of a module and its submodules, by name.

    All names of a submodule are listed. A submodule that contains one of its parents is not entered again.
    """
    places: dict[str, Place] = {}
    waiting: list[tuple[str, Any, frozenset[int]]] = [("", module, frozenset())]
    while waiting:
        prefix, part, around = waiting.pop()
        for table in tables_of(part):
            places.update({prefix + key: (part, key) for key, value in table.items() if value is not None})
        around |= {id(part)}
        parts = [(f"{prefix}{name}.", module, around) for name, module in part._modules.items() if module is not None]
        waiting.extend([part for part in reversed(parts) if id(part[1]) not in around])
    return places


def place_of(module: Any, name: str) -> Place:
    """Return the place of a name, whether or not there is a tensor.

    Raises:
        KeyError: if the last part of the name is empty.
        AttributeError: if another part of the name is not an attribute.
        TypeError: if it is not a module.
    """
    path, _, key = name.rpartition(".")
    if not key:
        raise KeyError('tensor name can\'t be empty string ""')
    for part in path.split(".") if path else ():
        owner = module
        module = getattr(owner, part, MISSING)
        if module is MISSING:
            raise AttributeError(f"{owner._get_name()} has no attribute `{part}`")
        if not hasattr(module, "_parameters"):
            raise TypeError(f"submodule `{path}`: {module} is not an instance of torch.nn.Module")
    return module, key


def read(place: Place) -> Any:
    """Return the tensor at a place; `MISSING` if there is none.

    Raises:
        TypeError: if there is something else.
    """
    module, key = place
    for table in tables_of(module):
        if key in table:
            return table[key]
    value = getattr(module, key, MISSING)
    if value is not MISSING and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"attribute `{key}`: {value} is not an instance of torch.Tensor")
    return value


def write(place: Place, value: Any) -> None:
    """Write a tensor, None or `MISSING` to a place, as a parameter or buffer if it held one."""
    module, key = place
    for table in tables_of(module):
        if key in table:
            if value is MISSING:
                del table[key]
            else:
                table[key] = value
            return
    if value is not MISSING:
        setattr(module, key, value)
    elif hasattr(module, key):
        delattr(module, key)


@contextmanager
def replaced(places: Mapping[str, Place], tensors: Mapping[str, Any], last: dict[str, Any]) -> Iterator[None]:
    """Context in which places hold other tensors.

    Args:
        places: the places by name.
        tensors: the temporary tensors, by the same names.
        last: receives the tensors there at the end, by name.

    Raises:
        TypeError: if a new value is neither a tensor nor None, or a place holds something else.
    """
    before: list[tuple[str, Any]] = []
    try:
        for name, tensor in tensors.items():
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(f"{tensor} is not an instance of torch.Tensor")
            before.append((name, read(places[name])))
            write(places[name], tensor)
        yield
    finally:
        for name, tensor in reversed(before):
            module, key = places[name]
            now = next((table[key] for table in tables_of(module) if key in table), getattr(module, key, MISSING))
            if now is not MISSING:
                last[name] = now
            write(places[name], tensor)
