"""Errors for files that cannot be read."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any


class DamagedFileError(UnpicklingError, ValueError, RuntimeError):
    """Raised for a file that is truncated, inconsistent, or would take far more memory or steps than its size.

    torch raises one of three errors, depending on the place of the damage. This class derives from all three, so that
    programs that catch one of them need no change.
    """


class CallerError(Exception):
    """Carry an error of the caller's own function past handlers that would take it for damage.

    Attributes:
        error: that error.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def damage(before: str, after: str = "") -> Iterator[None]:
    """Context that raises `DamagedFileError` for any error caused by the content of a file.

    Args:
        before, after: the message around the description of the damage.
    """
    try:
        yield
    except DamagedFileError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DamagedFileError(f"{before}{error}{after}") from error


def shown(value: Any) -> str:
    """Return a short text for a value from a file, for errors."""
    if value is None or isinstance(value, (str, bytes, int, float)):
        return reprlib.repr(value)
    return f"a {type(value).__name__}"
