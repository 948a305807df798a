"""The clock of profiles. This file is never compiled: the compiled build takes the function of `clock.pxd`."""

from __future__ import annotations

from time import perf_counter_ns


def now() -> int:
    """Return the time in nanoseconds, as `time.perf_counter_ns`."""
    return perf_counter_ns()
