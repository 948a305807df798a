"""Peak memory of training steps, torch beside wengert: `python -m benchmarks.peaks` (Linux).

Each library trains in a process of its own. What counts is the most memory that the process held during a few steps,
over what it held before the first one, when the network and its input were there. What a library keeps for later is
part of it.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import cases, images, sequences
from benchmarks.libraries import TorchLike
from benchmarks.timing import Case

STEPS = 5
ROUNDS = 3
LIBRARIES = ("wengert", "torch")


def steps() -> Iterator[Case]:
    """The training steps, and inference, of the benchmark's networks."""
    for case in (*images.cases(), *sequences.cases()):
        if any(word in case.name for word in ("step", "inference", "LSTM", "GPT")) and "threads" not in case.name:
            yield case
    yield Case("perceptron 784-256-128-10, batch 64", cases.module_step(cases.perceptron_network, (64, 784), 0.9))


def held(field: str) -> int:
    """A field of this process's status in kB: `VmRSS` is what it holds, `VmHWM` the most so far."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(field)))


def grown(library: str, name: str, threads: int) -> int:
    """How much more memory, in kB, a case holds at most than before its first step."""
    adapter = TorchLike(library)
    adapter.library.set_num_threads(threads)
    step = next(case for case in steps() if case.name == name).make(adapter)
    if library == "wengert":
        adapter.library.empty_cache()  # what was kept of the making of the network
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most so far is what is held now
    before = held("VmRSS")
    for _ in range(STEPS):
        step()
    return held("VmHWM") - before


def measured(library: str, name: str, threads: int) -> float:
    """The median over processes of its own, in MB."""
    command = [sys.executable, "-m", "benchmarks.peaks", "--of", library, name, "--threads", str(threads)]
    peaks = [int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS)]
    return sorted(peaks)[ROUNDS // 2] / 1e3


def main() -> int:
    """Print the table; 1 if wengert held more than torch in some case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--of", nargs=2, metavar=("LIBRARY", "CASE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.of:
        print(grown(*options.of, options.threads))
        return 0
    missed = 0
    print(f"{'':52s}{'wengert':>10s}{'torch':>10s}{'torch / wengert':>18s}")
    for case in steps():
        if options.only in case.name:
            ours, theirs = (measured(library, case.name, options.threads) for library in LIBRARIES)
            missed += ours > theirs
            print(f"{case.name:52.52s}{ours:7.1f} MB{theirs:7.1f} MB{theirs / max(ours, 0.1):12.2f}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
