"""First uses: interrupts, handlers, forks, threads and failures at every position of what is loaded late.

    python tools/hunt/loads.py [SECONDS] [SEED]

The first uses follow from the tables of what comes late: families of operators, modules, names. Each try is a child of
a process that has imported the package and nothing else. In the child the use is disturbed once, then made again; what
is loaded in the end must be what an undisturbed use loads.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.hunt.forked import watched  # noqa: E402
from tools.hunt.reports import main, report, run_child  # noqa: E402

NAME = "loads"
PATIENCE = 60.0
"""Seconds after which a try counts as hanging; it needs some tenths of one."""
KINDS = ("interrupt", "handler", "failure", "fork", "thread", "files")
RESULT = "\nresult: "
STEP = 97
"""Positions between two tries of a use in a row; a prime, so that different uses are disturbed at different places."""


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Hunt for a time.

    Returns:
        The number of tries, and findings.
    """
    command = [sys.executable, __file__, "--child", str(seconds), str(seed)]
    return run_child(command, seconds + 3 * PATIENCE, f"{NAME}: seed {seed}")


# ---- first uses ------------------------------------------------------------------------------------------------------


def uses() -> dict[str, Callable[[], object]]:
    """What loads something late, one use for each module that the tables name; and some programs."""
    import wengert as wg
    from wengert._core.cards import card, late
    from wengert._start.loading import homes

    first_uses: dict[str, Callable[[], object]] = {}
    for name, home in late.homes().items():
        if home not in first_uses:
            first_uses[home] = lambda name=name: card.find(name) or getattr(wg.Tensor, name)  # type: ignore[misc]
    for name, home in homes("wengert").items():
        if home not in first_uses:
            first_uses[home] = lambda name=name: getattr(wg, name)  # type: ignore[misc]
    return {**first_uses, **{program.__name__: program for program in PROGRAMS}}


def draws() -> object:
    """The first random numbers, for which NumPy loads its generators."""
    import wengert as wg

    x = wg.randn(3, requires_grad=True)
    x.sum().backward()
    return x.grad


def decomposes() -> object:
    """The first decomposition, with its gradient."""
    import wengert as wg

    x = (wg.ones(2, 2) + wg.eye(2)).requires_grad_()
    wg.linalg.svd(x)[1].sum().backward()
    return x.grad


def convolves() -> object:
    """The first convolution, with its gradient."""
    import wengert as wg

    x = wg.ones(1, 1, 4, 4, requires_grad=True)
    wg.nn.functional.conv2d(x, wg.ones(1, 1, 2, 2)).sum().backward()
    return x.grad


def contracts() -> object:
    """The first product by subscripts."""
    import wengert as wg

    return wg.einsum("ij,jk->ik", wg.ones(2, 3), wg.ones(3, 4)).tolist()


def transforms() -> object:
    """The first Fourier transform."""
    import wengert as wg

    return wg.fft.fft(wg.ones(8)).abs().tolist()


def shows() -> object:
    """The first tensor that is printed."""
    import wengert as wg

    return repr(wg.ones(2, 2))


def rounds() -> object:
    """The first bfloat16."""
    import wengert as wg

    return wg.ones(2, dtype=wg.bfloat16).tolist()


PROGRAMS = (draws, decomposes, convolves, contracts, transforms, shows, rounds)


# ---- positions -------------------------------------------------------------------------------------------------------


class Tracer:
    """Counts where Python may run a handler in what is executed: where functions begin, and after calls and loops.

    Args:
        at: the position at which `strike` is called, once.
    """

    def __init__(self, at: int, strike: Callable[[], object]) -> None:
        self.at, self.strike, self.count = at, strike, 0

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        """Called where a frame begins."""
        if frame.f_code.co_filename == __file__ or frame.f_code.co_name in ("__exit__", "__del__"):
            return None
        frame.f_trace_lines = True
        self.passed()
        return self.line

    def line(self, frame: Any, event: str, arg: Any) -> Any:
        """Called at each line."""
        if event == "line":
            self.passed()
        return self.line

    def passed(self) -> None:
        """One more position."""
        self.count += 1
        if self.count - 1 == self.at:
            self.strike()


@contextlib.contextmanager
def traced(at: int, strike: Callable[[], object]) -> Iterator[Tracer]:
    """Trace this thread."""
    tracer = Tracer(at, strike)
    sys.settrace(tracer)
    try:
        yield tracer
    finally:
        sys.settrace(None)


# ---- what is loaded --------------------------------------------------------------------------------------------------


def loaded() -> dict[str, Any]:
    """The names in every module of the package, the operators, what stands on Tensor, and whether all is at rest."""
    import wengert as wg
    from wengert._core.cards.card import CARDS
    from wengert._core.cards.late import LateMethod
    from wengert._start.loading import LOADS

    facts: dict[str, Any] = {
        name: sorted(vars(module))
        for name, module in tuple(sys.modules.items())
        if name.startswith("wengert.") and name not in STARTED
    }
    facts["operators"] = sorted(CARDS)
    facts["late"] = sorted(name for name, value in vars(wg.Tensor).items() if isinstance(value, LateMethod))
    facts["collects"] = gc.isenabled()
    facts["handlers"] = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)] == [strikes, strikes]
    facts["loading"] = LOADS.threads == set() and not LOADS.came and not LOADS.handlers and LOADS.forking is None
    return facts


STARTED: set[str] = set()


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What of the second is not as in the first."""
    return [
        f"{key}: {missing} instead of {before[key]}"
        if not isinstance(before.get(key), list)
        else f"{key}: lacks {missing}"
        for key in before
        if (missing := lacking(before[key], after.get(key))) is not None
    ]


def lacking(wanted: Any, facts: Any) -> Any:
    """What is wrong with one entry; None if nothing is."""
    if isinstance(wanted, list) and isinstance(facts, list):
        return sorted(set(wanted) ^ set(facts))[:5] or None
    return facts if wanted != facts else None


# ---- disturbances ----------------------------------------------------------------------------------------------------


class Interrupt(BaseException):
    """What the handler raises, as `KeyboardInterrupt` is raised."""


def strikes(number: int, frame: object) -> None:
    """The handler of the tries."""
    if REUSE:
        REUSE.pop()()
    else:
        raise Interrupt


REUSE: list[Callable[[], object]] = []
"""What the handler does instead of raising, once."""


def interrupt(use: Callable[[], object], at: int) -> None:
    """A handler raises."""
    with contextlib.suppress(Interrupt), traced(at, lambda: signal.raise_signal(signal.SIGINT)):
        use()


def handler(use: Callable[[], object], at: int) -> None:
    """A handler makes the same use."""
    REUSE.append(use)
    with traced(at, lambda: signal.raise_signal(signal.SIGALRM)):
        use()
    REUSE.clear()


def failure(use: Callable[[], object], at: int) -> None:
    """Something fails: no memory, no room on the stack."""

    def fail() -> None:
        raise MemoryError

    with contextlib.suppress(MemoryError), traced(at, fail):
        use()


def beside(use: Callable[[], object], at: int, act: Callable[[], object]) -> None:
    """Another thread makes the use; this one acts when it is there."""
    there, acts = threading.Event(), threading.Event()
    wrong: list[BaseException] = []

    def strike() -> None:
        there.set()
        acts.wait(PATIENCE)
        time.sleep(0.005)  # the other thread acts, or waits for this one

    def run() -> None:
        try:
            with traced(at, strike):
                use()
        except BaseException as error:
            wrong.append(error)
        there.set()

    thread = threading.Thread(target=run)
    thread.start()
    there.wait(PATIENCE)
    acts.set()
    act()
    thread.join()
    if wrong:
        raise wrong[0]


def fork(use: Callable[[], object], at: int) -> None:
    """This process forks, and the child makes the same use."""

    def act() -> None:
        child = os.fork()
        if child == 0:
            ended(use)
        complaint = watched(child, PATIENCE)
        assert not complaint, f"the forked child {complaint}"

    beside(use, at, act)


def thread(use: Callable[[], object], at: int) -> None:
    """Another thread makes the same use."""
    beside(use, at, use)


def files(use: Callable[[], object], at: int) -> None:
    """No file can be opened from a position on."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ImportError):
        try:
            with traced(at, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))):
                use()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


# ---- tries -----------------------------------------------------------------------------------------------------------


def ended(act: Callable[[], object]) -> None:
    """Do something in a forked child, and end it."""
    status = 1
    try:
        act()
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def in_child(act: Callable[[], object]) -> tuple[str, str]:
    """Do something in a forked child; what it returns as text, or what it wrote, and what went wrong or nothing."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 2)
        ended(lambda: os.write(writing, f"{RESULT}{act()!r}".encode()))
    os.close(writing)
    parts: list[bytes] = []
    thread = threading.Thread(target=lambda: parts.extend(iter(lambda: os.read(reading, 1 << 16), b"")))
    thread.start()
    complaint = watched(child, PATIENCE)
    thread.join()
    os.close(reading)
    written = b"".join(parts).decode()
    return (written if complaint else written.rpartition(RESULT)[2]), complaint


def undisturbed(use: Callable[[], object]) -> tuple[dict[str, Any], int]:
    """What a use loads, and how many positions it has."""
    with traced(-1, int) as tracer:
        use()
    return loaded(), tracer.count


def attempt(use: Callable[[], object], kind: str, at: int, wanted: dict[str, Any]) -> list[str]:
    """Disturb a use, make it again, and say what is not as it should be."""
    disturb: Callable[..., None] = globals()[kind]
    disturb(use, at)
    use()
    return differences(wanted, loaded())


def tries(step: int, choose: random.Random, kinds: tuple[str, ...] = KINDS) -> Iterator[tuple[str, list[str]]]:
    """Disturb every use, in any order, at every `step`-th position.

    Yields:
        The use with its disturbance, and findings.
    """
    prepare()
    every = uses()
    for name in choose.sample(sorted(every), len(every)):
        use = every[name]
        text, complaint = in_child(partial(undisturbed, use))
        if complaint:
            yield name, [f"{name} {complaint}:\n{text}"]
            continue
        wanted, count = eval(text)
        for at in range(choose.randrange(step) % count, count, step):
            yield from one(name, use, choose.choice(kinds), at, wanted, count)


def one(
    name: str, use: Callable[[], object], kind: str, at: int, wanted: dict[str, Any], count: int
) -> Iterator[tuple[str, list[str]]]:
    """Disturb one use at one position, in a child."""
    text, complaint = in_child(lambda: attempt(use, kind, at, wanted))
    title = f"{name}, {kind} at {at} of {count}"
    yield (
        title,
        [f"{title}: {complaint}:\n{text[-3000:]}"] if complaint else [f"{title}: {line}" for line in eval(text)],
    )


def share(part: int, parts: int) -> Iterator[tuple[str, list[str]]]:
    """The fixed share of the tests: the programs with every disturbance, of the other uses each with one in turn.

    Args:
        part, parts: only every `parts`-th use, from number `part` on.

    Yields:
        As `tries`.
    """
    prepare()
    every = uses()
    names = [program.__name__ for program in PROGRAMS]
    chosen = [(name, kind) for name in names for kind in KINDS]
    others = sorted(set(every).difference(names))[::5]
    chosen += [(name, KINDS[at % len(KINDS)]) for at, name in enumerate(others)]
    mine = [*names, *others][part::parts]
    known = {name: in_child(partial(undisturbed, every[name])) for name in mine}
    for name, (text, complaint) in known.items():
        if complaint:
            yield name, [f"{name} {complaint}:\n{text}"]
            continue
        wanted, count = eval(text)
        for at, (use, kind) in enumerate(chosen):
            if use == name:
                yield from one(name, every[name], kind, count * (at % 7 + 1) // 8, wanted, count)


def prepare() -> None:
    """Import the package, nothing else, and put the handler in its place."""
    importlib.import_module("wengert")
    importlib.import_module("tempfile")  # what the standard library and NumPy load late is theirs
    STARTED.update(sys.modules)
    for number in (signal.SIGINT, signal.SIGALRM):
        signal.signal(number, strikes)


def hunting(seconds: float, seed: int) -> None:
    """Tries until the end."""
    choose, end, tried = random.Random(seed), time.monotonic() + seconds, 0
    while True:
        for _, findings in tries(STEP, choose):
            tried += 1
            report(tried, findings)
            if time.monotonic() > end:
                return


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        hunting(float(sys.argv[2]), int(sys.argv[3]))
        os._exit(0)
    sys.exit(main(NAME, hunt))
