"""`wg.compile(function)`: calls are followed, so that backward passes run from lists."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert._core.capture.patterns import Following

from .replaying import KNOWN, NATIVES, Position, Replaying


def followed(model: Any) -> Any:
    """Return a function that is followed; a module is changed, and returned itself."""
    if isinstance(model, (Followed, Replaying, type)):
        return model
    if hasattr(model, "_call_uncompiled"):
        model.compile()
        return model
    return Followed(model)


class Followed(Following):
    """A function that is followed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function, updated=())
        super().__init__(function, Position, NATIVES)
        KNOWN.add(self)

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # of an object that is being copied
            raise AttributeError(name)
        return getattr(self.function, name)

    def __reduce__(self) -> Any:
        return Followed, (self.function,)

    def __repr__(self) -> str:
        return f"<followed {self.function!r}>"

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)
