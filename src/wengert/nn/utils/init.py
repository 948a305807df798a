"""Construction of modules without initialising their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Make a module whose parameters are not initialised.

    Args:
        module_cls: class of the module, which must take a `device`.
        args: positional arguments of the class.
        kwargs: keyword arguments of the class; `device` is the device of the parameters.

    Raises:
        RuntimeError: if `module_cls` is not a class of modules, or does not take a `device`.
        TypeError: if `module_cls` is not a class.
    """
    if not isinstance(module_cls, type):
        raise TypeError(f"skip_init(): expected a class of modules, but got {type(module_cls).__name__}")
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
