"""Two builds of wengert beside each other: what a change of the compiler's flags, or of the native code, costs.

    python benchmarks/two_trees.py SRC_BEFORE SRC_AFTER [--only PATTERN] [--operators] [--rounds N] [--worst N]

`SRC_...` are folders that hold a package `wengert`, built. Each runs in a process of its own; a case runs in turn in
both (A B A B ...), and its ratio is the median, over the rounds, of the time after to the time before: above 1 the
second tree is slower. Printed are the geometric mean, the ratios that are largest, and those that are smallest.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 0.004
"""How long a turn lasts at least."""


def chosen_cases(operators: bool) -> list[Any]:
    """Return the cases of `make bench`, with `operators` those of single operators, too."""
    from benchmarks import large, moving, operators as of_operators, run

    cases = [case for group, _ in run.with_targets() for case in group] + large.cases()
    if operators:
        cases += of_operators.cases() + moving.cases()
    return [case for case in cases if not case.only or "wengert" in case.only]


def serve(operators: bool) -> None:
    """Run cases as they are asked for on standard input: a line "number calls", answered by the seconds they took."""
    from benchmarks.libraries import TorchLike

    adapter, cases = TorchLike("wengert"), chosen_cases(operators)
    functions: dict[int, Any] = {}  # of the case that runs, alone: others would keep its memory
    for line in sys.stdin:
        number, calls = map(int, line.split())
        if number not in functions:
            functions.clear()
            functions[number] = cases[number].make(adapter)
        function = functions[number]
        begun = time.perf_counter()
        if function is not None:
            for _ in range(calls):
                function()
        print("none" if function is None else time.perf_counter() - begun, flush=True)


class Tree:
    """A process that runs the cases on the package of one folder."""

    def __init__(self, folder: str, operators: bool) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(Path(folder).resolve()), str(ROOT)))}
        command = [sys.executable, "-P", __file__, "--serve", *(["--operators"] if operators else [])]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, number: int, calls: int) -> float | None:
        """Return how long some calls of a case took; None if wengert has no such case."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(number, calls, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"case {number} ended the process")
        return None if answer == "none" else float(answer)

    def close(self) -> None:
        """End the process: whoever replaces the package next must not take the library from under it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def ratio(trees: tuple[Tree, Tree], number: int, rounds: int) -> float | None:
    """Return the median of the ratios of a case."""
    first = [tree.seconds(number, 1) for tree in trees]
    if None in first:
        return None
    calls = max(1, math.ceil(SECONDS / max(trees[0].seconds(number, 1) or 0.0, 1e-7)))
    ratios = []
    for turn in range(rounds):
        times = [tree.seconds(number, calls) or 1.0 for tree in (trees if turn % 2 else trees[::-1])]
        before, after = times if turn % 2 else times[::-1]
        ratios.append(after / before)
    return statistics.median(ratios)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", help="the folders before and after")
    parser.add_argument("--only", default="", help="only cases in whose names this regular expression is found")
    parser.add_argument("--operators", action="store_true", help="also single operators, in three sizes")
    parser.add_argument("--rounds", type=int, default=15, help="how often each case runs in each tree")
    parser.add_argument("--worst", type=int, default=25, help="how many ratios are printed at either end")
    parser.add_argument("--json", default="", help="write the ratios to this file")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.operators)
        return 0
    before, after = options.trees
    sys.path[:0] = [before, str(ROOT)]  # the cases count their own operations by a package, too
    trees = (Tree(before, options.operators), Tree(after, options.operators))
    ratios: dict[str, float] = {}
    for number, case in enumerate(chosen_cases(options.operators)):
        if re.search(options.only, case.name):
            measured = ratio(trees, number, options.rounds)
            if measured is not None:
                ratios[case.name] = measured
    for tree in trees:
        tree.close()
    ordered = sorted(ratios, key=ratios.__getitem__)
    mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
    print(f"{len(ratios)} cases; geometric mean of after / before: {mean:.3f}")
    for name in [*ordered[-options.worst :][::-1], "", *ordered[: options.worst]]:
        print(f"{ratios[name]:8.3f}  {name}" if name else "")
    if options.json:
        Path(options.json).write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
