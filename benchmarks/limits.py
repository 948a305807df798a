"""What the machine allows: how fast it copies memory that it holds already, how fast it multiplies matrices.

No program can be faster than moving what comes in and what goes out once, or than its multiplications at the best rate
that a matrix product reaches. A case that names its inputs or its operations is printed with the share of that limit
that it reaches: 100 % leaves nothing to gain.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

import numpy as np

REPEATS = 7
SIDE = 1024
"""Rows and columns of the matrices that are multiplied."""


class Machine:
    """The limits of this machine, each measured when it is first asked for.

    Args:
        threads: how many threads a measured library may use.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._copies: dict[int, float] = {}
        self._rate = 0.0

    def share(self, seconds: float, moved: float, flops: float) -> float | None:
        """The part of the limit that a time of `seconds` reaches, at most 1 in a quiet run; None for nothing to do."""
        least = max(self.moving(moved) if moved else 0.0, flops / self.rate() if flops else 0.0)
        return least / seconds if least else None

    def moving(self, moved: float) -> float:
        """Seconds to move so many bytes, one half of them read, the other written.

        A copy of the next smaller power of two is measured, since caches make small copies faster.
        """
        size = 1 << max(12, int(moved / 2).bit_length() - 1)
        if size not in self._copies:
            self._copies[size] = copy_seconds(size, self.threads)
        return self._copies[size] * (moved / 2) / size

    def rate(self) -> float:
        """Floating-point operations a second of a product of two float32 matrices by NumPy's BLAS."""
        if not self._rate:
            one, other = np.ones((SIDE, SIDE), np.float32), np.ones((SIDE, SIDE), np.float32)
            self._rate = 2 * SIDE**3 / best(lambda: np.matmul(one, other))
        return self._rate


def copy_seconds(size: int, threads: int) -> float:
    """Seconds to copy `size` bytes into memory already held, by one thread or shared between `threads`: the faster."""
    source, target = np.ones(size, np.uint8), np.ones(size, np.uint8)
    alone = best(lambda: np.copyto(target, source))
    if threads == 1:
        return alone
    cuts = [size * at // threads for at in range(threads + 1)]
    parts = [(target[low:high], source[low:high]) for low, high in itertools.pairwise(cuts)]
    return min(alone, best_together([lambda part=part: np.copyto(*part) for part in parts]))  # type: ignore[misc]


def best(run: Callable[[], object]) -> float:
    """The least seconds of some calls, each long enough for the clock."""
    run()
    start = time.perf_counter()
    run()
    count = max(1, int(0.002 / max(time.perf_counter() - start, 1e-9)))
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - start) / count)
    return min(times)


def best_together(runs: list[Callable[[], object]]) -> float:
    """The seconds that calls take which run at the same time, each in a thread of its own."""
    times = [0.0] * len(runs)
    begin = threading.Barrier(len(runs))

    def work(at: int) -> None:
        begin.wait()
        times[at] = best(runs[at])

    workers = [threading.Thread(target=work, args=(at,)) for at in range(len(runs))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return max(times)
