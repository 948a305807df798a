"""Name scopes of the graph: nodes remember in which part of a program they were made, if somebody asks them to."""

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
"""Of the place in the `metadata` of a node."""


class Place(NamedTuple):
    """Where a node was made.

    Attributes:
        module: path of the module, "encoder.0"; empty for the outermost one.
        scope: path of the name scope, "step/attention"; empty outside of all.
    """

    module: str
    scope: str


class Open(threading.local):
    """The scopes that a thread has entered and not left, while somebody records."""

    def __init__(self) -> None:
        self.recorders = 0
        self.modules: list[tuple[int, str]] = []
        self.names: list[str] = []


OPEN = Open()


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Give the operators in a block a name, by which a picture of the graph can gather them.

    Args:
        name: of the scope. Scopes nest: their names are joined by "/". Nothing is noted outside of
            `viz.record_scopes`, where entering a scope costs next to nothing.

    Raises:
        TypeError: `name` is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"viz.scope(): name must be a string, but got {type(name).__name__}")
    OPEN.names.append(name)
    try:
        yield
    finally:
        OPEN.names.pop()


class noting_places(Region):  # noqa: N801 - called as a function
    """Let every node that this thread makes in the block remember its place."""

    def _before_(self, modes: Modes) -> Any:
        return modes.listeners, OPEN.recorders, len(OPEN.modules)

    def _begin_(self, modes: Modes, before: Any) -> Open:
        listeners = before[0]
        earlier: Callable[[Any], None] | None = listeners[-1] if listeners else None
        own = OPEN

        def note(node: Any) -> None:
            if earlier is not None:
                earlier(node)
            if isinstance(node, Node):
                module = own.modules[-1][1] if own.modules else ""
                Node.own_notes(node).metadata[KEY] = Place(module, "/".join(own.names))

        modes.listen([*listeners, note])
        own.recorders += 1
        return own

    def _end_(self, modes: Modes, before: Any) -> None:
        listeners, OPEN.recorders, opened = before
        del OPEN.modules[opened:]  # those that an interrupt left
        modes.listen(listeners)


def metadata_of(node: Any) -> dict[Any, Any]:
    """The notes on a node, empty where there are none; asking leaves none behind."""
    notes = getattr(node, "node_notes", None)
    return notes.metadata if isinstance(notes, Notes) else {}  # what it has may be its origin alone


def place_of(node: Any) -> Place | None:
    """Where a node was made; None if that was not noted."""
    return metadata_of(node).get(KEY)
