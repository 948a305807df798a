"""A sparse Hessian: what it takes to find its pattern, to colour it, and to compute it; and that this takes no more
passes for more variables."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any

from benchmarks.cases import draw
from benchmarks.functional import rosenbrock

COUNTS = (100, 1_000, 10_000)
TARGET = 1.0
ROUNDS = 5


def measured(count: int) -> tuple[list[float], int]:
    """Seconds to find the pattern of a tri-diagonal Hessian, to colour it, to compute it; and the number of passes."""
    import wengert
    from wengert.func import hessian_sparsity, sparse_hessian
    from wengert.func.sparse.derivatives import hessian_plan

    x = wengert.from_numpy(draw(count).astype("float64"))
    pattern = hessian_sparsity(rosenbrock, x)
    compute = sparse_hessian(rosenbrock, sparsity=pattern)
    steps: list[Callable[[], Any]] = [
        lambda: hessian_sparsity(rosenbrock, x),
        lambda: sparse_hessian(rosenbrock, sparsity=pattern),
        lambda: compute(x),
    ]
    return [min(seconds(step) for _ in range(ROUNDS)) for step in steps], hessian_plan(pattern).seeds.shape[1]


def seconds(step: Callable[[], Any]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def report() -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures."""
    if importlib.util.find_spec("scipy") is None:
        return ["tri-diagonal Hessian: not measured, SciPy is not installed"], {}
    lines, figures, passes = [], {}, []
    for count in COUNTS:
        seconds, needed = measured(count)
        passes.append(needed)
        parts = ", ".join(
            f"{what} {1e3 * part:.1f} ms" for what, part in zip(("pattern", "colours", "values"), seconds)
        )
        lines.append(f"tri-diagonal Hessian of {count:6d} variables: {parts}, {needed} passes")
        figures[f"tri-diagonal Hessian of {count}"] = sum(seconds)
    passed = len(set(passes)) == 1 and figures[f"tri-diagonal Hessian of {COUNTS[-1]}"] < TARGET
    lines[-1] += f"  {'pass' if passed else 'MISS'} (< {TARGET:g} s in all, as many passes for each)"
    return lines, figures
