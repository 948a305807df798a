"""How much slower the interpreted build is than the compiled one, per operation: `python benchmarks/builds.py`.

Small operations, each in both builds, in processes of their own, which take turns; a line for each with the two times
(of the processor: other programs may run beside) and their ratio, then the geometric mean of the ratios. From it follow
`SLOWER` of `_start/build.py`, which programs are told, and docs/builds.md.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
import timeit
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = (
    "a + b",
    "x * y",
    "x.exp()",
    "x.sum()",
    "x @ y",
    "x[0]",
    "wg.zeros(3)",
    "F.linear(x, y)",
    "(x * y).sum().backward()",
)
TURNS = 3
REPEATS, NUMBER = 5, 200


def times() -> dict[str, float]:
    """Seconds of processor time of each call in the build of this process, the best of several rounds."""
    import wengert as wg

    a, b = wg.ones(2, 2), wg.ones(2, 2)
    x, y = wg.ones(2, 2, requires_grad=True), wg.ones(2, 2, requires_grad=True)
    known = {"wg": wg, "F": wg.nn.functional, "a": a, "b": b, "x": x, "y": y}
    rounds = {"timer": time.process_time, "repeat": REPEATS, "number": NUMBER}
    return {call: min(timeit.repeat(call, globals=known, **rounds)) / NUMBER for call in CALLS}


def of_build(pure: bool) -> dict[str, float]:
    """`times` in a process of its own."""
    environment = {
        **os.environ,
        "WENGERT_PURE": "1" if pure else "",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT / "src"),
    }
    command = [sys.executable, __file__, "--times"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def measure(turns: int = TURNS) -> tuple[dict[str, float], dict[str, float]]:
    """The best times of the compiled and of the interpreted build."""
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(turns):
        for pure in (False, True):
            for call, seconds in of_build(pure).items():
                best[pure][call] = min(seconds, best[pure].get(call, math.inf))
    return best[0], best[1]


def mean_ratio(compiled: dict[str, float], interpreted: dict[str, float]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum(math.log(interpreted[call] / compiled[call]) for call in CALLS) / len(CALLS))


def main() -> int:
    """Print the table."""
    if sys.argv[1:] == ["--times"]:
        print(json.dumps(times()))
        return 0
    compiled, interpreted = measure()
    for call in CALLS:
        ratio = interpreted[call] / compiled[call]
        print(f"{call:28s}{compiled[call] * 1e6:8.2f} us{interpreted[call] * 1e6:8.2f} us{ratio:7.1f}")
    print(f"{'geometric mean':28s}{'compiled':>11s}{'interpreted':>11s}{mean_ratio(compiled, interpreted):7.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
