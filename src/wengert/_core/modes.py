"""What a thread has switched on: gradient recording, inference, anomaly detection, observers.

All state is per thread. Guards restore what they found on any exit; nothing here is global.
"""

from __future__ import annotations

import contextvars
import threading
from typing import Any

import numpy as np

from . import door, flags


class Modes:
    """The modes of one thread.

    `mask` and `word` are what dispatch reads: it keeps the bits of `mask` from the inputs' flags words and adds `word`.
    `quiet(function, *args)` calls a kernel with NumPy's floating-point warnings off (`np.errstate` costs five times as
    much).
    """

    grad: bool
    inference: bool
    anomaly: bool
    check_nan: bool
    mask: int
    word: int
    sequence: int
    saved_hooks: Any
    quiet: Any
    observers: list[Any]

    __slots__ = (
        "anomaly",
        "check_nan",
        "grad",
        "inference",
        "mask",
        "observers",
        "quiet",
        "saved_hooks",
        "sequence",
        "word",
    )

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.mask = -1
        self.word = 0
        self.sequence = 0
        self.anomaly = False
        self.check_nan = True
        self.saved_hooks = None
        self.observers: list[Any] = []
        self.quiet = quiet_context().run

    def set_grad(self, enabled: bool) -> bool:
        """Switch recording on or off; return what it was."""
        before = self.grad
        self.grad = enabled
        self.mask = -1 if enabled else ~flags.REQUIRES_GRAD
        return before


def quiet_context() -> contextvars.Context:
    """A context in which NumPy keeps silent about infinities and NaN, as torch does."""
    context = contextvars.Context()
    context.run(np.seterr, all="ignore")
    return context


_keeper = threading.local()


def current() -> Modes:
    """The modes of the calling thread."""
    modes = door.recall()
    if modes is None:
        modes = _keeper.modes = Modes()
        door.remember(modes)
    return modes
