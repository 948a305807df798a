"""Ranges of a program's own in a profile."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from ..._core.profiling import kinds
from ..._core.state.modes import current


def is_open() -> bool:
    """Whether a profile notes what this thread does."""
    return current().log is not None


class record_function(ContextDecorator):  # noqa: N801 - torch's name
    """A range with a name, around a block of code or each call of a function; seen where a profile is open.

    Args:
        name: of the range.
        args: what is to be said about it beside the name; shown where shapes are noted.

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
        """Each call of a function has a range of its own: it may run in several threads."""
        return record_function(self.name, self.args)
