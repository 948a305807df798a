"""An interrupt at each position where the interpreter can deliver one, while programs differentiate.

CPython runs signal handlers where a function begins, where a call of C code ends, and where a loop goes back. A tracer
counts these positions in the package's own frames and raises at one of them. Compiled modules have no such frames: for
them there are the positions in what is Python in both builds, and the real signals of `signals.py`.

Python itself lets a handler run as an `__exit__` written in Python begins, and drops what a `__del__` raises; neither
counts.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import wengert as wg
from wengert._core.state.modes import current
from wengert._core.tensor import slots
from wengert.autograd import anomaly_mode
from wengert.utils import checkpoint as checkpointing

from .scenes import PROGRAMS

PACKAGE = str(Path(wg.__file__).parent)
FIELDS = (
    *("grad", "inference", "mask", "word", "fresh", "depth", "passing", "observers", "listeners", "noting"),
    *("saved_hooks", "no_saved_hooks", "anomaly", "check_nan", "check_inf", "multithreading"),
    "log",
)
CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}
UNGUARDED = {"__exit__", "__del__"}


class Interrupt(BaseException):
    """What the handler raises, as `KeyboardInterrupt` is raised."""


def handlers(code: Any) -> Callable[[int], Any]:
    """Where an exception at an instruction is handled, by the offset of the instruction."""
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def at(offset: int) -> Any:
        for entry in entries:
            if entry.start <= offset < entry.end:
                return entry.target
        return None

    return at


class Frame:
    """What the tracer knows of one frame: the instruction before, and whether that began another Python frame."""

    def __init__(self, tracer: Tracer, frame: Any) -> None:
        self.tracer = tracer
        self.last = -1
        self.entered = False
        self.names, self.handler = tracer.known(frame.f_code)

    def trace(self, frame: Any, event: str, arg: Any) -> Any:
        """Called before each instruction."""
        if event == "opcode":
            before, now = self.last, frame.f_lasti
            self.last = now
            name = self.names.get(before, "")
            ended = (name in CALLS and not self.entered) or name.startswith("JUMP_BACKWARD")
            self.entered = False
            if ended and self.handler(before) == self.handler(now):
                self.tracer.pass_position(frame, name)
        return self.trace


class Tracer:
    """Counts the positions, and raises at number `at` (-1: at none)."""

    codes: ClassVar[dict[Any, tuple[dict[int, str], Callable[[int], Any]]]] = {}

    def __init__(self, at: int) -> None:
        self.at = at
        self.count = 0
        self.where = ""
        self.frames: dict[Any, Frame] = {}

    def known(self, code: Any) -> tuple[dict[int, str], Callable[[int], Any]]:
        """The names of the instructions of a function by their offsets, and its handlers."""
        if code not in self.codes:
            names = {instruction.offset: instruction.opname for instruction in dis.get_instructions(code)}
            self.codes[code] = names, handlers(code)
        return self.codes[code]

    def pass_position(self, frame: Any, what: str) -> None:
        """One more position."""
        self.count += 1
        if self.count - 1 == self.at:
            name = Path(frame.f_code.co_filename).relative_to(PACKAGE)
            self.where = f"{name}:{frame.f_lineno} in {frame.f_code.co_name}, after {what}"
            raise Interrupt

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        """Called where a frame begins or goes on."""
        caller = self.frames.get(frame.f_back)
        if caller is not None:
            caller.entered = True
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or is_unguarded(frame):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        self.frames[frame] = Frame(self, frame)
        self.pass_position(frame, "RESUME")
        return self.frames[frame].trace


def is_unguarded(frame: Any) -> bool:
    """Whether a frame is that of an `__exit__` or `__del__`, or called by one."""
    while frame is not None:
        if frame.f_code.co_name in UNGUARDED:
            return True
        frame = frame.f_back
    return False


def state() -> dict[str, Any]:
    """What an interrupt must leave as it was."""
    modes = current()
    values = {name: getattr(modes, name) for name in FIELDS}
    settings = checkpointing._settings
    values.update(early_stop=settings.early_stop, debug=settings.debug, warnings=np.geterr())
    values["anomaly of all"] = list(anomaly_mode.shared)
    values["a tape"] = modes.tape is not None  # another one, if the function around the program is followed
    values["tapes, caches, recordings"] = [len(noted) for noted in slots.noted()]
    return {name: list(value) if isinstance(value, list) else value for name, value in values.items()}


def put_back(before: dict[str, Any]) -> None:
    """After a finding: make the state right again for the next try."""
    modes = current()
    for name in FIELDS:
        value = before[name]
        setattr(modes, name, list(value) if isinstance(value, list) else value)
    if not before["a tape"]:
        modes.tape = None
    checkpointing._settings.early_stop, checkpointing._settings.debug = before["early_stop"], before["debug"]
    np.seterr(**before["warnings"])
    anomaly_mode.shared[:] = before["anomaly of all"]
    tapes, caches, recordings = slots.noted()
    for tape in list(tapes):
        slots.close_tape(tape)
    for cache in list(caches):
        slots.close_cache(cache)
    for recording in list(recordings):
        slots.watch(recording, False)


def differences(before: dict[str, Any]) -> list[str]:
    """What of the state is no longer as it was."""
    after = state()
    return [f"{name}: {before[name]} became {after[name]}" for name in before if before[name] != after[name]]


def interrupted(program: Callable[[], None], at: int) -> tuple[bool, str]:
    """Run a program with an interrupt at one position; whether there was such a position, and where."""
    tracer = Tracer(at)
    sys.settrace(tracer)
    try:
        program()
    except Interrupt:
        pass
    finally:
        sys.settrace(None)
        tracer.frames.clear()
    return tracer.count > at >= 0, tracer.where


def count(program: Callable[[], None]) -> int:
    """How many positions a program has, at its second run: since Python 3.12 functions show no instructions before."""
    for _ in range(2):
        tracer = Tracer(-1)
        sys.settrace(tracer)
        try:
            program()
        finally:
            sys.settrace(None)
            tracer.frames.clear()
    return tracer.count


def still_right() -> bool:
    """Whether the next program works."""
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum(0).backward()
    with wg.device("meta"):  # factories look at the modes only while one is counted
        is_asked = wg.ones(2).is_meta
    return is_asked and x.grad is not None and x.grad.tolist() == [2.0, 4.0] and wg.ones(2).mul(2).grad_fn is None


def tries(first: int, step: int) -> Iterator[tuple[str, int, list[str]]]:
    """Interrupt each program at every `step`-th of its positions, from number `first` on.

    Yields:
        The program's name, the number of the position, and findings.
    """
    for program in PROGRAMS:
        program()  # what is imported or made once is there
        program()
        before = state()
        for at in range(first, count(program), step):
            _, where = interrupted(program, at)
            texts = differences(before)
            if texts:
                put_back(before)
            elif not still_right():
                texts = ["the next program fails"]
            yield program.__name__, at, [f"{program.__name__}, position {at} ({where}): {text}" for text in texts]
