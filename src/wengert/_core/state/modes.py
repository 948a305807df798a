"""Modes of a thread: gradient recording, inference, anomaly detection, observers.

All state is per thread. Guards restore the previous state on any exit; nothing here is global.

A signal handler may raise, and interpreted code is interrupted wherever a function begins, a call of C code ends or a
loop goes back. So code that has changed a mode restores it by stores alone, with no call among them.
"""

from __future__ import annotations

import _thread
import contextvars
from typing import Any

import numpy as np

from .. import door, errors, flags

ROOM_FOR_LEVELS = 1 << 40
"""Distance of the numbers of levels of forward mode: between them is room for levels that begin where some are not
seen, in the `jvp` of a custom Function."""
EVERY_LEVEL = 1 << 62
"""More than the number of any level."""
NO_OTHER_LEVEL = ROOM_FOR_LEVELS >> 1
"""Less than the number of any level; those that begin under it have lesser ones."""


class Pass:
    """A backward pass that is under way; its attributes live as long as it does.

    Attributes:
        tasks: the engine's tasks, by node.
        node: under anomaly detection, the node that it is running.
        sparing, spared: a node that need not compute all its gradients, and bits of those that it may omit.
        partial: only some gradients are requested of the pass, or of one around it.
        callbacks: functions to be called when all gradients are computed, or None.
        outer: the pass around this one, or None.
        depth, grad, mask, word, fresh, inference, observers, multithreading, saved_hooks, no_saved_hooks: the modes
            that it began in, see `Modes`.
    """

    tasks: Any
    node: Any
    sparing: Any
    spared: int
    partial: bool
    callbacks: list[Any]
    outer: Pass | None
    depth: int
    grad: bool
    mask: int
    word: int
    fresh: int
    inference: bool
    observers: list[Any]
    multithreading: bool
    saved_hooks: Any
    no_saved_hooks: Any

    __slots__ = (
        "__weakref__",
        "callbacks",
        "depth",
        "fresh",
        "grad",
        "inference",
        "mask",
        "multithreading",
        "no_saved_hooks",
        "node",
        "observers",
        "outer",
        "partial",
        "saved_hooks",
        "spared",
        "sparing",
        "tasks",
        "word",
    )
    __reduce__ = errors.refuse_pickling

    def __init__(self) -> None:
        self.tasks: Any = {}
        self.node = None
        self.sparing = None
        self.spared = 0
        self.partial = False

    def call_back(self) -> None:
        """Call the queued functions in order, and those that are queued meanwhile."""
        at: int = 0
        while self.callbacks is not None and at < len(self.callbacks):
            self.callbacks[at]()
            at += 1


class Modes:
    """The modes of one thread.

    Dispatch reads `mask` and `word`: it adds `word` to the inputs' flags words and keeps the bits of `mask`.
    `fresh` are the flags of new tensors.
    `quiet(function, *args)` calls a kernel with NumPy's floating-point warnings off (`np.errstate` costs five times as
    much); a thread that is in the middle of such a call must use `quietly`. `depth` counts the backward passes that are
    under way, one within the other. `passing` is the innermost. `levels` are those of forward mode, of which those with
    a number below `forward` are seen, `batches` those of `vmap`. `noting`: new nodes are reported to anomaly detection
    or to the last of the `listeners`, or note where they were created. `debug` has the notes of `set_debug`, or is
    None; `watch` looks for bad values in the place of `check_nan` and `check_inf` if it is not None. `no_saved_hooks`
    is the error of a program that forbids hooks for saved tensors, or None. `log` has the events of this thread in an
    open profile, or is None; `profiled` is then `flags.PROFILED`, otherwise 0, independently of `word`. `casting` is
    called with a name and arguments within a region of autocast, or None. `overriding`: the handlers asked before
    operators: 0 all with `__torch_function__`, 1 only the modes `functions`, 2 none. `transforms`: the number of
    transforms of functions (`func.grad`, `vmap`, ...) that run, which forbid some calls. `tape` takes the calls that
    are recorded while a function is followed (`tensor.tapes`), or is None; `cache` has those that are not, or is None.
    `starter`: the modes of the thread that waits for this one, which runs a pass of it (`backward.reentrant`), or None;
    `has_lock`: that thread has the lock of tapes.
    """

    grad: bool
    inference: bool
    multithreading: bool
    anomaly: bool
    check_nan: bool
    check_inf: bool
    debug: Any
    watch: Any
    listeners: list[Any]
    noting: bool
    passing: Pass | None
    mask: int
    word: int
    fresh: int
    sequence: int
    depth: int
    saved_hooks: Any
    no_saved_hooks: Any
    quiet: Any
    observers: list[Any]
    levels: list[Any]
    batches: list[Any]
    forward: int
    log: Any
    profiled: int
    overriding: int
    functions: list[Any]
    casting: Any
    transforms: int
    tape: Any
    cache: Any
    starter: Modes | None
    has_lock: bool

    __slots__ = (
        "anomaly",
        "batches",
        "cache",
        "casting",
        "check_inf",
        "check_nan",
        "debug",
        "depth",
        "forward",
        "fresh",
        "functions",
        "grad",
        "has_lock",
        "inference",
        "levels",
        "listeners",
        "log",
        "mask",
        "multithreading",
        "no_saved_hooks",
        "noting",
        "observers",
        "overriding",
        "passing",
        "profiled",
        "quiet",
        "saved_hooks",
        "sequence",
        "starter",
        "tape",
        "transforms",
        "watch",
        "word",
    )
    __reduce__ = errors.refuse_pickling

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.multithreading = True
        self.mask = flags.ALL
        self.word = 0
        self.fresh = 0
        self.sequence = 0
        self.depth = 0
        self.anomaly = False
        self.check_nan = True
        self.check_inf = False
        self.debug = None
        self.watch = None
        self.listeners: list[Any] = []
        self.noting = False
        self.passing = None
        self.saved_hooks = None
        self.no_saved_hooks = None
        self.observers: list[Any] = []
        self.levels: list[Any] = []
        self.batches: list[Any] = []
        self.forward = EVERY_LEVEL
        self.log = None
        self.profiled = 0
        self.overriding = 0
        self.functions: list[Any] = []
        self.casting = None
        self.transforms = 0
        self.tape = self.cache = self.starter = None
        self.has_lock = False
        self.quiet = quiet_context(contextvars.Context()).run

    def set_grad(self, enabled: bool) -> bool:
        """Switch recording on or off; return the previous state."""
        before = self.grad
        self.grad = enabled
        if not self.inference:
            self.mask = flags.ALL if enabled else flags.NOT_RECORDED
        return before

    def switch(self, grad: bool, inference: bool) -> None:
        """Set both modes.

        In inference mode nothing is recorded even if `grad` is on, and calls take the plain path: no flag of an input
        matters, and every new tensor gets the flags in `fresh`.
        """
        self.inference = inference
        self.fresh = flags.INFERENCE if inference else 0
        self.mask = flags.NOT_INFERRED if inference else flags.ALL
        self.set_grad(grad)

    def set_anomaly(self, enabled: bool) -> None:
        """Switch anomaly detection on or off."""
        self.anomaly = enabled
        self.noting = enabled or len(self.listeners) > 0 or self.debug is not None

    def set_debug(self, debug: Any) -> Any:
        """Set the `origins.Debug` in which calls note their places (None for none); return the previous one."""
        before = self.debug
        self.debug = debug
        self.noting = self.anomaly or len(self.listeners) > 0 or debug is not None
        self.word = self.word | flags.NOTED if debug is not None else self.word & ~flags.NOTED
        return before

    def listen(self, listeners: list[Any]) -> list[Any]:
        """Set the `listeners`, of which the last is called with each new node; return the previous ones."""
        before = self.listeners
        self.listeners = listeners
        self.noting = self.anomaly or len(listeners) > 0 or self.debug is not None
        return before

    def quietly(self, function: Any, args: Any, keywords: Any = None) -> Any:
        """Call `quiet`, also in the middle of such a call, for code that runs there: conversions of the program, signal
        handlers, finalisers.
        """
        try:
            if keywords is None:
                return self.quiet(function, *args)
            return self.quiet(function, *args, **keywords)
        except RuntimeError:
            if not self.is_entered():
                raise
        return self.quietly_again(function, args, keywords)

    def quietly_again(self, function: Any, args: Any, keywords: Any) -> Any:
        """Run a call that `quiet` refused, in a copy of the present context with the warnings off."""
        return quiet_context(contextvars.copy_context()).run(function, *args, **(keywords or {}))

    def is_entered(self) -> bool:
        """Return whether this thread is inside a call by `quiet`, which then refuses another before it begins."""
        try:
            self.quiet(bool)
        except RuntimeError:
            return True
        return False

    def new_pass(self, tasks: Any, partial: bool) -> Pass:
        """Create a backward pass within the one that is under way, not begun yet, with the present modes."""
        outer: Pass | None = self.passing
        result: Pass = Pass.__new__(Pass)
        result.tasks = tasks
        result.node = None
        result.sparing = None
        result.spared = 0
        result.partial = partial or (outer is not None and outer.partial)
        result.callbacks = None
        result.outer = outer
        result.depth = self.depth
        result.grad = self.grad
        result.mask = self.mask
        result.word = self.word
        result.fresh = self.fresh
        result.inference = self.inference
        result.observers = self.observers
        result.multithreading = self.multithreading
        result.saved_hooks = self.saved_hooks
        result.no_saved_hooks = self.no_saved_hooks
        return result

    def settle(self, grad: bool) -> None:
        """Restore the modes in which the pass began after a program's code has switched them, for the next node.

        Args:
            grad: whether recording is to be on.
        """
        begun: Pass = self.passing
        if self.inference != begun.inference:
            self.switch(grad, begun.inference)
        elif self.grad != grad:
            self.set_grad(grad)
        if self.observers is not begun.observers:
            self.observe(begun.observers)
        self.multithreading = begun.multithreading
        self.saved_hooks = begun.saved_hooks
        self.no_saved_hooks = begun.no_saved_hooks

    def this_pass(self) -> Pass:
        """The backward pass that is under way in this thread; outside of one a new one."""
        return Pass() if self.passing is None else self.passing

    def observe(self, observers: list[Any]) -> list[Any]:
        """Set the observers of calls, see `unusual.observed`; return the previous ones."""
        before = self.observers
        self.observers = observers
        self.word = self.profiled
        if observers:
            self.word |= flags.OBSERVED
        if self.levels:
            self.word |= flags.LEVELS
        if self.batches:
            self.word |= flags.BATCHES
        if self.debug is not None:
            self.word |= flags.NOTED
        if self.functions:
            self.word |= flags.OVERRIDDEN
        if self.casting is not None:
            self.word |= flags.AUTOCAST
        return before

    def override(self, functions: list[Any]) -> list[Any]:
        """Set the modes that are asked for each call, the last one first; return the previous ones."""
        before = self.functions
        self.functions = functions
        self.observe(self.observers)
        return before

    def cast(self, casting: Any) -> Any:
        """Set the function that chooses the dtype of operands, or None; return the previous one."""
        before = self.casting
        self.casting = casting
        self.word = self.word & ~flags.AUTOCAST if casting is None else self.word | flags.AUTOCAST
        return before

    def profile(self, log: Any) -> None:
        """Set the log in which a profile notes events; None ends that."""
        self.log = log
        self.profiled = 0 if log is None else flags.PROFILED
        self.word = self.word & ~flags.PROFILED | self.profiled

    def profiling(self) -> Any:
        """The log of the profile that is open, or None: a restored word may still have the bit of a closed one."""
        if self.log is None:
            self.word &= ~flags.PROFILED
        return self.log

    def next_level(self) -> int:
        """The number for a new level, which becomes the innermost that is seen.

        Raises:
            RuntimeError: if no number is left for it.
        """
        around: int = 0
        for level in self.levels:
            if level.number < self.forward:
                around = level.number
        number: int = around + ROOM_FOR_LEVELS if self.forward == EVERY_LEVEL else (around + self.forward) // 2
        if self.forward and number == around:
            raise RuntimeError("forward mode is nested too deep within custom Functions")
        return number

    def enter(self, levels: list[Any]) -> list[Any]:
        """Set the levels of forward mode, the innermost last; return the previous ones."""
        before = self.levels
        self.levels = levels
        self.observe(self.observers)
        return before

    def batch(self, batches: list[Any]) -> list[Any]:
        """Set the batches that `vmap` runs functions for, the innermost last; return the previous ones."""
        before = self.batches
        self.batches = batches
        self.observe(self.observers)
        return before


def quiet_context(context: contextvars.Context) -> contextvars.Context:
    """A context in which NumPy does not warn of infinities and NaN, as in torch."""
    context.run(np.seterr, all="ignore")
    return context


everyone: dict[int, tuple[Modes, int]] = {}
"""The modes of each thread, by their identity, and the identity of the thread."""
newcomers: list[Any] = []
"""Functions to be called with the modes of each thread that is new here: of profiles of all threads."""


class ThreadEnd:
    """Object that is freed with its thread. Finalisers of the thread that run after that have new modes."""

    everyone = everyone
    modes: Modes | None = None

    def __del__(self) -> None:
        self.everyone.pop(id(self.modes), None)
        door.forget()


_ends = _thread._local()


def current() -> Modes:
    """The modes of the calling thread."""
    modes = door.recall()
    return begun() if modes is None else modes


def acting() -> Modes:
    """Return the modes of the thread for which this one works: its own, or those of the one that waits for it."""
    modes: Modes = current()
    return modes if modes.starter is None else modes.starter


def begun() -> Modes:
    """Create and remember the modes of a thread on first use."""
    candidate = Modes()
    modes: Modes | None = door.recall()
    if modes is None:  # no signal handler has set them meanwhile
        modes = candidate
        everyone[id(candidate)] = (candidate, _thread.get_ident())
        _ends.at = end = ThreadEnd()
        end.modes = candidate
        door.remember(modes)
        for welcome in tuple(newcomers):
            welcome(candidate)
    return modes
