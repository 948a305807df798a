"""Ranges and marks for Intel VTune, by the package `ittapi`: the mirror of `torch.profiler.itt`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..autograd.profiler.emitters import Itt


def is_available() -> bool:
    """Return whether the package `ittapi` is installed."""
    from importlib.util import find_spec

    return find_spec("ittapi") is not None


def range_push(msg: str) -> None:
    """Begin a range.

    Raises:
        ModuleNotFoundError: if the package `ittapi` is not installed.
    """
    Itt(shapes=False).begin(msg)


def range_pop() -> None:
    """End the last range.

    Raises:
        ModuleNotFoundError: if the package `ittapi` is not installed.
    """
    Itt(shapes=False).end()


def mark(msg: str) -> None:
    """Mark an instant.

    Raises:
        ModuleNotFoundError: if the package `ittapi` is not installed.
    """
    range_push(msg)
    range_pop()


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """Context manager of a range around a block of code; `msg` is formatted with the further arguments.

    Raises:
        ModuleNotFoundError: if the package `ittapi` is not installed.
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
