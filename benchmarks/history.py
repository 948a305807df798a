"""The figures of `make bench` by commit: a file with a line for each recorded run, and what became of each ratio.

    python benchmarks/run.py --record                 # append this run to benchmarks/history.jsonl
    python benchmarks/history.py [--only TEXT] [--plot FILE]

Without `--plot` the table shows, for each case, the first, the best and the last ratio (torch's time over wengert's)
and the share of the machine's limit (benchmarks/limits.py) of the last run. Runs on other machines, builds or numbers
of threads are not compared: the table is of those like the last one. The plot needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FILE = HERE / "history.jsonl"
SAME = ("processor", "cores", "threads", "build")
"""What two runs must have in common to be compared."""


@dataclass(frozen=True)
class Line:
    """What became of one case over the runs that have it."""

    name: str
    ratios: list[float]
    share: float | None

    def __str__(self) -> str:
        share = f"{self.share:8.0%}" if self.share is not None else f"{'':8s}"
        return f"{self.name:52.52s}{self.ratios[0]:8.2f}{max(self.ratios):8.2f}{self.ratios[-1]:8.2f}{share}"


def record(head: dict[str, Any], results: list[Any], file: Path = FILE) -> None:
    """Append a run.

    Args:
        head: versions, build, threads and load, as `run.py` prints them.
        results: those of `benchmarks.timing.measure`; the ones with a ratio to torch are kept.
        file: where to; one JSON object a line.
    """
    cases = {
        result.name: [round(result.ratios["torch"], 3), None if result.share is None else round(result.share, 3)]
        for result in results
        if "torch" in result.ratios
    }
    run = {"commit": commit(), "processor": processor(), "cores": cores(), **head, "cases": cases}
    with file.open("a") as stream:
        stream.write(json.dumps(run) + "\n")


def commit() -> str:
    """The short name of the commit that is checked out, with a + if files differ from it."""
    asked = ["git", "describe", "--always", "--abbrev=9", "--dirty=+", "--exclude=*"]
    return subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()


def processor() -> str:
    """What the system calls its processor."""
    try:
        models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    except OSError:
        models = []
    return models[0].split(":", 1)[1].strip() if models else platform.processor() or platform.machine()


def cores() -> int:
    """How many cores this program may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read(file: Path = FILE) -> list[dict[str, Any]]:
    """The runs that are like the last one, oldest first."""
    runs = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [run for run in runs if all(run[word] == runs[-1][word] for word in SAME)]


def lines(runs: list[dict[str, Any]], only: str = "") -> list[Line]:
    """A line for each case of the last run."""
    result = []
    for name, (_, share) in runs[-1]["cases"].items() if runs else ():
        if only in name:
            result.append(Line(name, [run["cases"][name][0] for run in runs if name in run["cases"]], share))
    return result


def plot(runs: list[dict[str, Any]], only: str, path: str) -> None:
    """Draw each ratio over the commits, on a logarithmic axis.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    for line in lines(runs, only):
        at = [place for place, run in enumerate(runs) if line.name in run["cases"]]
        axes.plot(at, line.ratios, marker=".", linewidth=1, label=line.name)
    axes.axhline(1.0, color="black", linewidth=1)
    axes.set_yscale("log")
    axes.set_xticks(range(len(runs)), [run["commit"] for run in runs], rotation=90)
    axes.set_ylabel("torch's time / wengert's")
    if len(axes.lines) <= 21:
        axes.legend(fontsize="small")
    figure.savefig(path)


def main() -> int:
    """Print the table; draw if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only cases with this text in their name")
    parser.add_argument("--plot", default="", help="write a picture to this file (.png, .svg, .pdf)")
    options = parser.parse_args()
    runs = read()
    if not runs:
        print(f"no run was recorded yet: python benchmarks/run.py --record writes {FILE.name}")
        return 1
    print(f"{len(runs)} runs, {runs[0]['commit']} to {runs[-1]['commit']}; {runs[-1]['processor']}\n")
    print(f"{'':52s}{'first':>8s}{'best':>8s}{'last':>8s}{'limit':>8s}")
    print(*lines(runs, options.only), sep="\n")
    if options.plot:
        plot(runs, options.only, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
