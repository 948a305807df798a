"""Forks while other threads compute: no child may hang, crash or compute something wrong.

python tools/hunt/forks.py [SECONDS] [SEED]
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.hunt.forked import watched  # noqa: E402
from tools.hunt.reports import main, report, run_child  # noqa: E402

NAME = "forks"
PATIENCE = 30.0
"""Seconds after which a forked child counts as hanging; it needs some milliseconds."""


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Hunt for a time.

    Returns:
        The number of forked children, and findings.
    """
    command = [sys.executable, __file__, "--child", str(seconds), str(seed)]
    return run_child(command, seconds + 3 * PATIENCE, f"{NAME}: seed {seed}")


def jobs() -> dict[str, Callable[[], object]]:
    """What the threads of the parent do, and the children too; each raises AssertionError if it went wrong."""
    import wengert as wg
    from wengert import nn
    from wengert.nn.modules.module import register_module_forward_hook

    weight, ones = wg.zeros(100_000, requires_grad=True), wg.ones(100_000)
    module = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3))
    module.register_forward_hook(lambda module, args, output: None)
    own = wg.Generator().manual_seed(1)

    def draw() -> None:
        assert wg.rand(50_000).shape == (50_000,)
        assert wg.randn(50_000, generator=own).shape == (50_000,)

    def states() -> None:
        wg.randperm(100, generator=own)
        assert own.clone_state().initial_seed() == 1

    def accumulate() -> None:
        weight.backward(ones)
        assert weight.grad is not None and bool((weight.grad >= 1).all())

    def leaves() -> None:
        x = wg.ones(3, requires_grad=True)
        x.register_hook(lambda grad: grad * 2)
        (x * x).sum(0).backward()
        assert x.grad is not None and x.grad.tolist() == [4.0] * 3

    def hooks() -> None:
        with register_module_forward_hook(lambda module, args, output: None):
            module(wg.ones(2, 4, requires_grad=True)).sum().backward()
        module.register_forward_pre_hook(lambda module, args: None).remove()

    def large() -> None:
        x = wg.ones(300_000)
        assert (x * x + x).sum().item() == 600_000

    own_jobs = (draw, states, accumulate, leaves, hooks, large)
    return {job.__name__: job for job in (*own_jobs, replayed_job(), followed_job())}


def replayed_job() -> Callable[[], object]:
    """A job that calls a replayed function, whose list all threads share."""
    import wengert as wg

    matrix = wg.ones(300, 300) / 300
    compiled = wg.compile(lambda x, number: ((x @ matrix + number).tanh() * 2).sum(), replay=True)

    def replayed() -> None:
        number = wg.zeros(1)
        assert compiled(matrix, number).item() == ((matrix @ matrix + number).tanh() * 2).sum().item()

    return replayed


def followed_job() -> Callable[[], object]:
    """A job that calls a followed function, whose patterns all threads share."""
    import wengert as wg

    matrix = wg.ones(30, 30) / 300

    def total(leaf: wg.Tensor) -> wg.Tensor:
        return ((matrix @ matrix + leaf).tanh() * leaf).sum()

    compiled = wg.compile(total)

    def followed() -> None:
        grads = []
        for function in (compiled, total):
            leaf = wg.full((30,), 0.5, requires_grad=True)
            grads.append(wg.autograd.grad(function(leaf), leaf)[0])
        assert grads[0].equal(grads[1])

    return followed


def outcome(job: Callable[[], object]) -> str:
    """Do a job in a forked child; what went wrong, or nothing."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            job()
            job()
            status = 0
        finally:
            os._exit(status)
    return watched(child, PATIENCE)


def forking(seconds: float, seed: int) -> None:
    """Fork while threads do one job or several, until the end."""
    choose, end, tried = random.Random(seed), time.monotonic() + seconds, 0
    known: dict[str, Callable[[], Any]] = jobs()
    for job in known.values():
        job()
    sys.setswitchinterval(1e-5)
    while time.monotonic() < end:
        stop = threading.Event()
        busy = choose.sample(sorted(known), choose.randint(1, 2))

        def repeat(job: Callable[[], object], stop: threading.Event = stop) -> None:
            while not stop.is_set():
                job()

        threads = [threading.Thread(target=repeat, args=(known[name],)) for name in busy]
        for thread in threads:
            thread.start()
        for _ in range(8):
            time.sleep(choose.uniform(0, 0.005))
            name = choose.choice(sorted(known))
            wrong = outcome(known[name])
            tried += 1
            report(tried, [f"a child that does {name} {wrong}, forked beside {busy}"] if wrong else [])
        stop.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        forking(float(sys.argv[2]), int(sys.argv[3]))
        os._exit(0)
    sys.exit(main(NAME, hunt))
