"""Explanations for tensors that require a gradient and have none."""

from __future__ import annotations

from typing import Any

from wengert._core import flags
from wengert._core.aliasing import views
from wengert._core.graph.node import Node
from wengert._core.graph.origins import of_node
from wengert._core.graph.places import Place, place_of
from wengert._core.state.modes import current
from wengert._core.tensor import tracing
from wengert._core.tensor.base import Tensor

from .sentences import line, source_sentence, sources_of
from .texts import WHAT
from .walk import nodes_from, root_of

Reason = tuple[str, str, Place | None]


def reason_of(tensor: Tensor, loss: Tensor | None) -> Reason:
    """Return the reason, the sentences, and the line."""
    node = tensor.grad_fn
    if loss is not None and loss is not tensor:
        reason = not_reached(tensor, loss)
        if reason is not None:
            return reason
    if node is None:
        return of_leaf(tensor, loss)
    freed = place_of(getattr(of_node(node), "later", None))
    if not tensor.retains_grad:
        text = "it is not a leaf, and only leaves keep their gradients."
        return "not_a_leaf", text + line("\nA backward pass has run through it: {}.", freed), freed
    return "no_backward", "its gradient will be kept, but no backward pass has reached it yet.", None


def of_leaf(leaf: Tensor, loss: Tensor | None) -> Reason:
    """Return reason, sentences and line for a leaf."""
    meta: Any = leaf._meta_
    view = meta.view if leaf._flags_ & flags.VIEW else None
    if view is not None and view.kind in (views.NO_GRAD, views.INFERENCE):
        where = place_of(meta.origin)
        text = "it is a view that was taken with recording off, of a tensor that requires a gradient."
        return "no_grad", text + line("\nThat was at {}.", where), where
    later = None if meta is None or meta.origin is None else meta.origin.later
    where = place_of(later)
    debug = current().debug
    if later is not None and later.reason == tracing.CLEARED:
        return "cleared", "it was set to None (zero_grad, or `.grad = None`)" + line(" at {}", where) + ".", where
    if later is not None and later.reason == tracing.NOTHING:
        text = "a backward pass reached it without a gradient: the backward of a custom Function returned None for it"
        return "nothing", text + line(". The pass: {}", where) + ".", where
    if later is not None:
        text = "a backward pass computed one, which was removed since"
        return "cleared", text + line(". The pass: {}", where) + ".", where
    if loss is None and (meta is None or meta.accumulator is None):
        return "not_used", "no recorded call has used it.", None
    if loss is None and debug is not None and debug.passes:
        where = place_of(debug.latest)
        text = f"none of the {debug.passes} backward passes since lines are recorded has reached it"
        return "not_used", text + line("; the latest: {}", where) + ".", where
    if loss is not None:
        return "no_backward", "the loss depends on it, but no backward pass has reached it yet.", None
    return (
        "no_backward",
        (
            "recorded calls have used it, but there is no gradient: backward() was not called yet, or was called on "
            "something that does not depend on it, or the gradient was set to None (zero_grad)."
        ),
        None,
    )


def not_reached(tensor: Tensor, loss: Tensor) -> Reason | None:
    """Return the reason if a loss does not depend on a tensor: where the path was cut, if that was recorded."""
    target = root_of(tensor)
    cuts: list[Any] = []
    for node in nodes_from(root_of(loss)):
        if node is target:
            return None
        origin = of_node(node)
        cuts.extend(cut for cut in getattr(origin, "cuts", None) or () if cut not in cuts)
    for cut in cuts:
        if leads_to(cut, target, tensor):
            what = WHAT[cut.reason].format(name=cut.name, dtype="without gradients", why="")
            where = place_of(cut)
            text = f"the loss does not depend on it, because on the way {what}." + line("\nThat happened at {}.", where)
            return cut.reason, text + source_sentence(cut), where
    return "not_used", "no recorded call leads from it to the loss.", None


def leads_to(cut: Any, target: Node, tensor: Tensor) -> bool:
    """Return whether a source of a cut depends on a tensor."""
    for source in sources_of(cut):
        if source is tensor or (isinstance(source, Node) and any(node is target for node in nodes_from(source))):
            return True
    return False
