"""Profiles of what a program calls and what it costs: the mirror of `torch.autograd.profiler`."""

from __future__ import annotations

from .emitters import emit_itt, emit_nvtx
from .event_list import EventList
from .nvprof import EnforceUnique, load_nvprof, parse_nvprof_trace
from .profiles import profile
from .ranges import record_function
from .records import FunctionEvent
from .steps import KinetoStepTracker, MemRecordsAcc

__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "emit_itt",
    "emit_nvtx",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]
