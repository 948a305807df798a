"""The error for files that cannot be read."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any


class DamagedFileError(UnpicklingError, ValueError, RuntimeError):
    """A file is cut off, contradicts itself, or would take far more memory or steps than it has bytes.

    torch raises one of three errors, which depends on the place of the damage. This is all three, so programs that
    catch one of them need no change.
    """


class CallerError(Exception):
    """Carries an error of the caller's own function past what would take it for damage.

    Attributes:
        error: that error.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def damage(before: str, after: str = "") -> Iterator[None]:
    """Raise `DamagedFileError` for every error that the content of a file leads to.

    Args:
        before, after: the message, around what is wrong.
    """
    try:
        yield
    except DamagedFileError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DamagedFileError(f"{before}{error}{after}") from error


def shown(value: Any) -> str:
    """A few letters that say what a file holds, whatever it is; for errors."""
    if value is None or isinstance(value, (str, bytes, int, float)):
        return reprlib.repr(value)
    return f"a {type(value).__name__}"
