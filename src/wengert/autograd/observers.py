"""What the observers of calls are told of beside calls of operators."""

from __future__ import annotations

from typing import Any

from .._core.state.modes import current


def inform(event: str, *args: Any) -> None:
    """Call the method of this name of each object one of whose methods observes, if it has one.

    The events are `function(name, args)`: a custom Function is about to run, and `returned(name, args, results)`: it
    has run.
    """
    for observer in current().observers:
        method = getattr(getattr(observer, "__self__", None), event, None)
        if method is not None:
            method(*args)
