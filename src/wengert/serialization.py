"""`torch.serialization`: saving and loading, and the settings that torch has for its pickles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import IO, Any, TypeAlias

from .io.objects import load, save

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

DEFAULT_PROTOCOL = 2
"""Of torch's pickles; libraries name it in the defaults of their own functions."""
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
FILE_LIKE: TypeAlias = FileLike
MAP_LOCATION: TypeAlias = Any
"""Torch's words for what `load` takes, which libraries annotate with."""


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Nothing: no class or function that a file names is ever used here, whatever the program trusts."""


def clear_safe_globals() -> None:
    """Nothing: there are none."""


def get_safe_globals() -> list[Any]:
    """Empty: no class or function that a file names is ever used here."""
    return []


@contextmanager
def _safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Nothing, as `add_safe_globals`."""
    yield


safe_globals = _safe_globals
