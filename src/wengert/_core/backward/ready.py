"""The nodes of a backward pass that wait to be run, newest first."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..graph.node import Node


class Ready:
    """Nodes whose gradients have all arrived, newest first: the newest by itself, the others in a heap by number.

    Only the first `size` places of `heap` are in use: a list that shrinks and grows allocates memory each time.
    """

    heap: list[Any]
    size: int
    newest: Node

    __slots__ = ("heap", "newest", "size")
    __reduce__ = errors.refuse_pickling

    def push(self, node: Node) -> None:
        """Add a node."""
        first: Node = self.newest
        if first is None:
            self.newest = node
        elif node.sequence_number > first.sequence_number:
            self.newest = node
            self.sift_up(first)
        else:
            self.sift_up(node)

    def pop(self) -> Node:
        """Take the newest node."""
        first: Node = self.newest
        self.newest = self.sift_down() if self.size else None
        return first

    def sift_up(self, node: Node) -> None:
        """Add a node to the heap."""
        heap: list[Any] = self.heap
        at: int = self.size
        if at == len(heap):
            heap.append(node)
        self.size += 1
        while at > 0:
            up: int = (at - 1) >> 1
            parent: Node = heap[up]
            if parent.sequence_number >= node.sequence_number:
                break
            heap[at] = parent
            at = up
        heap[at] = node

    def sift_down(self) -> Node:
        """Take the newest node from the heap, which is not empty."""
        heap: list[Any] = self.heap
        newest: Node = heap[0]
        self.size -= 1
        size: int = self.size
        last: Node = heap[size]
        heap[size] = None
        if size == 0:
            return newest
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


def new_ready() -> Ready:
    """Return an empty queue."""
    ready: Ready = Ready.__new__(Ready)
    ready.heap = []
    ready.size = 0
    ready.newest = None
    return ready
