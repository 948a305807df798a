"""The graph, as programs see it: nodes and edges."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.accumulate import gradient_edge
from .._core.base import Tensor
from .._core.node import Node


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes: a node, and which of its outputs the tensor was."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that requires a gradient.

    Raises:
        RuntimeError: it does not.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge: Any = gradient_edge(tensor)
    return GradientEdge(edge.node, edge.nr)


__all__ = ["GradientEdge", "Node", "get_gradient_edge"]
