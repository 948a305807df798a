"""Nodes with hooks in a run of the engine, and tensors inside the graph that keep their gradient."""

from __future__ import annotations

import weakref
from typing import Any

from .. import collected
from ..graph import facts, hooks
from ..graph.node import Edge, Node
from ..tensor import tapes
from ..tensor.base import Tensor, meta_of
from ..tensor.standins import plain
from .accumulate import gradient_edge


def run(node: Node, grads: list[Any], runs: bool, captures: list[Any] | None, captured: list[Any]) -> Any:
    """Call the hooks of a node and the node itself.

    Hooks see None where nothing arrived. As in torch, a requested gradient is taken before the hooks of its tensor if
    the run goes on beyond the tensor, and after them if it ends there.

    Args:
        runs: the run goes on beyond the node.
        captures: (output number, place in `captured`) of the requested gradients.

    Returns:
        The gradients for the edges of the node; None if there are none.
    """
    if runs:
        capture(captures, grads, captured)
    hooks.run_arrival(node.node_hooks, grads)
    grads[:] = [None if grad is None else plain(grad) for grad in grads]
    keep_retained(node.node_hooks.retain, grads)
    if not runs:
        capture(captures, grads, captured)
        return None
    grads = [None if grad is None else plain(grad) for grad in hooks.run_before(node.node_hooks, grads)]
    outgoing: Any = (None,) * len(node.next_edges)
    if grads.count(None) < len(grads) or node.takes_nothing():
        outgoing = node.apply(grads)
    hidden = type(node).hidden_slots(node)
    if not hidden:
        return hooks.run_after(node.node_hooks, outgoing, grads)
    shown = hooks.run_after(node.node_hooks, facts.without(tuple(outgoing), hidden), grads)
    return facts.with_nothing(shown, hidden)


def capture(captures: list[Any] | None, grads: list[Any], captured: list[Any]) -> None:
    """Store the requested gradients at their places in `captured`."""
    if captures is not None:
        for nr, at in captures:
            captured[at] = grads[nr]


def keep_retained(retain: dict[int, Any], grads: list[Any]) -> None:
    """Add the gradients that arrived to the `.grad` of the tensors that retain it and are still alive."""
    for nr, reference in tuple(retain.items()):
        grad = grads[nr]
        tensor = reference()
        if grad is None or tensor is None:
            continue
        meta = meta_of(tensor)
        while True:
            known = meta.grad
            if known is not None:
                total = known + grad
            else:
                total = grad.clone() if grad.is_contiguous() else grad.contiguous()
            if meta.grad is known:  # see `base.meta_of`
                meta.grad = total
                break


def retain(tensor: Tensor) -> None:
    """Let a tensor inside the graph keep its gradient. Its node has only a weak reference to it."""
    meta_of(tensor).retains_grad = True
    edge: Edge = gradient_edge(tensor)
    edge.node.own_hooks().retain[edge.nr] = weakref.ref(tensor)


def retain_at(tensor: Tensor, edge: Edge | None) -> None:
    """Let a tensor that keeps its gradient, and is about to change its history, keep the gradient at `edge`.

    With None it keeps none for the time being.
    """
    if tapes.is_taped(edge):
        tapes.settle_edge(edge)
    before: Edge = None if tensor._edge_ is None else gradient_edge(tensor)
    if before is not None and before.node.node_hooks is not None:
        before.node.node_hooks.retain.pop(before.nr, None)
    if edge is not None:
        edge.node.own_hooks().retain[edge.nr] = weakref.ref(tensor)


collected.show_hooks(Tensor)
