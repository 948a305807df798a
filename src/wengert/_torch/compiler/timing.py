"""Times of the entries of lists, measured while later calls replay them."""

from __future__ import annotations

import statistics
from collections import deque
from time import perf_counter_ns
from typing import Any

from wengert import _kernels as kernels
from wengert._core.capture.lists import CallList, Entry, count_writes, run_entry
from wengert._core.capture.native_calls import alone, descriptions
from wengert._core.tensor import slots

SAMPLES = 100
"""Number of replays whose times are kept."""
TRIALS = 300
"""Number of empty runs from which the time of a measurement itself is known."""


class Stopwatch:
    """Runs a list in the place of `lists.run`, one entry after the other, and measures each.

    An entry that the native loop runs is a native list of its own here, so that nothing but the entry is measured.

    Args:
        calls: the list.

    Attributes:
        times: for each entry the nanoseconds of the latest replays.
        entries: the entries, once a call has begun to measure them.
        single: for each entry its native list; None if Python runs it.
        overhead: the nanoseconds of a measurement without an entry.
    """

    def __init__(self, calls: CallList) -> None:
        self.calls = calls
        self.times: list[deque[int]] = [deque(maxlen=SAMPLES) for _ in calls.entries]
        self.entries: list[Entry] = []
        self.single: list[Any] = []
        self.overhead = 0.0

    def prepare(self, registers: int) -> None:
        """Make the native lists of single entries."""
        self.entries = list(self.calls.entries)
        self.single = [None] * len(self.entries)
        if self.calls.function is not None:
            natives: Any = kernels.native
            add: Any = slots.OPERATORS.iadd
            spares = map(alone, self.entries, self.calls.offers)
            known = descriptions(self.entries, spares, add.native)
            self.single = [None if one is None else natives.replay_calls((one,), registers) for one in known]
            self.overhead = self.measured_overhead(natives.replay_calls((), 0), [])

    def measured_overhead(self, empty: Any, values: list[Any]) -> float:
        """Return the nanoseconds of a run of no entry."""
        run, times = self.calls.function, []
        for _ in range(TRIALS):
            start = perf_counter_ns()
            run(empty, values, 0)
            took = perf_counter_ns() - start
            times.append(took)
        return statistics.median(times)

    def __call__(self, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]) -> int:
        """Run the list, as `lists.run` does; return -1, or the index of the entry that could not run."""
        if not self.single:
            self.prepare(len(values))
        run = self.calls.function
        for at, (entry, single) in enumerate(zip(self.entries, self.single)):
            took = stopped = 0
            if single is not None:
                start = perf_counter_ns()
                stopped = run(single, values, 0)
                took = perf_counter_ns() - start
            if stopped != 1:  # a native function declines, or there is none
                start = perf_counter_ns()
                ran = run_entry(entry, values, owners, built, storages)
                took = perf_counter_ns() - start
                if not ran:
                    return at
            self.times[at].append(took)
            self.conclude(entry, values, owners)
        return -1

    def conclude(self, entry: Entry, values: list[Any], owners: list[Any]) -> None:
        """Count the writes of an entry to external tensors, and empty the registers that no later one needs."""
        for tensor, number in entry.counts:
            count_writes(owners[tensor], number)
        for register in entry.frees:
            values[register] = None

    def seconds(self, at: int) -> float | None:
        """Return the median time of an entry; None if no replay has been measured."""
        times = self.times[at]
        return max(statistics.median(times) - self.overhead, 0.0) * 1e-9 if times else None
