"""Gradient edges: places in the graph that gradients go to."""

from __future__ import annotations

from typing import NamedTuple

from .._core import flags
from .._core.aliasing import views
from .._core.graph.node import Node, end_of
from .._core.leaves.accumulate import gradient_edge
from .._core.tensor.base import Tensor


class GradientEdge(NamedTuple):
    """Destination of the gradient of a tensor: a node, and the number of the output that the tensor is.

    It stands for the tensor in `autograd.grad` and `autograd.backward`, and does not keep its values alive.
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge of a tensor that requires a gradient; that of a leaf leads to the node that adds to its `.grad`.

    Raises:
        RuntimeError: if the tensor does not require a gradient.

    >>> import wengert as wg
    >>> x = wg.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> edge = wg.autograd.graph.get_gradient_edge(y)
    >>> wg.autograd.grad(y * 2, edge)
    (tensor(2.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    if tensor._flags_ & flags.VIEW:
        views.refresh(tensor)
    edge = gradient_edge(tensor)
    return GradientEdge(end_of(edge), edge.nr)
