"""The nodes of a backward pass that wait to be run, newest first."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..graph.node import Node


class Ready:
    """Nodes with all their gradients, newest first: the newest by itself, the others in a heap by their number."""

    heap: list[Any]
    newest: Node

    __slots__ = ("heap", "newest")
    __reduce__ = errors.refuse_pickling

    def push(self, node: Node) -> None:
        """Add a node."""
        first: Node = self.newest
        if first is None:
            self.newest = node
        elif node.sequence_number > first.sequence_number:
            self.newest = node
            sift_up(self.heap, first)
        else:
            sift_up(self.heap, node)

    def pop(self) -> Node:
        """Take the newest node."""
        first: Node = self.newest
        self.newest = sift_down(self.heap) if self.heap else None
        return first


def sift_up(heap: list[Node], node: Node) -> None:
    """Add a node to a heap."""
    heap.append(node)
    at: int = len(heap) - 1
    while at > 0:
        up: int = (at - 1) >> 1
        parent: Node = heap[up]
        if parent.sequence_number >= node.sequence_number:
            break
        heap[at] = parent
        at = up
    heap[at] = node


def sift_down(heap: list[Node]) -> Node:
    """Take the newest node from a heap that is not empty."""
    last: Node = heap.pop()
    size: int = len(heap)
    if size == 0:
        return last
    newest: Node = heap[0]
    at: int = 0
    while True:
        down: int = 2 * at + 1
        if down >= size:
            break
        child: Node = heap[down]
        if down + 1 < size:
            other: Node = heap[down + 1]
            if other.sequence_number > child.sequence_number:
                down += 1
                child = other
        if child.sequence_number <= last.sequence_number:
            break
        heap[at] = child
        at = down
    heap[at] = last
    return newest
