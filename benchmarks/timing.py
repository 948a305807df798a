"""Interleaved timing, after the results were compared."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.limits import Machine

# Threads of a library wait for its next work by turning in a loop before they sleep (libgomp's for some 20 ms), on
# processors that the next library then has not got. A turn of calls that may use threads, by their seconds, follows
# one that is not timed.
THREADED = 2e-5


@dataclass
class Case:
    """One thing to measure.

    Attributes:
        name: what the table calls it.
        make: `make(adapter)` gives a function without arguments, or None if the library cannot do it; the function
            returns arrays that must agree between the libraries.
        target: how many times faster than torch wengert must be, or None.
        tolerance: how far results may lie apart, relative to the largest value.
        only: the libraries that take part; empty for all.
        inputs: bytes that any program for this must read, or 0 if that is unknown, or a function that gives them for an
            adapter; with them the bytes of the results count as written.
        flops: floating-point operations of its products, or 0.
    """

    name: str
    make: Callable[[Any], Callable[[], Any] | None]
    target: float | None = None
    tolerance: float = 1e-4
    only: tuple[str, ...] = ()
    inputs: float | Callable[[Any], float] = 0.0
    flops: float = 0.0


@dataclass
class Result:
    """What a case gave: seconds by library, ratios to wengert's time, the share of what the machine allows that wengert
    reaches (None if the case says nothing of it), and what was wrong.
    """

    name: str
    target: float | None
    seconds: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    share: float | None = None
    problem: str = ""

    @property
    def verdict(self) -> str:
        """The word for the table."""
        if self.problem:
            return self.problem
        if self.target is None or "torch" not in self.ratios:
            return ""
        return f"{'pass' if self.ratios['torch'] >= self.target else 'MISS'} (>= {self.target:g})"


def measure(
    case: Case, adapters: list[Any], *, rounds: int = 15, slice_seconds: float = 0.02, machine: Machine | None = None
) -> Result:
    """Compare the results of a case between libraries, then time them in turn: A B C A B C ...

    Args:
        rounds: how often each has its turn.
        slice_seconds: about how long a turn lasts.
        machine: the limits that times are compared with.
    """
    result = Result(case.name, case.target)
    runs = {}
    for adapter in adapters:
        if not case.only or adapter.name in case.only:
            run = case.make(adapter)
            if run is not None:
                runs[adapter.name] = (adapter, run)
    values = {name: (adapter, run()) for name, (adapter, run) in runs.items()}
    result.problem = compare(values, case.tolerance)
    if result.problem:
        return result
    counts = {name: calls_per_turn(adapter, run, slice_seconds) for name, (adapter, run) in runs.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, (adapter, run) in runs.items():
                if slice_seconds / counts[name] > THREADED:
                    turn(adapter, run, counts[name])
                times[name].append(turn(adapter, run, counts[name]))
    finally:
        gc.enable()
    result.seconds = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in times.items():
        if name != "wengert":
            result.ratios[name] = statistics.median([other / ours for other, ours in zip(seconds, times["wengert"])])
    if machine and "wengert" in values:
        adapter, value = values["wengert"]
        read = case.inputs(adapter) if callable(case.inputs) else case.inputs
        moved = read + bytes_of(adapter, value) if read else 0.0
        result.share = machine.share(result.seconds["wengert"], moved, case.flops)
    return result


def bytes_of(adapter: Any, value: Any) -> float:
    """The size of all arrays in a value."""
    return float(sum(adapter.numpy(array).nbytes for array in flatten(value)))


def turn(adapter: Any, run: Callable[[], Any], count: int) -> float:
    """Seconds per call over `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        value = run()
    adapter.wait(value)
    return (time.perf_counter() - start) / count


def calls_per_turn(adapter: Any, run: Callable[[], Any], seconds: float) -> int:
    """How many calls take about `seconds`; warms up on the way."""
    turn(adapter, run, 3)
    return max(1, int(seconds / max(turn(adapter, run, 3), 1e-9)))


def compare(values: dict[str, tuple[Any, Any]], tolerance: float) -> str:
    """What is wrong with the results of the libraries, or ""."""
    arrays = {name: [adapter.numpy(part) for part in flatten(value)] for name, (adapter, value) in values.items()}
    reference = next(iter(arrays))
    for name, parts in arrays.items():
        if len(parts) != len(arrays[reference]):
            return f"results differ: {len(parts)} of {name}, {len(arrays[reference])} of {reference}"
        for at, (one, other) in enumerate(zip(arrays[reference], parts)):
            scale = float(np.max(np.abs(one))) if one.size else 0.0
            if one.shape != other.shape or not np.allclose(one, other, rtol=tolerance, atol=tolerance * scale):
                return f"results differ: {name} from {reference} in value {at}"
    return ""


def flatten(value: Any) -> list[Any]:
    """Nested tuples and lists as one list."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flatten(part)]
    return [value]
