"""What is paid before the first operation: import time and the size of the wheel."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT_TARGET = 0.035
WHEEL_TARGET = 5e6
# Compiled files must be kept, as they are for users: their first making is not what is measured.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def import_seconds(modules: list[str], rounds: int = 9) -> dict[str, float]:
    """Median seconds that a Python needs to start and import each of `modules` ("" for nothing), taken in turn.

    Modules that cannot be imported are left out.
    """
    times: dict[str, list[float]] = {}
    for module in modules:
        if seconds(module) is not None:
            times[module] = []
    for _ in range(rounds):
        for module, runs in times.items():
            taken = seconds(module)
            if taken is not None:
                runs.append(taken)
    return {module: statistics.median(runs) for module, runs in times.items()}


def seconds(module: str) -> float | None:
    """Seconds of one process that imports `module`; None if it fails."""
    start = time.perf_counter()
    command = [sys.executable, "-c", f"import {module}" if module else ""]
    done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start if done.returncode == 0 else None


def report() -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures."""
    medians = import_seconds(["", "numpy", "wengert", "autograd.numpy", "torch", "jax"])
    extra = medians["wengert"] - medians["numpy"]
    lines = [
        f"import {module:16s} {1e3 * (taken - medians['']):8.1f} ms" for module, taken in medians.items() if module
    ]
    lines.append(
        f"wengert over numpy      {1e3 * extra:8.1f} ms  "
        f"{verdict(extra, IMPORT_TARGET)} (<= {1e3 * IMPORT_TARGET:.0f} ms)"
    )
    figures = {f"import {module or 'nothing'}": taken for module, taken in medians.items()} | {
        "import wengert over numpy": extra
    }
    for wheel in sorted((ROOT / "dist").glob("*.whl")):
        size = wheel.stat().st_size
        lines.append(
            f"{wheel.name}: {size / 1e6:.2f} MB  {verdict(size, WHEEL_TARGET)} (<= {WHEEL_TARGET / 1e6:.0f} MB)"
        )
        figures[wheel.name] = size
    return lines, figures


def verdict(value: float, target: float) -> str:
    """The word for the table."""
    return "pass" if value <= target else "MISS"
