"""Name scopes of the graph: nodes remember the part of the program that made them, if recording is on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .._core.graph.facts import Notes
from .._core.graph.node import Node
from .._core.state.modes import Modes
from .._core.state.regions import Region

KEY = "scope_"
"""Key of the place in the `metadata` of a node."""


class Place(NamedTuple):
    """Part of the program that made a node.

    Attributes:
        module: path of the module, such as "encoder.0"; empty for the outermost module.
        scope: path of the name scope, such as "step/attention"; empty outside of all scopes.
    """

    module: str
    scope: str


class Open(threading.local):
    """Open scopes of a thread, while recording is on."""

    def __init__(self) -> None:
        self.recorders = 0
        self.modules: list[tuple[int, str]] = []
        self.names: list[str] = []


OPEN = Open()


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Name the operators in a block, so that a picture of the graph can group them.

    Args:
        name: the name of the scope. The names of nested scopes are joined by "/". Outside of `viz.record_scopes`
            nothing is recorded, and entering a scope costs next to nothing.

    Raises:
        TypeError: if `name` is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"viz.scope(): name must be a string, but got {type(name).__name__}")
    OPEN.names.append(name)
    try:
        yield
    finally:
        OPEN.names.pop()


class noting_places(Region):  # noqa: N801 - called as a function
    """Record the place of each node that this thread makes in the block."""

    def _before_(self, modes: Modes) -> Any:
        return modes.listeners, OPEN.recorders, len(OPEN.modules)

    def _begin_(self, modes: Modes, before: Any) -> Open:
        listeners = before[0]
        earlier: Callable[[Any], None] | None = listeners[-1] if listeners else None
        opened = OPEN

        def note(node: Any) -> None:
            if earlier is not None:
                earlier(node)
            if isinstance(node, Node):
                module = opened.modules[-1][1] if opened.modules else ""
                Node.own_notes(node).metadata[KEY] = Place(module, "/".join(opened.names))

        modes.listen([*listeners, note])
        opened.recorders += 1
        return opened

    def _end_(self, modes: Modes, before: Any) -> None:
        listeners, OPEN.recorders, opened = before
        del OPEN.modules[opened:]  # left by an interrupt
        modes.listen(listeners)


def metadata_of(node: Any) -> dict[Any, Any]:
    """Return the metadata of a node, empty if there is none; does not create it."""
    notes = getattr(node, "node_notes", None)
    return notes.metadata if isinstance(notes, Notes) else {}  # it may have only its origin


def place_of(node: Any) -> Place | None:
    """Return the place that made a node; None if it was not recorded."""
    return metadata_of(node).get(KEY)
