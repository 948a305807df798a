"""Signals: handlers that raise, compute, draw and differentiate, at every position and at random moments.

    python tools/hunt/signals.py [SECONDS] [SEED]

In a child process, so that a crash or a hang is a finding: interrupts at each position that `positions.py` knows, then
real signals at random moments, whose handlers raise or do what the program itself does.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.hunt.reports import main, report, run_child  # noqa: E402

NAME = "signals"
OTHERS = ("/numpy/", "importlib")
"""Other people's code, in which an interrupt may leave something of theirs half done."""

KINDS = ("positions", "interrupts", "handlers")
"""What a child does; each for a third of the time."""


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Hunt for a time.

    Returns:
        The number of tries, and findings.
    """
    tries, findings = 0, []
    for kind in KINDS:
        share = seconds / len(KINDS)
        command = [sys.executable, __file__, "--child", kind, str(share), str(seed)]
        tried, lines = run_child(command, share + 120, f"{NAME}: {kind}, seed {seed}")
        tries += tried
        findings += lines
    return tries, findings


def at_positions(seconds: float, seed: int) -> None:
    """Interrupts at the positions of the programs: every so many of them, then those beside these, until the end."""
    from tools.hunt import positions

    end, step, tried = time.monotonic() + seconds, 61, 0
    for first in random.Random(seed).sample(range(step), step):
        for _, _, findings in positions.tries(first, step):
            tried += 1
            report(tried, findings)
            if time.monotonic() > end:
                return


def is_unguarded(frame: Any) -> bool:
    """Whether Python itself would leave a `with` statement open if a handler raised here."""
    from tools.hunt import positions

    try:
        while frame is not None:
            code = frame.f_code
            if code.co_name in {*positions.UNGUARDED, "__enter__", "start"} or "contextlib" in code.co_filename:
                return True
            if any(path in code.co_filename for path in OTHERS):
                return True
            frame = frame.f_back
    except RecursionError:  # the program stands at the edge of the stack: another moment
        return True
    return False


def interrupts(seconds: float, seed: int) -> None:
    """Real signals at random moments, whose handler raises."""
    from tools.hunt import positions
    from tools.hunt.scenes import PROGRAMS

    choose, end, tried = random.Random(seed), time.monotonic() + seconds, 0
    for program in PROGRAMS:
        program()
    before = positions.state()
    armed = handling = False

    def interrupt(_: int, frame: Any) -> None:
        nonlocal handling
        if not armed or handling:
            return  # a signal that comes when the program has ended, or in the middle of this
        handling = True
        if unguarded := is_unguarded(frame):
            signal.setitimer(signal.ITIMER_REAL, 1e-5)  # while this is handled: it would not end where it takes longer
        handling = False
        if not unguarded:
            raise positions.Interrupt

    signal.signal(signal.SIGALRM, interrupt)
    while time.monotonic() < end:
        program = choose.choice(PROGRAMS)
        delay = choose.uniform(1e-6, 3e-3)
        with contextlib.suppress(positions.Interrupt):
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, delay)
                program()
            finally:
                armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
        texts = positions.differences(before)
        if texts:
            positions.put_back(before)
        elif not positions.still_right():
            texts = ["the next program fails"]
        tried += 1
        report(tried, [f"{program.__name__}, interrupted after {delay * 1e6:.0f} us: {text}" for text in texts])


def handlers(seconds: float, seed: int) -> None:
    """Real signals at random moments, whose handler computes, draws and differentiates itself."""
    import wengert as wg
    from tools.hunt import positions
    from tools.hunt.scenes import PROGRAMS

    choose, end, tried = random.Random(seed), time.monotonic() + seconds, 0
    # Not those where what a handler does belongs to the region or pass that it interrupts.
    programs = [program for program in PROGRAMS if not program.__name__.startswith("recomputed")]
    drawn = wg.rand(1, dtype=wg.float64).tolist()
    weight, passes = wg.zeros(4, requires_grad=True), 0

    @wg.enable_grad()  # recording may be off where the handler comes, as in a backward pass
    def work() -> None:
        nonlocal passes
        drawn.extend(wg.rand(3, dtype=wg.float64).tolist())
        (weight * 1).sum(0).backward()
        passes += 1
        choose.choice(programs)()

    def answer(*_: object) -> None:
        work()
        signal.setitimer(signal.ITIMER_REAL, choose.uniform(1e-4, 3e-3))

    for program in programs:
        program()
    before = positions.state()
    signal.signal(signal.SIGALRM, answer)
    signal.setitimer(signal.ITIMER_REAL, 1e-3)
    while time.monotonic() < end:
        work()
        signal.setitimer(signal.ITIMER_REAL, 0)
        texts = positions.differences(before)
        if len(set(drawn)) != len(drawn):
            texts.append("a number was drawn twice")
        if weight.grad is None or weight.grad.tolist() != [float(passes)] * 4:
            texts.append(f"{passes} passes gave {weight.grad}")
        drawn.clear()
        tried += 1
        report(tried, texts)
        signal.setitimer(signal.ITIMER_REAL, 1e-4)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child = {"positions": at_positions, "interrupts": interrupts, "handlers": handlers}[sys.argv[2]]
        child(float(sys.argv[3]), int(sys.argv[4]))
        os._exit(0)
    sys.exit(main(NAME, hunt))
