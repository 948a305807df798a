"""Memory over 1,000 training steps without the garbage collector: `python -m benchmarks.memory`.

Nothing may grow: graphs are freed by reference counting alone, and no node lives after its step.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import weakref
from pathlib import Path
from typing import Any

from benchmarks.cases import digits_network, module_step, perceptron_network
from benchmarks.libraries import TorchLike

ROWS = 10


def resident() -> float:
    """Memory of this process in megabytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return pages * resource.getpagesize() / 1e6


def watch(loss: Any) -> list[Any]:
    """Weak references to all nodes of a loss but the accumulators, which may live as long as their leaves."""
    nodes, stack = {}, [loss.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in nodes and not node.name().endswith("AccumulateGrad"):
            nodes[id(node)] = weakref.ref(node)
            stack += [successor for successor, _ in node.next_functions]
    return list(nodes.values())


def nodes_left(step: Any) -> int:
    """How many nodes of one step outlive it."""
    references = watch(step())
    return sum(reference() is not None for reference in references)


def run(name: str, build: Any, shape: tuple[int, ...], steps: int) -> bool:
    """Train without the collector and print a table; whether memory stayed."""
    adapter = TorchLike("wengert")
    step = module_step(build, shape, 0.9)(adapter)
    for _ in range(50):
        step()
    gc.collect()
    gc.disable()
    print(f"{name}\n{'step':>8s}{'MB':>10s}{'nodes':>8s}{'objects':>10s}")
    rows = []
    try:
        for at in range(steps + 1):
            if at % max(1, steps // ROWS) == 0:
                rows.append((at, resident(), nodes_left(step), len(gc.get_objects())))
                print("{:8d}{:10.1f}{:8d}{:10d}".format(*rows[-1]), flush=True)
            step()
    finally:
        gc.enable()
    grown = rows[-1][1] - rows[1][1]
    fine = grown < 1.0 and all(row[2] == 0 for row in rows) and rows[-1][3] - rows[1][3] < 50
    print(f"grown by {grown:.2f} MB after the first rows: {'pass' if fine else 'MISS'}\n")
    return fine


def main() -> int:
    """Run both networks; 1 if memory grew or nodes stayed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    fine = [
        run("perceptron 784-256-128-10, batch 64", perceptron_network, (64, 784), options.steps),
        run("digits network, batch 64", digits_network, (64, 1, 8, 8), options.steps),
    ]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
