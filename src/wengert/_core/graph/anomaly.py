"""Anomaly detection: errors of a backward pass that tell where nodes were created and tensors written to.

Nothing here runs unless `modes.anomaly` is set. Frames of the core and of the class Tensor (the files beside the core)
are left out of every traceback: compiled, the core has none.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from .. import errors
from ..state.modes import Modes, current
from .facts import Notes
from .node import title
from .origins import here, of_node
from .places import place_of

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = tuple([os.path.join(PACKAGE, room) + os.sep for room in ("_core", "_start", "_tensor")])

MOST_WRITES = 64
"""Number of writes that are remembered for one storage: the latest ones."""


def stack() -> list[str]:
    """Return the traceback to this call, outermost call first, as `traceback.format_stack` does."""
    frames: list[tuple[FrameType, int]] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.dirname(name) != PACKAGE and not name.startswith(ROOMS):
            frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    return summary(frames[::-1]).format()


def summary(frames: list[tuple[FrameType, int]]) -> Any:
    """Return a `StackSummary` of frames and line numbers."""
    from traceback import StackSummary  # at the top it would slow down every import of the package

    return StackSummary.extract(iter(frames))


def outside() -> tuple[FrameType | None, int]:
    """Return the innermost frame of the program itself, and the number of frames of this package inside it."""
    depth = 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE + os.sep):
        frame = frame.f_back
        depth += 1
    return frame, depth


def source_line() -> str:
    """Return the line of the program that is running, as in a traceback but on one line."""
    frame, _ = outside()
    if frame is None:
        return "unknown"
    [place] = summary([(frame, frame.f_lineno)])
    return f'File "{place.filename}", line {place.lineno}, in {place.name}: {place.line}'


def note_node(node: Any, modes: Modes) -> None:
    """Report a new node to those that need it."""
    if modes.anomaly:
        remember(node, modes)
    if modes.listeners:
        modes.listeners[-1](node)


def remember(node: Any, modes: Modes) -> None:
    """Note in a new node where it was created, and the node in whose backward step that was, if any."""
    node.metadata["traceback_"] = stack()
    if modes.passing is not None and modes.passing.node is not None:
        node.metadata["parent_"] = modes.passing.node


def note_write(storage: Any, operation: str) -> None:
    """Note the write that led to the present version of a storage: the version, and the place of the call."""
    modes = current()
    if not modes.anomaly and modes.debug is None:
        return
    if storage.writes is None:
        storage.writes = deque(maxlen=MOST_WRITES)
    storage.writes.append((storage.version, here(operation, None, modes)))


def stale(array: Any, storage: Any, origin: str, saved: int, saver: str) -> str:
    """Return the error text about a saved tensor that was written to since; see `errors.modified_in_place`."""
    written = ""
    for version, write in storage.writes or ():
        if version > saved:
            written = errors.write_since(version, write.name, str(place_of(write)), saved)
            break
    return errors.modified_in_place(array, origin, storage.version, saved, saver, written, current().anomaly)


def values_of(tensor: Any) -> Any:
    """Return the values of a tensor; for a batched tensor those of all members, for a sparse one its entries."""
    array = tensor._array_
    while hasattr(array, "whole"):
        array = array.whole._array_
    return array.values._array_ if hasattr(array, "indices") else array


def watched(process: Callable[..., Any], node: Any, task: Any, modes: Modes) -> Any:
    """Run a node by `process`; nodes created meanwhile have it as their parent, and its gradients are checked.

    Raises:
        RuntimeError: if the node returned NaN (or infinities) and that is checked.
    """
    modes.this_pass().node = node  # until the next node runs, so also while its gradients are added to others
    watch = modes.watch
    if watch is not None:
        arrived, saved = watch.arriving(task), watch.saved(node)
        outgoing = process(node, task)
        watch.leaving(node, outgoing, arrived, saved)
        return outgoing
    outgoing = process(node, task)
    for at, grad in enumerate(outgoing or ()):
        if grad is not None and grad._array_.dtype.kind in "fcV":
            array = values_of(grad)
            if modes.check_nan and np.isnan(array).any():
                raise RuntimeError(errors.bad_values(title(node), "nan", at))
            if modes.check_inf and np.isinf(array).any():
                raise RuntimeError(errors.bad_values(title(node), "inf", at))
    return outgoing


def add_note(error: Exception, node: Any) -> None:
    """Add to the error of a node's backward step where the node was created, and what freed it, as far as is known."""
    origin = of_node(node)
    twice = error.args == (errors.BACKWARD_TWICE,)
    traceback = "" if origin is not None and origin.code is not None else traceback_of(node)
    if origin is None and not twice and not traceback:
        return
    freed = place_of(origin.later) if twice and origin is not None else None
    error.add_note(errors.about_node(title(node), place_of(origin), traceback, freed, twice))


def report(error: Exception, node: Any) -> None:
    """Report a backward step that failed: in the error, and under anomaly detection by warnings.

    The warnings show the traceback of the call that created the node, and of the calls that led to it. A node that
    stands for others (`capture.segments`) does not repeat what they have reported.
    """
    if getattr(node, "reported", None) is error:
        node.reported = None
        return
    add_note(error, node)
    if not current().anomaly:
        return
    tell(errors.detected(title(node), traceback_of(node)))
    parent = node.metadata.get("parent_")
    while parent is not None:
        tell(errors.induced(title(parent), traceback_of(parent)))
        parent = parent.metadata.get("parent_")


def tell(text: str) -> None:
    """Warn; if the program turns warnings into errors, print the text, since another error is being raised."""
    try:
        warn(text)
    except Warning as refused:
        if sys.stderr is not None:
            print(f"{type(refused).__name__}: {text}", file=sys.stderr)


def traceback_of(node: Any) -> str:
    """Return where a node was created; empty if that was not noted."""
    notes = node.node_notes
    return "".join(notes.metadata.get("traceback_", ())) if isinstance(notes, Notes) else ""


class Given:
    """Record of the warnings that are issued once in a process.

    Attributes:
        texts: the texts of those that were issued.
        always: whether they are issued every time, see `set_warn_always`.
    """

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.always = False


GIVEN = Given()


def warn_once(text: str) -> None:
    """Warn at the program's own line, unless this process has issued the warning before."""
    if GIVEN.always or text not in GIVEN.texts:
        GIVEN.texts.add(text)
        warn(text)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the program's own line."""
    _, depth = outside()
    warnings.warn(text, category, stacklevel=depth + 1)
