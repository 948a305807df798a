"""What was timed, and what came of it."""

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
SMALLEST_INTERVAL = 25e-9  # seconds: what a clock cannot tell apart
WARNED = (
    (0.25, "This suggests significant environmental influence."),
    (0.1, "This could indicate system fluctuation."),
)
"""Shares of the median from which on the interquartile range is warned of, the larger one first."""


@dataclass(frozen=True)
class TaskSpec:
    """What is timed: the statement, and what it is called in reports."""

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
        """The label, or the statement where there is none, with the second label."""
        if self.label is None and "\n" in self.stmt:
            beside = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{beside}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup as reports show it; empty if there is none."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, one below the other."""
        parts = [part for part in (self.title, self.description, self.setup_str()) if part]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


SPECIFIED = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """Times of a statement: each of `raw_times` is that of `number_per_run` calls, in seconds.

    The fields of `task_spec` are attributes, too. `metadata` is the program's.
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
        """Seconds for one call, one for each run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median of the times."""
        return quantile(sorted(self.times), 0.5)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The times below which a quarter and three quarters of them lie."""
        ordered = sorted(self.times)
        return quantile(ordered, 0.25), quantile(ordered, 0.75)

    @property
    def iqr(self) -> float:
        """The interquartile range: how far the middle half of the times is spread."""
        low, high = self.quartiles
        return high - low

    @property
    def significant_figures(self) -> int:
        """About how many figures of the median mean something, 1 to 4: from the spread of the middle half."""
        ordered = sorted(self.times)
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), SMALLEST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_FIGURES)

    def meets_confidence(self, threshold: float = WARNED[1][0]) -> bool:
        """Whether the interquartile range is a smaller share of the median than `threshold`."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """Whether the times are spread so far that reports warn."""
        return bool(self.raw_times) and not self.meets_confidence()

    def warning(self) -> str:
        """What reports say of the spread; empty if nothing."""
        for threshold, reason in WARNED:
            if not self.meets_confidence(threshold):
                share = self.iqr / self.median * 100
                return f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.\n           {reason}"
        return ""

    @property
    def title(self) -> str:
        """The title of what was timed."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What a row of a table is called."""
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
        """One measurement for each specification, with the times of all; `metadata` is left out."""
        groups: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


def plural(count: int, word: str) -> str:
    """A number with its noun."""
    return f"{count} {word}{'s' if count > 1 else ''}"


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, between two of them by a straight line."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is best told, and its length: ("us", 1e-6)."""
    for unit, (scale, _) in UNITS.items():
        if t >= scale:
            return unit, scale
    return "ns", UNITS["ns"][0]


def unit_to_english(u: str) -> str:
    """The name of a unit: "microsecond" for "us"."""
    return UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """A number rounded to `n` significant figures: 3.14159 to 2 gives 3.1."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return round(x / scale) * scale


def ordered_unique(elements: Iterable[Anything]) -> list[Anything]:
    """The different elements, in the order in which they come first."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A region in which operators use `n` threads."""
    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)
