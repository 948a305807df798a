"""What an open profile costs for each event: operators alone, and a chain of operators with its backward pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BOTH

CALLS = 2_000
CHAIN = 20
TARGET = 1_000.0
"""Nanoseconds for an event."""


def product(library: Any) -> Callable[[], None]:
    """Products of 4 elements, nothing recorded."""
    x, y = library.ones(4), library.ones(4)

    def run() -> None:
        for _ in range(CALLS):
            x * y

    return run


def chain(library: Any) -> Callable[[], None]:
    """Chains of small operators, and their gradients."""
    x = library.ones(4, requires_grad=True)

    def run() -> None:
        for _ in range(CALLS // CHAIN):
            y = x
            for _ in range(CHAIN):
                y = y * 2.0
            y.sum().backward()

    return run


def seconds(run: Callable[[], None]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def per_event(library: Any, run: Callable[[], None], rounds: int) -> float:
    """Nanoseconds that a profile adds for each event; the least of the rounds, each with and without it in turn."""
    run()
    without, within, events = [], [], 1
    for _ in range(rounds):
        without.append(seconds(run))
        with library.autograd.profiler.profile() as prof:
            within.append(seconds(run))
        events = len(prof.function_events)
    return 1e9 * (min(within) - min(without)) / events


def report(adapters: list[Any], rounds: int) -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures."""
    lines, figures = [], {}
    for adapter in adapters:
        if adapter.name not in BOTH:
            continue
        for name, make in (("x * y of 4", product), (f"{CHAIN} operators of 4 and their gradients", chain)):
            nanoseconds = per_event(adapter.library, make(adapter.library), rounds)
            figures[f"profile per event, {name}, {adapter.name}"] = nanoseconds
            verdict = (
                f"{'pass' if nanoseconds <= TARGET else 'MISS'} (<= {TARGET:g} ns)" if adapter.name == "wengert" else ""
            )
            lines.append(
                f"an open profile, {name}: {adapter.name:8s} {nanoseconds:6.0f} ns an event  {verdict}".rstrip()
            )
    return lines, figures
