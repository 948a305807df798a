"""Operators whose family is loaded when one of them is first used."""

from __future__ import annotations

from typing import Any

from ..._start import names
from ..._start.loading import LOADS, OWN, import_module, is_loading
from ..tensor.base import Tensor, bind as bind_at_once

HOMES: dict[str, str] = {}
"""The module of each operator whose family is loaded late, by the operator's name."""
PRESENT: set[str] = set()
"""Those of these modules that are loaded."""
WAITING: dict[str, Any] = {}
"""Attributes of Tensor by name, of modules that are being loaded."""


def promise_all() -> None:
    """Note the operators of modules that are loaded late, and put placeholders on Tensor for their methods."""
    present = vars(Tensor)
    for module, listed in names.OPERATORS.items():
        HOMES.update(dict.fromkeys(listed.split(), OWN + module))
    for module, listed in names.ON_TENSOR.items():
        methods = listed.split()
        HOMES.update(dict.fromkeys(methods, OWN + module))
        for name in methods:
            if name not in present:  # a module that is already loaded, because another one needs it
                bind_at_once(name, LateMethod(name))


def bind(name: str, value: object) -> None:
    """Put a method or property on `Tensor`; for a module that is loaded late, when its loading has finished."""
    if HOMES.get(name, "") in PRESENT or name not in HOMES:
        bind_at_once(name, value)
    else:
        WAITING[name] = value


def bound(name: str) -> Any:
    """The attribute of Tensor under a name, or the one that it will have when its module is loaded."""
    return WAITING.get(name, vars(Tensor)[name])


def load(module: str) -> None:
    """Load a late module, completely or not at all."""
    if module not in PRESENT:
        LOADS.whole(complete, module)


def complete(module: str) -> None:
    """Load a module, and bind its methods to Tensor, unless called by a module that it imports itself."""
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
    """Placeholder on Tensor for a method or property until its first use: its family, once loaded, binds it.

    It is the name itself, a string that Python shares: several hundred are set when the package is imported.
    """

    __slots__ = ()

    def __get__(self, tensor: Tensor | None, kind: type | None = None) -> Any:
        method = self.loaded()
        if tensor is None and kind is None:
            return method
        return method.__get__(tensor, kind)

    def __set__(self, tensor: Tensor, value: Any) -> None:
        self.loaded()
        setattr(tensor, str(self), value)

    def __delete__(self, tensor: Tensor) -> None:
        self.loaded()
        delattr(tensor, str(self))

    def loaded(self) -> Any:
        """The attribute that the family has put in the place of this.

        Raises:
            AttributeError: if the family is being loaded.
        """
        name = str(self)
        load(HOMES[name])
        method = bound(name)
        if isinstance(method, LateMethod):
            raise AttributeError(f"Tensor.{name}: {HOMES[name]} is being loaded")
        return method
