"""Operators whose family is loaded when one of them is first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..tensor.base import Tensor, bind

HOMES: dict[str, str] = {}
"""The module of each operator whose family comes late, by the operator's name."""


def promise(module: str, names: Iterable[str], methods: Iterable[str]) -> None:
    """Say what a module gives when it is loaded: operators, and names on Tensor, operators or not."""
    present = vars(Tensor)  # asked for once: this runs when the package is imported
    for name in names:
        HOMES[name] = module
    for name in methods:
        HOMES[name] = module
        if name not in present:  # a family that came at once, because another one needs it
            bind(name, LateMethod(name))


def load_all() -> None:
    """Load every family."""
    for module in dict.fromkeys(HOMES.values()):
        import_module(module)


class LateMethod:
    """Stands on Tensor for a method or property until somebody asks for it: its family, once loaded, binds it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Tensor | None, kind: type | None = None) -> Any:
        found = self.loaded()
        if tensor is None and kind is None:
            return found
        return found.__get__(tensor, kind)

    def __set__(self, tensor: Tensor, value: Any) -> None:
        self.loaded()
        setattr(tensor, self.name, value)

    def __delete__(self, tensor: Tensor) -> None:
        self.loaded()
        delattr(tensor, self.name)

    def loaded(self) -> Any:
        """What the family has put in the place of this.

        Raises:
            AttributeError: the family is being loaded.
        """
        import_module(HOMES[self.name])
        found = vars(Tensor)[self.name]
        if isinstance(found, LateMethod):
            raise AttributeError(f"Tensor.{self.name}: {HOMES[self.name]} is being loaded")
        return found
