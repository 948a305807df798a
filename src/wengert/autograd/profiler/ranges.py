"""Ranges that a program marks in a profile."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from ..._core.profiling import kinds
from ..._core.state.modes import current


def is_open() -> bool:
    """Return whether a profile records this thread."""
    return current().log is not None


class record_function(ContextDecorator):  # noqa: N801 - torch's name
    """Named range in a profile, around a block of code (context manager) or each call of a function (decorator).

    Args:
        name: the name of the range.
        args: a further description; shown if shapes are recorded.

    Examples:
        >>> import wengert as wg
        >>> from wengert.autograd.profiler import profile, record_function
        >>> with profile() as prof, record_function("twice"):
        ...     y = wg.ones(2) * 2
        >>> [event.name for event in prof.function_events]
        ['twice', 'aten::ones', 'aten::mul']
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._open: list[Any] = []

    def __enter__(self) -> record_function:
        log = current().log
        if log is not None:
            event = log.begin(kinds.RANGE, self.name, -1, None if self.args is None else (self.args,))
            self._open.append((log, event))
        return self

    def __exit__(self, *error: object) -> None:
        if self._open:
            log, event = self._open.pop()
            log.end(event, None)

    def _recreate_cm(self) -> record_function:
        """Return a new range for each call of a function, which may run in several threads."""
        return record_function(self.name, self.args)
