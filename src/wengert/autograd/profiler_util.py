"""Events of a profile: the mirror of `torch.autograd.profiler_util`."""

from __future__ import annotations

from .profiler.event_list import EventList
from .profiler.records import FormattedTimesMixin, FunctionEvent, FunctionEventAvg, Interval, Kernel
from .profiler.steps import MemRecordsAcc

__all__ = [
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MemRecordsAcc",
]
