"""Backward passes that start backward passes, to any depth: past some depth each goes on with a stack of its own.

Python bounds how deep calls may nest, per thread. So a pass that is nested too deep runs in another thread, in the
modes of the one that waits for it.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from .modes import Modes, current

DEEPEST = 24
"""So many passes nest in one thread; the frames of each (of the engine and of the program) share Python's limit."""

INHERITED = (
    "anomaly", "check_inf", "check_nan", "fresh", "grad", "inference", "listeners", "multithreading",
    "mask", "no_saved_hooks", "noting", "observers", "passing", "saved_hooks", "sequence", "word",
)  # fmt: skip
"""The modes that the other thread takes over; `quiet` and `depth` are its own."""


def in_thread(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function in a thread of its own, in the modes and the context of this one, and wait for its result.

    Raises:
        BaseException: what the function raises.
    """
    modes = current()
    context = contextvars.copy_context()
    outcome: list[Any] = []

    def body() -> None:
        own = current()
        inherit(own, modes)
        try:
            outcome.append((context.run(function, *args), None))
        except BaseException as error:  # it is raised again in the thread that waits
            outcome.append((None, error))
        modes.sequence = own.sequence

    thread = threading.Thread(target=body, name="wengert nested backward")
    thread.start()
    thread.join()
    result, error = outcome.pop()
    if error is not None:
        try:
            raise error
        finally:
            del error  # the traceback holds this frame
    return result


def inherit(own: Modes, other: Modes) -> None:
    """Take over the modes of another thread."""
    for name in INHERITED:
        setattr(own, name, getattr(other, name))
