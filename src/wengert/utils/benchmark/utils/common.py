"""Specifications of timed statements, and measurements."""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from ...._kernels import get_num_threads, set_num_threads

Anything = TypeVar("Anything")

UNITS = {"s": (1.0, "second"), "ms": (1e-3, "millisecond"), "us": (1e-6, "microsecond"), "ns": (1e-9, "nanosecond")}
MOST_FIGURES = 4
SMALLEST_INTERVAL = 25e-9  # seconds: the resolution of the clock
WARNED = (
    (0.25, "This suggests significant environmental influence."),
    (0.1, "This could indicate system fluctuation."),
)
"""Shares of the median above which reports warn of the interquartile range, the larger one first."""


@dataclass(frozen=True)
class TaskSpec:
    """Specification of a timed statement, with its names in reports."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """Label, by default the statement, with the second label."""
        if self.label is None and "\n" in self.stmt:
            beside = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{beside}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """Return the setup for reports; empty if there is none."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Return title, description and setup on separate lines."""
        parts = [part for part in (self.title, self.description, self.setup_str()) if part]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


SPECIFIED = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """Times of a statement: each of `raw_times` is the time of `number_per_run` calls, in seconds.

    The fields of `task_spec` are attributes, too. `metadata` is free for the program.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in SPECIFIED and "task_spec" in vars(self):
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds for one call, for each run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def mean(self) -> float:
        """Mean of the times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """Median of the times."""
        return quantile(sorted(self.times), 0.5)

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile of the times."""
        ordered = sorted(self.times)
        return quantile(ordered, 0.25), quantile(ordered, 0.75)

    @property
    def iqr(self) -> float:
        """Interquartile range of the times."""
        low, high = self.quartiles
        return high - low

    @property
    def significant_figures(self) -> int:
        """Estimated number of significant figures of the median, 1 to 4, from the interquartile range."""
        ordered = sorted(self.times)
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), SMALLEST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_FIGURES)

    def meets_confidence(self, threshold: float = WARNED[1][0]) -> bool:
        """Return whether the interquartile range is a smaller share of the median than `threshold`."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """Return whether the spread of the times is so large that reports warn."""
        return bool(self.raw_times) and not self.meets_confidence()

    def warning(self) -> str:
        """Return the warning about the spread; empty if there is none."""
        for threshold, reason in WARNED:
            if not self.meets_confidence(threshold):
                share = self.iqr / self.median * 100
                return f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.\n           {reason}"
        return ""

    @property
    def title(self) -> str:
        """Title of the statement."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """Name of the row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __repr__(self) -> str:
        lines = [object.__repr__(self), self.task_spec.summarize()]
        count = len(self.raw_times)
        if count:
            unit, scale = select_unit(self.median)
            lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
            if count > 3:
                low, high = self.quartiles
                lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        threads = self.task_spec.num_threads
        lines.append(
            f"  {plural(count, 'measurement')}, {self.number_per_run} runs {'per measurement,' if count > 1 else ','} "
            f"{plural(threads, 'thread')}"
        )
        return "\n".join([*lines, *([self.warning()] if self.has_warnings else [])])

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Merge measurements of the same specification; `metadata` is dropped."""
        groups: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


def plural(count: int, word: str) -> str:
    """Return a number with its noun in singular or plural."""
    return f"{count} {word}{'s' if count > 1 else ''}"


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile of ordered values, by linear interpolation."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def select_unit(t: float) -> tuple[str, float]:
    """Return the best unit for a time, and its length in seconds: ("us", 1e-6)."""
    for unit, (scale, _) in UNITS.items():
        if t >= scale:
            return unit, scale
    return "ns", UNITS["ns"][0]


def unit_to_english(u: str) -> str:
    """Return the name of a unit: "microsecond" for "us"."""
    return UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """Round a number to `n` significant figures: 3.14159 to 2 is 3.1."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return round(x / scale) * scale


def ordered_unique(elements: Iterable[Anything]) -> list[Anything]:
    """Return the distinct elements, in order of first appearance."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Context in which operators use `n` threads."""
    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)
