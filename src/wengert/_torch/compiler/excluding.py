"""Functions that are never part of a list: `wg.compiler.disable`."""

from __future__ import annotations

import functools
import sys
from typing import Any

from wengert._core.state.modes import current


def excluded(fn: Any, reason: str | None) -> Any:
    """Return a form of a function that ends a recording.

    Args:
        fn: a function or another callable object; of a module the `forward` is replaced, of a class its call.
        reason: text for the warning, or None.
    """
    kinds = (("replaying", "Replaying"), ("following", "Followed"))
    loaded = [(sys.modules.get(f"{__package__}.{module}"), name) for module, name in kinds]
    if any(module is not None and isinstance(fn, getattr(module, name)) for module, name in loaded):
        return excluded(fn.function, reason)
    if isinstance(fn, type):
        name = "forward" if hasattr(fn, "forward") else "__call__"
        setattr(fn, name, excluded(getattr(fn, name), reason))
        return fn
    if hasattr(fn, "forward"):
        fn.forward = excluded(fn.forward, reason)
        return fn
    if not hasattr(fn, "__get__") or hasattr(fn, "__self__"):  # no function that a class may have as a method
        return functools.partial(called, fn, reason)

    @functools.wraps(fn)
    def outside(*args: Any, **kwargs: Any) -> Any:
        return called(fn, reason, *args, **kwargs)

    return outside


def called(fn: Any, reason: str | None, *args: Any, **kwargs: Any) -> Any:
    """Call a function, and end the recording that is under way, if any."""
    log = current().log
    if log is not None and log.exact:
        why = "" if reason is None else f" ({reason})"
        log.refuse(f"{getattr(fn, '__qualname__', type(fn).__name__)} is called, which is excluded by disable(){why}")
    return fn(*args, **kwargs)
