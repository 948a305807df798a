"""Choice between the native kernels and their NumPy twins, once at import."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._start.loading import load

Function = Callable[..., Any]
NAME = "wengert._kernels._native"


class Later:
    """A function in NumPy whose module is imported with the first call, since few programs use it."""

    __slots__ = ("__name__", "function", "module")

    def __init__(self, module: str, name: str) -> None:
        self.module, self.__name__ = module, name
        self.function: Function | None = None

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if self.function is None:
            self.function = getattr(load(f"{__package__}.{self.module}"), self.__name__)
        return self.function(*args, **keywords)


def later(module: str, names: str) -> list[Later]:
    """Functions of a module of this package, by their names, which spaces separate."""
    return [Later(module, name) for name in names.split()]


def load_native() -> ModuleType | None:
    """Import the extension module, as the environment variable WENGERT_KERNELS says.

    Returns:
        The module, or None where twins are to be used: WENGERT_KERNELS is "numpy", or nothing was built.

    Raises:
        ImportError: if the extension cannot be loaded, or WENGERT_KERNELS is "native" and there is no extension.
        ValueError: if WENGERT_KERNELS is neither empty, "native" nor "numpy".
    """
    choice = os.environ.get("WENGERT_KERNELS", "")
    if choice not in ("", "native", "numpy"):
        raise ValueError(f'WENGERT_KERNELS: expected "native" or "numpy", got "{choice}"')
    if choice == "numpy":
        return None
    try:
        return importlib.import_module(NAME)
    except ModuleNotFoundError as error:
        if choice == "native" or error.name != NAME:
            raise
        return None


def native_functions(module: ModuleType, twins: dict[str, Any]) -> dict[str, Function]:
    """Bind the twins in the extension, and list the native functions that replace them.

    Args:
        module: the extension.
        twins: functions by name, among them every twin.

    Returns:
        Native functions by name.

    Raises:
        KeyError: if a native function has no twin: the extension was built from other sources.
    """
    names = module.twin_names()
    module.bind_twins({name: twins[name] for name in names})
    return {name: getattr(module, name) for name in names}


def direct_functions(module: ModuleType) -> dict[str, Function]:
    """The native functions that return NotImplemented for what they do not know, by their name without `direct_`."""
    prefix = "direct_"
    return {name[len(prefix) :]: function for name, function in vars(module).items() if name.startswith(prefix)}
