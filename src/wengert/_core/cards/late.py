"""Operators whose family is loaded when one of them is first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..tensor.base import Tensor, bind

HOMES: dict[str, str] = {}
"""The module of each operator whose family comes late, by the operator's name."""


def promise(module: str, methods: Iterable[str]) -> None:
    """Say what a module gives on Tensor when it is loaded, operators or not."""
    HOMES.update(dict.fromkeys(methods, module))
    stand_in(methods)


def promise_families(package: str, names: dict[str, str], methods: dict[str, str]) -> None:
    """Say what modules of a package give when they are loaded: operators, and names on Tensor.

    Args:
        names, methods: by module, its name in the package, all of them in one text: this runs at each import.
    """
    on_tensor: list[str] = []
    for module, listed in names.items():
        HOMES.update(dict.fromkeys(listed.split(), f"{package}.{module}"))
    for module, listed in methods.items():
        found = listed.split()
        HOMES.update(dict.fromkeys(found, f"{package}.{module}"))
        on_tensor += found
    stand_in(on_tensor)


def stand_in(methods: Iterable[str]) -> None:
    """Put something in the place of what comes late on Tensor."""
    present = vars(Tensor)
    for name in methods:
        if name not in present:  # a family that came at once, because another one needs it
            bind(name, LateMethod(name))


def load_all() -> None:
    """Load every family."""
    for module in dict.fromkeys(HOMES.values()):
        import_module(module)


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
            AttributeError: the family is being loaded.
        """
        name = str(self)
        import_module(HOMES[name])
        found = vars(Tensor)[name]
        if isinstance(found, LateMethod):
            raise AttributeError(f"Tensor.{name}: {HOMES[name]} is being loaded")
        return found
