"""Recording of a backward pass: hooks on all nodes and leaves note what arrives and what is passed on."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert._core.backward.arrivals import project
from wengert.autograd.kept import PACKED, values_saved
from wengert.viz.data import LEAF, PARAMETER
from wengert.viz.graph import Graph
from wengert.viz.measures import name_of, retaining_nothing
from wengert.viz.rule_text import LEAF_RULE, RuleReader, RuleText, input_names, operator_name
from wengert.viz.step_data import Passed, Step
from wengert.viz.values import Value, as_text, value_of, value_of_array

if TYPE_CHECKING:
    from wengert import Tensor

__all__ = ["Recorder"]


class Recorder:
    """Recorder of one backward pass.

    Args:
        graph: the graph of the pass.
        nodes: the tensor from which it starts, then the node of each further box of the graph.
    """

    def __init__(self, graph: Graph, nodes: Sequence[Any]) -> None:
        self.graph = graph
        self.nodes = dict(enumerate(nodes[1:], 1))
        self.boxes = {id(node): box for box, node in self.nodes.items()}
        self.thread = threading.get_ident()
        self.reader = RuleReader()
        self.steps: list[Step] = []
        self.arrived: dict[int, tuple[Value | None, ...]] = {}
        self.totals: dict[int, Tensor] = {}
        self.awaited: dict[int, int] = {}

    def run(self, loss: "Tensor", gradient: "Tensor") -> tuple[Step, ...]:
        """Run the pass and return its steps.

        Args:
            loss: Tensor from which the pass starts.
            gradient: its gradient.
        """
        from wengert import autograd

        leaves = self.leaves(loss)
        if not leaves:
            return ()
        for edge in self.graph.edges:
            self.awaited[edge.source] = self.awaited.get(edge.source, 0) + edge.count
        handles = []
        bare = [node for node in self.nodes.values() if node.node_hooks is None]
        try:
            for box, node in self.nodes.items():
                if box not in leaves:
                    handles.append(type(node).register_prehook(node, self.on_arrival(box)))
                    handles.append(type(node).register_hook(node, self.on_departure(box, node)))
            for box, leaf in leaves.items():
                if loss.grad_fn is None:
                    self.awaited[box] = 0
                handles.append(leaf.register_hook(self.on_leaf(box)))
            with retaining_nothing(self.nodes.values()):
                autograd.grad(loss, list(leaves.values()), gradient, retain_graph=True, allow_unused=True)
        finally:
            for handle in handles:
                handle.remove()
            for node in bare:  # later passes need not look for hooks
                hooks = node.node_hooks
                if hooks is not None and not (hooks.tensor or hooks.retain or hooks.before or hooks.after):
                    node.node_hooks = None
        return tuple(self.steps)

    def leaves(self, loss: "Tensor") -> "dict[int, Tensor]":
        """Return the leaves of the graph by their boxes."""
        if loss.grad_fn is None:
            return {1: loss}
        return {box: node.variable for box, node in self.nodes.items() if name_of(node) == "AccumulateGrad"}

    def on_arrival(self, box: int) -> Callable[[Sequence[Any]], None]:
        """Return the hook that runs before a node: it notes the gradients that have arrived."""

        def note(grads: Sequence[Any]) -> None:
            if threading.get_ident() == self.thread:
                self.arrived[box] = tuple(None if grad is None else value_of(grad) for grad in grads)

        return note

    def on_departure(self, box: int, node: Any) -> Callable[[Sequence[Any], Sequence[Any]], None]:
        """Return the hook that runs after a node: it notes the step."""

        def note(grad_inputs: Sequence[Any], grad_outputs: Sequence[Any]) -> None:
            if threading.get_ident() == self.thread and box in self.arrived:
                self.step(box, self.arrived.pop(box), node, self.passed(node, grad_inputs))

        return note

    def on_leaf(self, box: int) -> Callable[[Any], None]:
        """Return the hook of a leaf: it notes the step once all gradients of the leaf have been delivered."""

        def note(grad: Any) -> None:
            if threading.get_ident() == self.thread and self.awaited.get(box) == 0:
                del self.awaited[box]
                self.step(box, (None if grad is None else value_of(grad),), self.nodes.get(box), ())

        return note

    def step(self, box: int, arriving: tuple[Value | None, ...], node: Any, passed: tuple[Passed, ...]) -> None:
        """Add a step."""
        shown = self.graph.nodes[box]
        operator = ""  # of a leaf
        reads: tuple[tuple[str, Value | str], ...] = ()
        rules: tuple[RuleText, ...] = (LEAF_RULE,)
        if shown.kind not in (PARAMETER, LEAF):
            runs = type(node).takes_nothing(node) or any(value is not None for value in arriving)
            operator = operator_name(node)
            reads = self.reads(node) if runs else ()
            rules = self.reader.rules_of(node) if runs else ()
        self.steps.append(Step(len(self.steps), box, shown, operator, arriving, reads, rules, passed))

    def reads(self, node: Any) -> tuple[tuple[str, Value | str], ...]:
        """Return what was saved for the rules of a node."""
        return tuple((name, saved_value(value)) for name, value in values_saved(node) or ())

    def passed(self, node: Any, grads: Sequence[Any]) -> tuple[Passed, ...]:
        """Return the gradients that a node passes on, and add those of leaves to their sums."""
        hidden = type(node).hidden_slots(node)
        visible = [at for at in range(len(node.next_edges)) if at not in hidden]
        names = input_names(node)
        result = []
        for at, grad in zip(visible, grads, strict=True):
            edge = node.next_edges[at]
            if edge is not None:
                result.append(self.delivered(node, at, names[at], grad))
        for at in hidden:  # nothing is passed there, but the node counts as one that the leaf waits for
            if node.next_edges[at] is not None:
                self.awaited[self.boxes[id(node.next_edges[at].node)]] -= 1
        return tuple(result)

    def delivered(self, node: Any, at: int, name: str, grad: Any) -> Passed:
        """Return one gradient that is passed on."""
        edge = node.next_edges[at]
        box = self.boxes[id(edge.node)]
        self.awaited[box] -= 1
        title = self.graph.nodes[box].title
        is_leaf = self.graph.nodes[box].kind in (PARAMETER, LEAF)
        if grad is None:
            return Passed(name, box, title, None, None, self.total(box) if is_leaf else None)
        returned = value_of(grad)
        reduced = project(grad, edge, node, at)
        if is_leaf:
            self.totals[box] = self.totals[box] + reduced if box in self.totals else reduced
        delivered = returned if reduced is grad else value_of(reduced)
        return Passed(name, box, title, returned, delivered, self.total(box) if is_leaf else None)

    def total(self, box: int) -> Value | None:
        """Return the sum of what was delivered to a leaf so far."""
        return value_of(self.totals[box]) if box in self.totals else None


def saved_value(value: Any) -> Value | str:
    """Return a saved value as a step has it."""
    if isinstance(value, np.ndarray) or (hasattr(value, "shape") and hasattr(value, "dtype")):
        return value_of_array(value)
    if isinstance(value, tuple) and any(isinstance(item, np.ndarray) for item in value):
        return "; ".join(
            value_of_array(item).in_one_line() if isinstance(item, np.ndarray) else as_text(item) for item in value
        )
    return value if value is PACKED else as_text(value)
