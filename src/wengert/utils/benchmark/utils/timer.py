"""Timing of statements: with warm-up, in repeated blocks that are long compared to the clock's overhead."""

from __future__ import annotations

import enum
import math
import statistics
import sys
import textwrap
import timeit
from collections.abc import Callable
from typing import Any, NoReturn

from .common import Measurement, TaskSpec, set_torch_threads

PACKAGE = __name__.partition(".")[0]
MOST_CALLS = 2**31 - 1
Callback = Callable[[int, float], object]

timer = timeit.default_timer


class Language(enum.Enum):
    """Language of a statement; only Python can be timed."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Time a statement, as `timeit.Timer` does, but with warm-up, a number of threads and several measurements.

    Args:
        stmt: the statement.
        setup: statements that run before it and are not timed.
        global_setup: for C++; refused.
        timer: a clock, in seconds.
        globals: the global names of the statement; `torch` is added.
        label, sub_label, description, env: names in reports: `Compare` makes a table for each label, with a row for
            each `sub_label` and a column for each `description`.
        num_threads: number of threads of operators.
        language: "python".

    Raises:
        NotImplementedError: if the language is C++: nothing is compiled here.
        ValueError: if the statement is not a string, the language is unknown, or `global_setup` is given.

    >>> from wengert.utils.benchmark import Timer
    >>> Timer("x + x", "x = torch.ones(4)", label="sum").timeit(100).number_per_run
    100
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        check_language(language, global_setup)
        stmt, setup = outdented(stmt), outdented(setup)
        names = {"torch": sys.modules[PACKAGE], **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        """Return the seconds of a number of calls; never 0, because it is a divisor."""
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Time a number of calls once, after a hundredth as many for warm-up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return self._measured(number, [self._timeit(number)])

    def blocked_autorange(self, callback: Callback | None = None, min_run_time: float = 0.2) -> Measurement:
        """Time blocks of calls until `min_run_time` seconds are over.

        Args:
            callback: function of the number of calls and the time, called after each block.
        """
        return self._autorange(self._block(min_run_time), min_run_time, math.inf, callback, lambda measured: True)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callback | None = None,
    ) -> Measurement:
        """Time blocks of calls until the times are consistent.

        The end is when `min_run_time` seconds are over and the interquartile range of more than three times is a
        smaller share of their median than `threshold`, or when `max_run_time` seconds are over.
        """

        def settled(measured: Measurement) -> bool:
            return len(measured.raw_times) > 3 and measured.meets_confidence(threshold)

        return self._autorange(self._block(0.05), min_run_time, max_run_time or math.inf, callback, settled)

    def _block(self, least: float) -> int:
        """Return the number of calls that take ten thousand times the clock's overhead, and a thousandth of `least`."""
        number = 1
        with set_torch_threads(self._task_spec.num_threads):
            overhead = statistics.median(self._timeit(0) for _ in range(5))
            while number * 10 <= MOST_CALLS:
                taken = self._timeit(number)
                if taken > least or (overhead <= 1e-4 * taken and taken >= least / 1000):
                    break
                number *= 10
        return number

    def _autorange(
        self, number: int, least: float, most: float, callback: Callback | None, enough: Callable[[Measurement], bool]
    ) -> Measurement:
        """Time blocks of `number` calls for at least `least` seconds and until `enough`, for at most `most` seconds."""
        measured = self._measured(number, [])
        total, stops = 0.0, False
        with set_torch_threads(self._task_spec.num_threads):
            while (total < least or not stops) and total <= most:
                spent = self._timeit(number)
                measured.raw_times.append(spent)
                total += spent
                if callback is not None:
                    callback(number, spent)
                stops = enough(measured)
        return measured

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """Raise an error: not supported.

        Raises:
            NotImplementedError: always; use `blocked_autorange`, which repeats.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callback | None = None) -> NoReturn:
        """Raise an error: not supported.

        Raises:
            NotImplementedError: always; use `blocked_autorange`, which chooses the number of calls.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def collect_callgrind(self, number: int = 100, **options: Any) -> NoReturn:
        """Raise an error: not supported.

        Raises:
            NotImplementedError: always; there is no callgrind here.
        """
        raise NotImplementedError("Timer.collect_callgrind: instructions are not counted here; run valgrind itself")


def check_language(language: Language | str, global_setup: str) -> None:
    """Refuse all languages except Python.

    Raises:
        NotImplementedError: if the language is C++.
        ValueError: if it is unknown, or `global_setup` is given.
    """
    if language in (Language.CPP, "cpp", "c++"):
        raise NotImplementedError(
            "Timer: statements in C++ cannot be timed here, there is nothing to compile them with"
        )
    if language not in (Language.PYTHON, "py", "python"):
        raise ValueError(f"Invalid language `{language}`.")
    if global_setup:
        raise ValueError(
            f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
        )


def outdented(code: str) -> str:
    """Return code without common indentation and surrounding line breaks."""
    return textwrap.dedent(code).removeprefix("\n").rstrip()
