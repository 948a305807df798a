"""Compiled steps that something disturbs: signals, failed allocations, errors, threads and forks.

A step is a random program with its gradients, by a pass within it, behind it, or by `grad`, or a training step. It is
followed or replayed, and disturbed once while it is recorded, verified or replayed. Then modes and tapes are as before,
what the program has kept of earlier calls has its values, and the next calls have the bits of eager ones.

    python tools/hunt/compiled.py [SECONDS] [SEED]
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

import wengert as wg  # noqa: E402
from tools.hunt import allocations, forked, positions  # noqa: E402
from tools.hunt.oracle.drafts import INDENT, NAMES  # noqa: E402
from tools.hunt.oracle.modes import Task, task_of  # noqa: E402
from tools.hunt.oracle.programs import program  # noqa: E402
from tools.hunt.signals import is_unguarded  # noqa: E402

NAME = "compiled"
LIMITS = forked.Limits(seconds=60.0, tries=40)
MODES = ("follow", "replay")
KINDS = ("interrupted", "handled", "starved", "raised", "hooked", "shared", "forked_off")
PATIENCE = 20.0
"""Seconds after which a forked child counts as hanging."""
MOST_CALLS = 12
"""A step is disturbed in one of that many calls: recorded, verified, predicted or replayed."""
STATEMENTS = (
    *("v = v * x + 0.5", "v = v.tanh()", "v = v.sin() * v", "v = v @ x", "v = v.sigmoid() - x", "v = v * 0.9"),
    *("v = v.softmax(-1)", "v = F.linear(v, x, x[0])", "v = v + v.mean()", "v = v.exp() * 0.1", "v = v.t()"),
    *("v = v / (v * v + 1)", "v = wg.where(v > 0, v, v * 0.1)", "v = v.clone()", "v = v.sum(1, True) + v"),
    *("v = v.relu() + x", "v = v ** 2", "v = wg.cat([v[:1], v[1:] * 0.5])", "v = v.detach() * x", "v = -v"),
)
"""What programs of calls that are followed to their end are made of; `v` and `x` are square matrices."""


class Trip(Exception):  # noqa: N818 - what a program raises is no error of its own
    """What a program raises in the middle."""


class Step:
    """A random program with its gradients, from a seed.

    Attributes:
        task: the program.
        kind: where the gradients come from.
        armed: the number of calls of `trip` until one raises, 0 if none does.
    """

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.text = plain(draw) if draw.random() < 0.6 else differentiable(seed)
        self.task: Task = task_of(self.text)
        self.armed = 0
        self.function = self.tripping(draw)
        self.kind: Callable[[Any, Any], Any] = draw.choice((self.within, self.behind, self.grads, self.trained))

    def tripping(self, draw: random.Random) -> Any:
        """Return the function, with a call of `trip` before one of its statements."""
        lines = self.text.splitlines()
        starts = [at for at, line in enumerate(lines) if line.startswith(INDENT) and line[len(INDENT)] != " "]
        lines.insert(draw.choice(starts), f"{INDENT}trip()")
        space = {**NAMES, "trip": self.trip}
        exec(compile("\n".join(lines), "<program>", "exec"), space)
        return space["f"]

    def trip(self) -> None:
        """Raise an error if that is wanted."""
        if self.armed:
            self.armed -= 1
            if not self.armed:
                raise Trip

    def total(self, x: Any, p: Any) -> Any:
        """Return the sum of the result, weighted, times a parameter."""
        return (self.function(x) * self.task.weights * p).sum()

    def within(self, x: Any, p: Any) -> Any:
        """A pass within the step."""
        loss = self.total(x, p)
        loss.backward()
        return loss.detach()

    def behind(self, x: Any, p: Any) -> Any:
        """A result with a history, of which the caller runs the pass."""
        return self.total(x, p)

    def grads(self, x: Any, p: Any) -> Any:
        """Gradients as results."""
        loss = self.total(x, p)
        return loss.detach(), wg.autograd.grad(loss, [x, p], allow_unused=True)

    def trained(self, x: Any, p: Any) -> Any:
        """A training step."""
        loss = self.total(x, p)
        p.grad = None
        loss.backward()
        with wg.no_grad():
            p.sub_(p.grad * 0.01)
        return loss.detach()

    def compiled(self, mode: str) -> Any:
        """Return the step as a compiled function."""
        return wg.compile(self.kind, replay=mode == "replay")

    def operands(self, number: int) -> tuple[Any, Any]:
        """Return the leaves of a call."""
        members = self.task.members
        x = members[number % len(members)].detach().requires_grad_()
        return x, wg.tensor(1.0 + 0.25 * (number % 3), dtype=wg.float64, requires_grad=True)

    def answer(self, call: Any, number: int) -> list[Any]:
        """Return what a call gives: its results and the leaves."""
        x, p = self.operands(number)
        result = call(x, p)
        if self.kind == self.behind:
            result.backward()
        loss, rest = result if isinstance(result, tuple) else (result, ())
        return [loss, *rest, x, p, x.grad, p.grad]

    def eager(self, number: int) -> list[bytes]:
        """Return the bits of an eager call."""
        return bits(self.answer(self.kind, number))


def differentiable(seed: int) -> str:
    """Return the text of a random program that has a gradient."""
    while True:
        text = program(seed)
        task = task_of(text)
        try:
            task.total(task.x.detach().requires_grad_()).backward()
        except RuntimeError:  # it writes to what a pass needs, or does not use its input
            seed += 1
        else:
            return text


def plain(draw: random.Random) -> str:
    """Return the text of a program of operators that are all followed."""
    lines = ["v = x * 1", *(draw.choice(STATEMENTS) for _ in range(draw.randint(2, 8))), "return v"]
    values = [[round(draw.uniform(-1, 1), 2) for _ in range(3)] for _ in range(3)]
    small, large = f"wg.tensor({values}, dtype=wg.float64)", "wg.linspace(-1, 1, 3600, dtype=wg.float64).view(60, 60)"
    body = "\n".join(INDENT + line for line in lines)
    return f"x = {large if draw.random() < 0.2 else small}\ndef f(x):\n{body}"


def bits(values: list[Any]) -> list[bytes]:
    """Return the values of tensors, to the bit."""
    return [b"" if value is None else value.detach().numpy().tobytes() for value in values]


# ---- disturbances ----------------------------------------------------------------------------------------------------


def disturbed(seed: int, mode: str, disturb: Callable[[Callable[[], Any]], BaseException | None]) -> str | None:
    """Call a compiled step, disturb one call, and call it again.

    Args:
        disturb: makes a call, disturbed; returns what it raised.

    Returns:
        What is wrong, or None.
    """
    step, before = Step(seed), positions.state()
    expected = {number: step.eager(number) for number in range(6)}
    call, held = step.compiled(mode), []

    def checked(number: int, when: str) -> str | None:
        try:
            values = step.answer(call, number)
        except Exception as error:
            return f"{when}: a call raises {type(error).__name__}: {error}"
        if bits(values) != expected[number % 6]:
            return f"{when}: a call gives other values than an eager one"
        held.append((values, expected[number % 6]))
        return None

    count = random.Random(seed).randrange(MOST_CALLS)
    for number in range(count):
        if wrong := checked(number, "before anything has happened"):
            return wrong
    error = disturb(partial(step.answer, call, count))
    step.armed = 0
    texts = positions.differences(before)
    if texts:
        positions.put_back(before)
        return f"{type(error).__name__ if error else 'no error'} leaves {'; '.join(texts)}"
    del error
    gc.collect()
    for number in range(count, count + 8):
        if wrong := checked(number, "afterwards"):
            return wrong
    if any(bits(values) != wanted for values, wanted in held):
        return "what the program has kept has changed"
    return None


def interrupted(seed: int, mode: str, delay: float) -> str | None:
    """Interrupt a call by a signal whose handler raises, after some seconds."""
    armed = False

    def interrupt(_: int, frame: Any) -> None:
        if armed and not is_unguarded(frame):
            raise positions.Interrupt

    def disturb(call: Callable[[], Any]) -> BaseException | None:
        nonlocal armed
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, delay)
            call()
        except positions.Interrupt as error:
            return error
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        return None

    signal.signal(signal.SIGALRM, interrupt)
    return disturbed(seed, mode, disturb)


def handled(seed: int, mode: str, delay: float) -> str | None:
    """Let a signal come in a call, whose handler calls the same compiled step, and another one."""
    wrong: list[str] = []

    def disturb(call: Callable[[], Any]) -> BaseException | None:
        armed = True

        @wg.enable_grad()
        def work(*_: object) -> None:
            if armed:
                with warnings.catch_warnings():
                    call()
                    if bits(other.answer(again, 1)) != wanted:
                        wrong.append("a call in a handler gives other values than an eager one")

        signal.signal(signal.SIGALRM, work)
        signal.setitimer(signal.ITIMER_REAL, delay)
        call()
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        return None

    other = Step(seed + 1)
    wanted, again = other.eager(1), other.compiled(mode)
    for _ in range(seed % 4):
        other.answer(again, 1)
    complaint = disturbed(seed, mode, disturb)
    return complaint or (wrong[0] if wrong else None)


def starved(seed: int, mode: str, at: int) -> str | None:
    """Let one allocation of Python's fail in a call, the one of number `at`."""
    interpreter: Any = allocations.interpreter()

    def disturb(call: Callable[[], Any]) -> BaseException | None:
        raised: BaseException | None = None
        interpreter.set_nomemory(at, at + 1)
        try:
            call()
        except BaseException as error:
            raised = error
        finally:
            interpreter.remove_mem_hooks()
        if raised is not None and not isinstance(raised, MemoryError):
            wrong.append(allocations.misplaced(raised))
        return raised

    wrong: list[str] = []
    complaint = disturbed(seed, mode, disturb)
    return complaint or (wrong[0] if wrong else None)


def raised(seed: int, mode: str) -> str | None:
    """Let the program raise an error in the middle."""

    def disturb(call: Callable[[], Any]) -> BaseException | None:
        step: Step = call.func.__self__  # type: ignore[attr-defined]
        step.armed = 1
        try:
            call()
        except Trip as error:
            return error
        wrong.append("an error of the program does not come out")
        return None

    wrong: list[str] = []
    complaint = disturbed(seed, mode, disturb)
    # A list that is replayed has no statements.
    return complaint or (wrong[0] if wrong and mode == "follow" else None)


def hooked(seed: int, mode: str) -> str | None:
    """Let a hook of a leaf raise in the pass of a call."""

    def fail(_: Any) -> None:
        raise Trip

    def disturb(call: Callable[[], Any]) -> BaseException | None:
        step: Step = call.func.__self__  # type: ignore[attr-defined]
        compiled, number = call.args  # type: ignore[attr-defined]
        x, p = step.operands(number)
        p.register_hook(fail)
        try:
            result = compiled(x, p)
            if step.kind == step.behind:
                result.backward()
        except Trip as error:
            return error
        return None

    return disturbed(seed, mode, disturb)


# ---- threads and forks -----------------------------------------------------------------------------------------------


def repeated(
    step: Step, call: Any, expected: list[list[bytes]], wrong: list[str], goes_on: Callable[[int], bool]
) -> None:
    """Call a step and compare, as long as that is wanted."""
    number = 0
    try:
        while goes_on(number) and not wrong:
            if bits(step.answer(call, number)) != expected[number % len(expected)]:
                wrong.append("a call in a thread gives other values than an eager one")
            number += 1
    except Exception as error:
        wrong.append(f"a call in a thread raises {type(error).__name__}: {error}")


def shared(seed: int, mode: str) -> str | None:
    """Let threads call one compiled step at the same time."""
    step, wrong = Step(seed), list[str]()
    expected = [step.eager(number) for number in range(6)]
    call, interval = step.compiled(mode), sys.getswitchinterval()
    for number in range(random.Random(seed).randrange(MOST_CALLS)):
        step.answer(call, number)
    sys.setswitchinterval(1e-6)
    try:
        run = partial(repeated, step, call, expected, wrong, lambda number: number < 40)
        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    return wrong[0] if wrong else None


def forked_off(seed: int, mode: str) -> str | None:
    """Fork while a thread calls a compiled step; the child calls it, too."""
    step, wrong, stop = Step(seed), list[str](), threading.Event()
    expected = [step.eager(number) for number in range(6)]
    call, draw = step.compiled(mode), random.Random(seed)
    thread = threading.Thread(target=repeated, args=(step, call, expected, wrong, lambda _: not stop.is_set()))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in range(4):
            time.sleep(draw.uniform(0, 0.003))
            child = os.fork()
            if child == 0:
                repeated(step, call, expected, wrong := [], lambda number: number < 6)
                os._exit(1 if wrong else 0)
            if ended := forked.watched(child, PATIENCE):
                return f"a child that calls a step {ended}"
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
    return wrong[0] if wrong else None


# ---- the hunt --------------------------------------------------------------------------------------------------------


def attempt(text: str) -> str | None:
    """Run one of the functions above; what is wrong comes with the program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        complaint = eval(text, globals())
    if complaint is None:
        return None
    step = Step(int(text.partition("(")[2].partition(",")[0]))
    return f"{text.partition('(')[0]}: {complaint}\n{step.kind.__name__} of\n{step.text}"


def tries(seed: int) -> Iterator[str]:
    """Texts without end."""
    draw, can_fail = random.Random(seed), allocations.can_fail()
    while True:
        number, mode = draw.randrange(10**9), draw.choice(MODES)
        kind = draw.choice(KINDS)
        if kind in ("interrupted", "handled"):
            yield f"{kind}({number}, {mode!r}, {10 ** draw.uniform(-5.3, -2.5):.2g})"
        elif kind == "starved" and can_fail:
            yield f"{kind}({number}, {mode!r}, {int(10 ** draw.uniform(0, 3.3))})"
        elif kind != "starved":
            yield f"{kind}({number}, {mode!r})"


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """See the package."""
    with contextlib.suppress(Exception):
        Step(1).eager(0)  # what is loaded on first use
    return forked.sift(tries(seed), attempt, seconds, LIMITS)


if __name__ == "__main__":
    forked.main(hunt)
