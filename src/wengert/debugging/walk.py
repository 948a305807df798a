"""Traversal of a graph without recursion, and the places of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert._core.graph.node import Node, title
from wengert._core.graph.origins import of_node
from wengert._core.graph.places import Place, place_of
from wengert._core.leaves.accumulate import gradient_edge
from wengert._core.tensor.base import Tensor


def root_of(tensor: Tensor) -> Node:
    """Return the node that the gradient of a tensor goes to."""
    node = tensor.grad_fn if tensor.grad_fn is not None else gradient_edge(tensor).node
    assert isinstance(node, Node)
    return node


def nodes_from(root: Node) -> Iterator[Node]:
    """Yield all nodes reachable from a node, itself first, each once."""
    seen = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for edge in node.next_edges:
            if edge is not None and edge.node not in seen:
                seen.add(edge.node)
                waiting.append(edge.node)


def name_of(node: Node) -> str:
    """Return the name of a node without namespaces."""
    return title(node).rpartition("::")[2]


def place_of_node(node: Any) -> Place | None:
    """Return the line that recorded a node; None if it is not known, as for nodes not made by the engine."""
    return place_of(of_node(node)) if isinstance(node, Node) else None
