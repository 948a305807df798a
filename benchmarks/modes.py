"""What it costs to enter a mode, and to compute in it, beside torch."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BOTH, chain, draw
from benchmarks.timing import Case, calls_per_turn, turn

ENTRIES = 20
MODES_TARGET = 1.1
LINES_TARGET = 1.3


def entries(make: Callable[[Any], Any]) -> Callable[[Any], Callable[[], Any]]:
    """Make a guard, enter it and leave it again, several times."""

    def prepare(adapter: Any) -> Callable[[], Any]:
        guard = make(adapter.library)

        def run() -> Any:
            for _ in range(ENTRIES):
                with guard():
                    pass
            return ()

        return run

    return prepare


def decorated(adapter: Any) -> Callable[[], Any]:
    """Call a function that is decorated with `no_grad`."""

    @adapter.library.no_grad()  # type: ignore[untyped-decorator]
    def function() -> None:
        pass

    def run() -> Any:
        for _ in range(ENTRIES):
            function()
        return ()

    return run


def product(mode: str) -> Callable[[Any], Callable[[], Any]]:
    """Products of 4 elements of which one requires a gradient, in a mode that is entered once for all of them."""

    def prepare(adapter: Any) -> Callable[[], Any]:
        x, y = adapter.leaf(draw(4, seed=1)), adapter.array(draw(4, seed=2))
        guard = getattr(adapter.library, mode)

        def run() -> Any:
            with guard():
                for _ in range(ENTRIES):
                    value = x * y
            return value

        return run

    return prepare


def cases() -> list[Case]:
    """Each entry must cost no more than torch's; operations must cost no more in inference mode than under no_grad."""
    count = f"{ENTRIES} times"
    return [
        Case(f"{count}: with no_grad(): pass", entries(lambda lib: lib.no_grad), 1.0, only=BOTH),
        Case(f"{count}: with enable_grad(): pass", entries(lambda lib: lib.enable_grad), 1.0, only=BOTH),
        Case(f"{count}: with inference_mode(): pass", entries(lambda lib: lib.inference_mode), 1.0, only=BOTH),
        Case(
            f"{count}: with set_grad_enabled(False): pass",
            entries(lambda lib: lambda: lib.set_grad_enabled(False)),
            1.0,
            only=BOTH,
        ),
        Case(f"{count}: a function decorated with no_grad", decorated, 1.0, only=BOTH),
        Case(f"{count}: x * y of 4, under no_grad", product("no_grad"), 3.0, only=BOTH),
        Case(f"{count}: x * y of 4, in inference mode", product("inference_mode"), 3.0, only=BOTH),
    ]


def report(adapters: list[Any], rounds: int) -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures: an operation in inference mode against the same one under no_grad."""
    lines, figures = [], {}
    for adapter in adapters:
        if adapter.name in BOTH:
            ratio = compared(adapter, rounds)
            figures[f"inference mode over no_grad {adapter.name}"] = ratio
            verdict = f"{'pass' if ratio <= MODES_TARGET else 'MISS'} (<= {MODES_TARGET})"
            lines.append(
                f"time of an operation in inference mode over that under no_grad: {adapter.name:8s} {ratio:5.2f} x  "
                f"{verdict if adapter.name == 'wengert' else ''}"
            )
            ratio = traced(adapter, rounds)
            name = "set_debug(lines=True)" if adapter.name == "wengert" else "detect_anomaly()"
            figures[f"chain with {name} over without, {adapter.name}"] = ratio
            verdict = f"{'pass' if ratio <= LINES_TARGET else 'MISS'} (<= {LINES_TARGET})"
            lines.append(
                f"time of the chain of small operations with {name} over without: {adapter.name:8s} {ratio:5.2f} x  "
                f"{verdict if adapter.name == 'wengert' else ''}"
            )
    return lines, figures


def traced(adapter: Any, rounds: int) -> float:
    """The median over the rounds of the ratio of times of the chain, with the lines of forward calls noted or not."""
    run = chain(adapter)
    count = calls_per_turn(adapter, run, 0.02)
    library = adapter.library
    ratios = []
    for _ in range(rounds):
        plain = turn(adapter, run, count)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's mode warns that it is slow
            noting = (
                library.set_debug(lines=True) if adapter.name == "wengert" else library.autograd.detect_anomaly(False)
            )
        with noting:
            ratios.append(turn(adapter, run, count) / plain)
    return statistics.median(ratios)


def compared(adapter: Any, rounds: int) -> float:
    """The median over the rounds of the ratio of times, each mode having its turn."""
    runs = [product(mode)(adapter) for mode in ("inference_mode", "no_grad")]
    count = calls_per_turn(adapter, runs[0], 0.02)
    ratios = []
    for _ in range(rounds):
        inference, plain = (turn(adapter, run, count) for run in runs)
        ratios.append(inference / plain)
    return statistics.median(ratios)
