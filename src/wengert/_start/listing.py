"""What `dir` lists of a module: its public names."""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def public(module: str, late: Iterable[str]) -> list[str]:
    """Return the public names of a module, sorted.

    They are those of `__all__`, and those that are loaded late. Without `__all__` they are the names without an
    underscore in front, except what the module has imported for its own use.

    Args:
        module: its name.
        late: names of the module that are loaded late.
    """
    values = vars(sys.modules[module])
    names = values.get("__all__")
    if names is None:
        names = [name for name, value in values.items() if name[0] != "_" and not is_imported(module, name, value)]
    return sorted({*names, *(name for name in late if name[0] != "_")})


def is_imported(module: str, name: str, value: Any) -> bool:
    """Return whether a name of a module stands for something that other modules define for their own use."""
    if name in ("TYPE_CHECKING", "annotations"):
        return True
    if isinstance(value, ModuleType):
        return value.__name__ != f"{module}.{name}"
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        home = str(value.__module__)
        inside = home.startswith(("wengert._", "wengert.ops")) and module not in (home, "wengert")
        return inside or not home.startswith("wengert")
    return type(value).__module__ in ("typing", "functools")
