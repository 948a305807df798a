"""Places in the program where tensors and nodes were created, noted under `set_debug(lines=True)`.

A note is small, since every call adds one: code object and offset of the instruction, formatted on demand. It holds
neither tensors nor nodes, so that nothing is kept alive by it.
"""

from __future__ import annotations

import os
from collections import deque
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import errors
from ..state.modes import Modes
from .facts import Notes
from .node import Node

if not cython.compiled:  # it is cimported there, and is not a module
    from .. import frames

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(errors.__file__))) + os.sep
"""The package: its frames are not where a program made something."""

MOST_EXITS = 64
"""Number of values that have left the graph that are remembered for a thread: the latest ones."""

MADE, INPUTS = "made", "inputs"
"""Reasons that are no cut: the tensor was made of plain data; of tensors none of which requires a gradient."""


class Debug:
    """Notes of a thread beside origins.

    Attributes:
        scope: the module whose `forward` runs, as (the scope around it, a weak reference to the module), or None.
        exits: values that have left the graph, as (value, or a weak reference to it; origin), the latest last.
        passes, latest: the number of backward passes that have begun, and the origin of the latest.
    """

    scope: Any
    exits: Any
    passes: int
    latest: Any

    __slots__ = ("exits", "latest", "passes", "scope")
    __reduce__ = errors.refuse_pickling

    def __init__(self) -> None:
        self.scope = None
        self.exits = deque(maxlen=MOST_EXITS)
        self.passes = 0
        self.latest = None


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Origin:
    """Place where a program created a tensor or node, and the consequences for the graph.

    Attributes:
        code, offset: the code object and the instruction in it; None if no frame is the program's.
        scope: see `Debug`.
        name: the function that was called.
        reason: why the result has no node, one of those in `tracing`; None for a node.
        is_cut: an input required a gradient, and the result does not.
        cuts: for a result without a node, the origin of the cut that its inputs come from, or None; for a node, a tuple
            of those of the inputs that required no gradient.
        source: for a cut, weak references to the leaf, or to the node and those near it, that were cut off. For a
            tensor created from plain data, the origins of the values that had left the graph before. Or None.
        later: a later event: for a node, the origin of the pass that freed it; for a leaf, that of the latest pass that
            reached it, or of the call that cleared its gradient.
    """

    code: Any
    offset: int
    scope: Any
    name: Any
    reason: Any
    is_cut: bool
    cuts: Any
    source: Any
    later: Any

    __slots__ = ("code", "cuts", "is_cut", "later", "name", "offset", "reason", "scope", "source")
    __reduce__ = errors.refuse_pickling


def new_origin(name: Any, reason: Any) -> Origin:
    """An origin without a place."""
    origin: Origin = Origin.__new__(Origin)
    origin.name = name
    origin.reason = reason
    origin.code = origin.scope = origin.cuts = origin.source = origin.later = None
    origin.offset = 0
    origin.is_cut = False
    return origin


def here(name: Any, reason: Any, modes: Modes) -> Origin:
    """Return the place in the program that led to this call."""
    origin: Origin = new_origin(name, reason)
    frame: Any = frames.outside(FOLDER)
    if frame is not None:
        origin.code = frames.code_of(frame)
        origin.offset = frames.offset_of(frame)
    debug: Debug = modes.debug
    if debug is not None:
        origin.scope = debug.scope
    return origin


def of_node(node: Node) -> Any:
    """The origin of a node, or None."""
    notes: Any = node.node_notes
    return notes if notes is None or isinstance(notes, Origin) else notes.origin


def put(node: Node, origin: Origin) -> None:
    """Set the origin of a node."""
    notes: Any = node.node_notes
    if isinstance(notes, Notes):
        notes.origin = origin
    else:
        node.node_notes = origin


def freed(node: Node, by: Origin) -> None:
    """Note the pass that has freed a node."""
    known: Origin = of_node(node)
    if known is None:
        known = new_origin(None, None)
        put(node, known)
    known.later = by
