"""Boundaries, where errors leave the package with a traceback of the program's line and one frame that names the call.

`tracebacks.py` says which frames are kept; it is loaded with the first error. Functions that are called often catch
errors themselves, as `Op.__call__` and `Module.__call__` do: an `except` costs nothing until there is an error.
"""

from __future__ import annotations

from functools import wraps
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])
    C = TypeVar("C", bound=type)

PACKAGE = f"{__name__.partition('.')[0]}."


def shorten(error: Exception, name: str = "", body: Any = None) -> None:
    """Shorten the traceback of an error that leaves the package.

    To be called where it was caught, before a `raise` without an argument, which adds no frame.

    Args:
        name, body: the name of the call, and its function, whose frame is kept or, if there is none, created; without
            them both are determined from the frames.
    """
    from .tracebacks import shorten as shorten_now  # imported from its module: a package that lacks one comes here, too

    shorten_now(error, name, body)


def boundary(function: F, name: str = "") -> F:
    """Wrap a function so that its errors have a short traceback, in which it has its own name or `name`."""
    shown = name or function.__name__

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            shorten(error, shown, function)
            raise

    return call  # type: ignore[return-value]


def guarded(cls: C) -> C:
    """Make a boundary of the constructor that a class of the package defines; classes of programs stay as they are.

    Decorates the class, or ends the `__init_subclass__` of a family.
    """
    constructor = vars(cls).get("__init__")
    if isinstance(constructor, FunctionType) and cls.__module__.startswith(PACKAGE):
        cls.__init__ = boundary(constructor)  # type: ignore[misc]
    return cls


class Guarded:
    """Base of families whose constructors are boundaries."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guarded(cls)


def guard(cls: type) -> None:
    """Make boundaries of the methods behind Python's operators and protocols, of a class that is not compiled."""
    for name, value in tuple(vars(cls).items()):
        if isinstance(value, FunctionType) and name.startswith("__") and name not in ("__init__", "__hash__"):
            setattr(cls, name, boundary(value))
