"""Operators whose family is loaded when one of them is first asked for."""

from __future__ import annotations

from typing import Any

from ..._start import names
from ..._start.loading import LOADS, OWN, import_module, is_loading
from ..tensor.base import Tensor, bind as bind_at_once

HOMES: dict[str, str] = {}
"""The module of each operator whose family comes late, by the operator's name."""
PRESENT: set[str] = set()
"""Those of these modules that are loaded."""
WAITING: dict[str, Any] = {}
"""What modules that are being loaded are to give Tensor, by name."""


def promise_all() -> None:
    """Note what modules give when they are loaded, and put something in the place of what they give Tensor."""
    present = vars(Tensor)
    for module, listed in names.OPERATORS.items():
        HOMES.update(dict.fromkeys(listed.split(), OWN + module))
    for module, listed in names.ON_TENSOR.items():
        methods = listed.split()
        HOMES.update(dict.fromkeys(methods, OWN + module))
        for name in methods:
            if name not in present:  # a module that came at once, because another one needs it
                bind_at_once(name, LateMethod(name))


def bind(name: str, value: object) -> None:
    """Put a method or property on `Tensor`: of a module that comes late when that is loaded to its end."""
    if HOMES.get(name, "") in PRESENT or name not in HOMES:
        bind_at_once(name, value)
    else:
        WAITING[name] = value


def bound(name: str) -> Any:
    """What stands on Tensor under a name, or will when its module is loaded."""
    return WAITING.get(name, vars(Tensor)[name])


def load(module: str) -> None:
    """Load a module that comes late, wholly or not at all."""
    if module not in PRESENT:
        LOADS.whole(complete, module)


def complete(module: str) -> None:
    """Load a module, and bind what it gives Tensor, unless this is called by what it imports itself."""
    if not is_loading(import_module(module)):
        for name in [name for name in WAITING if HOMES[name] == module]:
            bind_at_once(name, WAITING[name])
            del WAITING[name]
        PRESENT.add(module)


def load_all() -> None:
    """Load every family."""
    for module in dict.fromkeys(HOMES.values()):
        load(module)


class LateMethod(str):
    """Stands on Tensor for a method or property until somebody asks for it: its family, once loaded, binds it.

    It is the name, for which nothing is to be made in Python: several hundred stand there when the package is imported.
    """

    __slots__ = ()

    def __get__(self, tensor: Tensor | None, kind: type | None = None) -> Any:
        found = self.loaded()
        if tensor is None and kind is None:
            return found
        return found.__get__(tensor, kind)

    def __set__(self, tensor: Tensor, value: Any) -> None:
        self.loaded()
        setattr(tensor, str(self), value)

    def __delete__(self, tensor: Tensor) -> None:
        self.loaded()
        delattr(tensor, str(self))

    def loaded(self) -> Any:
        """What the family has put in the place of this.

        Raises:
            AttributeError: if the family is being loaded.
        """
        name = str(self)
        load(HOMES[name])
        found = bound(name)
        if isinstance(found, LateMethod):
            raise AttributeError(f"Tensor.{name}: {HOMES[name]} is being loaded")
        return found
