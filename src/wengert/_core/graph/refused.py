"""History of a result that cannot be differentiated: programs can inspect it, and it raises once a gradient arrives."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from ..state.modes import Modes, current
from .node import Node, set_up


@cython.no_gc
@cython.cclass
class ErrorNode(Node):
    """Node of a result that cannot be differentiated: raises an error if a gradient arrives.

    Attributes:
        title: the name by which programs see it.
        text: the text of the error.
    """

    title: str
    text: str

    __slots__ = ("text", "title")

    def name(self) -> str:
        return self.title

    def takes_nothing(self) -> bool:
        return True

    def apply(self, grads: list[Any]) -> Any:
        raise RuntimeError(self.text)


def new_refusal(title: str, text: str, edges: tuple[Any, ...], outputs: int) -> ErrorNode:
    """Return a new node that refuses gradients."""
    modes: Modes = current()
    node: ErrorNode = ErrorNode.__new__(ErrorNode)
    set_up(node, edges, modes.sequence, outputs)
    modes.sequence += 1
    node.title = title
    node.text = text
    return node
