"""Memory of eager, followed and replayed steps: `python -m benchmarks.compiled_memory [--record]`.

What counts is the most memory that a step holds over what was there before it was called for the first time, when its
parameters and data were there: gradients, saved arrays, and what a compiled function keeps for the next call. Memory is
that of Python objects and arrays, which `tracemalloc` sees. The native description of a list, about 300 bytes an entry,
is not part of it. `--record` writes the table into `docs/compiling.md`.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tracemalloc
import warnings
from typing import Any

from benchmarks.compiled import PAGE, PROGRAMS, written

CALLS = 70
"""Number of calls before that which is measured: lists are verified rarely then."""


def compiled(wengert: Any, step: Any, mode: str) -> Any:
    """Return a step as it is called in a mode."""
    if mode == "eager":
        return step
    return wengert.compile(step, replay=True, fullgraph=True) if mode == "replayed" else wengert.compile(step)


def fill_pools(wengert: Any) -> None:
    """Let the free lists of tensors and nodes be full, which are not part of what a step holds."""
    leaf = wengert.ones(4, requires_grad=True)
    result = leaf
    for _ in range(3000):
        result = result * 1
    result.sum().backward()
    held = [(leaf.detach(), leaf.view(4)) for _ in range(3000)]
    del held


def peak(adapter: Any, make: Any, mode: str) -> int:
    """Bytes that a step holds at most, after others."""
    fill_pools(adapter.library)
    step = make(adapter)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    call = compiled(adapter.library, step, mode)
    for _ in range(CALLS):
        call()
    gc.collect()
    tracemalloc.reset_peak()
    call()
    return tracemalloc.get_traced_memory()[1] - before


def in_kilobytes(size: int) -> str:
    """A size for reading."""
    return f"{size / 1e3:,.1f} kB" if size < 10_000 else f"{size / 1e3:,.0f} kB"


def main() -> int:
    """Print the table, and record it."""
    parser = argparse.ArgumentParser(description="memory of compiled steps")
    parser.add_argument("--record", action="store_true", help="write the table into docs/compiling.md")
    options = parser.parse_args()
    tracemalloc.start(1)  # before the library, so that all that is freed was seen
    from benchmarks.libraries import TorchLike

    warnings.simplefilter("ignore")
    ours = TorchLike("wengert")
    modes = ("eager", "followed", "replayed")
    for mode in modes:  # what is loaded on first use
        peak(ours, PROGRAMS[5][1], mode)
    rows = ["| step | eager | followed | replayed |", "|---|---|---|---|"]
    for name, make, *_ in PROGRAMS:
        rows.append(f"| {name} | {' | '.join([in_kilobytes(peak(ours, make, mode)) for mode in modes])} |")
        print(rows[-1], flush=True)
    if options.record:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(written(page, "memory", "\n".join(rows)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
