"""The `__torch_function__` and the `__torch_dispatch__` of classes that do not want to be asked."""

from __future__ import annotations

import _thread
from typing import Any

from ..state.modes import Modes
from ..state.regions import Region

switched = _thread._local()
"""Number of entries of a thread into `DisableTorchDispatch`, as `switched.off`."""


def disabled(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of a class whose tensors act as plain ones: operators are not overridden, and results
    are plain tensors. `torch._C._disabled_torch_function_impl`.
    """
    return func(*args, **(kwargs or {}))


class DisableTorchDispatch(Region):
    """Context in which neither modes nor classes with a `__torch_dispatch__` receive operators."""

    def _before_(self, modes: Modes) -> Any:
        return modes.observers, getattr(switched, "off", 0)

    def _begin_(self, modes: Modes, before: Any) -> None:
        switched.off = before[1] + 1
        modes.observe([])

    def _end_(self, modes: Modes, before: Any) -> None:
        observers, switched.off = before
        modes.observe(observers)


def is_dispatch_off() -> bool:
    """Return whether this thread is within such a context."""
    return bool(getattr(switched, "off", 0))


def undispatched(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_dispatch__` of Tensor itself: the plain call.
    `torch._C._disabled_torch_dispatch_impl`.
    """
    with DisableTorchDispatch():
        return func(*args, **(kwargs or {}))
