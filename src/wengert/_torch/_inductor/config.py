"""`torch._inductor.config`: settings of torch's compiler. They can be written and read again, and change nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

settings = SimpleNamespace()
"""Settings that the program has written."""
GROUPS: dict[str, SimpleNamespace] = {
    name: SimpleNamespace() for name in ("aot_inductor", "cpp", "cuda", "rocm", "trace", "triton")
}
"""Settings that torch has in groups."""


class Settings(ModuleType):
    """The module: attributes that are assigned are settings."""

    def __getattr__(self, name: str) -> Any:
        if name in GROUPS:
            return GROUPS[name]
        if hasattr(settings, name):
            return getattr(settings, name)
        raise AttributeError(f"torch._inductor.config.{name} was not set: there is no compiler here that has settings")

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(settings, name, value)


@contextmanager
def patch(changes: Any = None, value: Any = None, **options: Any) -> Iterator[None]:
    """A context with other settings.

    Args:
        changes: a dictionary of settings, or the name of one.
        value: of that one.
        options: further ones by name.
    """
    before = dict(vars(settings))
    wanted = {changes: value} if isinstance(changes, str) else dict(changes or {})
    vars(settings).update(wanted | options)
    try:
        yield
    finally:
        vars(settings).clear()
        vars(settings).update(before)


sys.modules[__name__].__class__ = Settings
