"""Walks over a graph, on a stack of their own; and what is known of the places of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert._core.graph.node import Node, title
from wengert._core.graph.origins import of_node
from wengert._core.graph.places import Place, place_of
from wengert._core.leaves.accumulate import gradient_edge
from wengert._core.tensor.base import Tensor


def root_of(tensor: Tensor) -> Node:
    """The node that the gradient of a tensor which requires one goes to."""
    node = tensor.grad_fn if tensor.grad_fn is not None else gradient_edge(tensor).node
    assert isinstance(node, Node)
    return node


def nodes_from(root: Node) -> Iterator[Node]:
    """All nodes that a node leads to, itself first, each once."""
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
    """The name of a node without namespaces."""
    return title(node).rpartition("::")[2]


def place_of_node(node: Any) -> Place | None:
    """The line that recorded a node; None if it was not noted, as of nodes that the engine did not make."""
    return place_of(of_node(node)) if isinstance(node, Node) else None
