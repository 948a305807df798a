"""Modules without a start of their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules.module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Make a module whose parameters are not filled.

    Args:
        module_cls: its class, which must take a `device`.
        args: its arguments.
        kwargs: its named arguments; `device` is where the parameters will be.

    Raises:
        RuntimeError: no class of modules, or one that takes no `device`.
        TypeError: no class.
    """
    if not isinstance(module_cls, type):
        raise TypeError(f"skip_init(): expected a class of modules, but got {type(module_cls).__name__}")
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
