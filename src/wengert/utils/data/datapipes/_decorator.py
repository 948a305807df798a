"""`functional_datapipe`: register classes of pipes as methods of pipes."""

from __future__ import annotations

from typing import Any

from .datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:  # noqa: N801 - a decorator, called as a function
    """Decorator of a class of pipes whose first argument is a pipe: `pipe.name(...)` creates one.

    Args:
        name: the name of the method.
        enable_df_api_tracing: accepted; no effect.

    Raises:
        TypeError: if `name` is not a string, or the class is not a class of pipes.
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        if not isinstance(name, str):
            raise TypeError(f"functional_datapipe(): name must be str, not {type(name).__name__}")
        self.name = name

    def __call__(self, cls: Any) -> Any:
        for base in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, base):
                base.register_datapipe_as_function(self.name, cls)
                return cls
        raise TypeError(f"functional_datapipe(): {cls!r} is not a class of pipes")


__all__ = ["functional_datapipe"]
