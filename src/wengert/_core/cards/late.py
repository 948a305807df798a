"""Operators whose family is loaded when one of them is first used."""

from __future__ import annotations

from typing import Any

from ..._start import names
from ..._start.loading import LOADS, OWN, import_module, is_loading
from ..tensor.base import Tensor, bind as bind_at_once

_homes: dict[str, str] = {}
_promised: list[bool] = []
PRESENT: set[str] = set()
"""Modules of operators that are loaded late, and are loaded."""
WAITING: dict[str, Any] = {}
"""Attributes of Tensor by name, of modules that are being loaded."""


def promise_all() -> None:
    """Put placeholders on Tensor for the methods of modules that are loaded late; from now on `homes` lists these."""
    present = vars(Tensor)
    for listed in names.ON_TENSOR.values():
        for name in listed.split():
            if name not in present:  # a module that is already loaded, because another one needs it
                bind_at_once(name, LateMethod(name))
    _promised.append(True)


def homes() -> dict[str, str]:
    """Return the module of each operator that is loaded late, by the operator's name; none before `promise_all`."""
    if _promised and not _homes:  # at first use: there are a thousand names
        _homes.update(
            {
                name: OWN + module
                for table in (names.OPERATORS, names.ON_TENSOR)
                for module, listed in table.items()
                for name in listed.split()
            }
        )
    return _homes


def bind(name: str, value: object) -> None:
    """Put a method or property on `Tensor`; for a module that is loaded late, when its loading has finished."""
    home = homes().get(name)
    if home is None or home in PRESENT:
        bind_at_once(name, value)
    else:
        WAITING[name] = value


def bound(name: str) -> Any:
    """The attribute of Tensor under a name, or the one that it will have when its module is loaded."""
    return WAITING.get(name, vars(Tensor)[name])


def load(module: str) -> None:
    """Load a late module, completely or not at all."""
    if module not in PRESENT:
        LOADS.exclusively(complete, module)


def complete(module: str) -> None:
    """Load a module, and bind its methods to Tensor, unless called by a module that it imports itself."""
    if not is_loading(import_module(module)):
        for name in [name for name in WAITING if homes()[name] == module]:
            bind_at_once(name, WAITING[name])
            del WAITING[name]
        PRESENT.add(module)


def load_all() -> None:
    """Load every family."""
    for module in dict.fromkeys(homes().values()):
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
        load(homes()[name])
        method = bound(name)
        if isinstance(method, LateMethod):
            raise AttributeError(f"Tensor.{name}: {homes()[name]} is being loaded")
        return method
