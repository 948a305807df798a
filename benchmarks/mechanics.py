"""The mechanics of autograd beside torch: writes to parts of a tensor, custom functions, hooks, training threads."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.timing import Case

ROOT = Path(__file__).resolve().parent.parent
BOTH = ("wengert", "torch")
LENGTH = 1000
LINEAR_TARGET = 1.35
THREADS_TARGET = 1.7
NETWORK, BATCH, STEPS = 1024, 128, 25


def recurrence(length: int) -> Callable[[Any], Callable[[], Any]]:
    """`x[i] = x[i - 1] * a` for all i, forward and backward."""

    def make(adapter: Any) -> Callable[[], Any]:
        library = adapter.library
        factor = library.tensor(0.9999)
        start = library.ones(length, requires_grad=True)

        def step() -> Any:
            start.grad = None
            x = start.clone()
            for i in range(1, length):
                x[i] = x[i - 1] * factor
            x.sum().backward()
            return start.grad

        return step

    return make


def custom_function(adapter: Any) -> Callable[[], Any]:
    """A product by a custom function of 4 elements, forward and backward."""
    library = adapter.library

    class Product(library.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, y = ctx.saved_tensors
            return grad * y, grad * x

    x = library.ones(4, requires_grad=True)
    y = library.full((4,), 2.0, requires_grad=True)

    def step() -> Any:
        x.grad = y.grad = None
        Product.apply(x, y).sum().backward()
        return x.grad, y.grad

    return step


def hooked(adapter: Any) -> Callable[[], Any]:
    """A product of 4 elements with a hook that doubles the gradient, forward and backward."""
    library = adapter.library
    x = library.ones(4, requires_grad=True)

    def step() -> Any:
        x.grad = None
        y = x * x
        y.register_hook(lambda grad: grad * 2)
        y.sum().backward()
        return x.grad

    return step


def saved_elsewhere(adapter: Any) -> Callable[[], Any]:
    """A product of 4 elements whose saved tensors pass through hooks, forward and backward."""
    library = adapter.library
    x = library.ones(4, requires_grad=True)

    def step() -> Any:
        x.grad = None
        with library.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
            y = x * x
        y.sum().backward()
        return x.grad

    return step


def numerical_check(function: str, **options: Any) -> Callable[[Any], Callable[[], Any]]:
    """A numerical check of `tanh(x * y)` of 4 elements in double precision."""

    def prepare(adapter: Any) -> Callable[[], Any]:
        library = adapter.library
        values = ([0.5, -1.2, 2.0, 0.1], [1.5, 0.3, -0.7, 1.0])
        x, y = (library.tensor(array, dtype=library.float64, requires_grad=True) for array in values)
        check = getattr(library.autograd, function)

        def step() -> Any:
            assert check(lambda x, y: (x * y).tanh(), (x, y), **options)
            return x

        return step

    return prepare


def cases() -> list[Case]:
    """All that is measured beside torch."""
    return [
        Case(f"x[i] = x[i-1] * a, {LENGTH:,} times, and backward", recurrence(LENGTH), 2.0, only=BOTH),
        Case("custom Function of 4, forward and backward", custom_function, 1.0, only=BOTH),
        Case("hook on a product of 4, forward and backward", hooked, 1.0, only=BOTH),
        Case("saved_tensors_hooks, product of 4, and backward", saved_elsewhere, 1.0, only=BOTH),
        Case("gradcheck of tanh(x * y) of 4", numerical_check("gradcheck"), 2.0, only=BOTH),
        Case("gradcheck of tanh(x * y) of 4, fast mode", numerical_check("gradcheck", fast_mode=True), 2.0, only=BOTH),
        Case("gradgradcheck of tanh(x * y) of 4", numerical_check("gradgradcheck"), 2.0, only=BOTH),
    ]


def seconds(run: Callable[[], Any]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def linearity(adapter: Any, rounds: int) -> float:
    """How the time per element of the recurrence grows when it is eight times as long; 1 is linear."""
    short, long = recurrence(LENGTH)(adapter), recurrence(8 * LENGTH)(adapter)
    short(), long()
    gc.collect()
    gc.disable()  # as for all other times
    try:
        return statistics.median([seconds(long) / sum(seconds(short) for _ in range(8)) for _ in range(rounds)])
    finally:
        gc.enable()


def training(library: Any, seed: int) -> Callable[[], None]:
    """A private network and what trains it for some steps."""
    nn = library.nn
    library.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(NETWORK, NETWORK), nn.ReLU(), nn.Linear(NETWORK, NETWORK), nn.ReLU(), nn.Linear(NETWORK, 10)
    )
    optimiser = library.optim.SGD(network.parameters(), lr=1e-3)
    x, labels = library.randn(BATCH, NETWORK), library.randint(0, 10, (BATCH,))

    def run() -> None:
        for _ in range(STEPS):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(x), labels).backward()
            optimiser.step()

    return run


def gain_of_two_threads(name: str, rounds: int) -> float:
    """Throughput of two threads that each train a network of their own, over that of one."""
    library = __import__(name)
    library.set_num_threads(1)
    first, second = training(library, 0), training(library, 1)

    def together() -> None:
        threads = [threading.Thread(target=function) for function in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    together()
    return statistics.median([2 * seconds(first) / seconds(together) for _ in range(rounds)])


def measured_gain(name: str, rounds: int) -> float | None:
    """`gain_of_two_threads` in a process whose BLAS uses one thread; None if it fails."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    code = f"from benchmarks.mechanics import gain_of_two_threads as gain; print(gain({name!r}, {rounds}))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return float(json.loads(done.stdout)) if done.returncode == 0 else None


def report(adapters: list[Any], rounds: int) -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures."""
    lines, figures = [], {}
    for adapter in adapters:
        if adapter.name in BOTH:
            growth = linearity(adapter, min(rounds, 5))
            figures[f"recurrence growth {adapter.name}"] = growth
            verdict = target(growth <= LINEAR_TARGET, f"<= {LINEAR_TARGET}") if adapter.name == "wengert" else ""
            lines.append(f"recurrence 8 times as long, time per element: {adapter.name:8s} {growth:5.2f} x  {verdict}")
    for adapter in adapters:
        gain = measured_gain(adapter.name, rounds) if adapter.name in BOTH else None
        if gain is not None:
            figures[f"two threads {adapter.name}"] = gain
            verdict = target(gain >= THREADS_TARGET, f">= {THREADS_TARGET}") if adapter.name == "wengert" else ""
            lines.append(f"two threads train, throughput over one thread: {adapter.name:8s}{gain:5.2f} x  {verdict}")
    return lines, figures


def endurance() -> list[str]:
    """The table of `benchmarks.endurance`, made by a process of its own."""
    command = [sys.executable, "-m", "benchmarks.endurance"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.splitlines() if done.stdout else ["MISS", *done.stderr.splitlines()[-1:]]


def target(met: bool, wanted: str) -> str:
    """The word for the table."""
    return f"{'pass' if met else 'MISS'} ({wanted})"
