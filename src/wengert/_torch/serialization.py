"""`torch.serialization`: saving and loading, and the settings that torch has for its pickles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import IO, Any, TypeAlias

from wengert._start.boundary import boundary
from wengert.io import trusted
from wengert.io.objects import load, refused_in, save

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]

DEFAULT_PROTOCOL = 2
"""Protocol of torch's pickles; libraries use it in defaults of their own functions."""
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
FILE_LIKE: TypeAlias = FileLike
MAP_LOCATION: TypeAlias = Any
"""Torch's type aliases of the arguments of `load`, which libraries use in annotations."""


@boundary
def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allow `load` to create objects of classes, and to call functions, that files name.

    Args:
        safe_globals: classes and functions, or pairs of one and its name in files.

    Raises:
        TypeError: if an element is neither a class, a function nor such a pair.
    """
    trusted.add(safe_globals)


def clear_safe_globals() -> None:
    """Revoke what `add_safe_globals` allowed."""
    trusted.clear()


def get_safe_globals() -> list[Any]:
    """Return the classes and functions that the program has allowed, each once."""
    return trusted.listed()


@boundary
def get_unsafe_globals_in_checkpoint(f: FileLike) -> list[str]:
    """Return the names in an archive that `load` would refuse, each once.

    Args:
        f: name of a file, or a seekable file object opened for reading bytes.

    Raises:
        ValueError: if the file is not an archive of `save` or `torch.save`.
    """
    return refused_in(f)


@contextmanager
def _safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Context with the effect of `add_safe_globals`."""
    trusted.add(safe_globals)
    try:
        yield
    finally:
        trusted.remove(safe_globals)


safe_globals = _safe_globals
