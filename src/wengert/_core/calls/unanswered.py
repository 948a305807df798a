"""The `__torch_function__` of classes that do not want to be asked."""

from __future__ import annotations

from typing import Any


def disabled(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of a class whose tensors are as plain ones: operators are not overridden, and results
    are plain tensors. `torch._C._disabled_torch_function_impl`.
    """
    return func(*args, **(kwargs or {}))


def undispatched(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_dispatch__` of a class that is told of no operator: `torch._C._disabled_torch_dispatch_impl`."""
    return func(*args, **(kwargs or {}))
