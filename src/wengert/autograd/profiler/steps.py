"""Counters of training steps, and memory records by time."""

from __future__ import annotations

import bisect
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar


class KinetoStepTracker:
    """Count steps for each requester (a profiler, an optimizer); the current step is the largest count."""

    _current_step: ClassVar[int] = 0
    _step_dict: ClassVar[dict[str, int]] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Start counting for a requester, at the current step."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Stop counting for a requester; return whether it was counted."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Count a step for a requester; return the current step."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        step = max(cls._step_dict.values())
        if step > cls._current_step + 1:
            warnings.warn(
                "Profiler step count has increased more than 1 - "
                f"current_step = {cls._current_step} step dict =  {cls._step_dict}",
                stacklevel=2,
            )
        cls._current_step = max(step, cls._current_step)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """Return the current step."""
        return cls._current_step


class MemRecordsAcc:
    """Search of records by time.

    Args:
        mem_records: sequences whose first item has a method `start_ns`.
    """

    def __init__(self, mem_records: Sequence[Any]) -> None:
        self._records = sorted(mem_records, key=lambda record: record[0].start_ns())
        self._times = [record[0].start_ns() for record in self._records]

    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """Yield the records from `start_ns` to `end_ns`, both included."""
        first, last = bisect.bisect_left(self._times, start_ns), bisect.bisect_right(self._times, end_ns)
        yield from self._records[first:last]
