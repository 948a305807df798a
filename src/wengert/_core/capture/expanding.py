"""Ordinary nodes of a segment of a replayed function, built anew from its steps, and passes over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door
from ..backward.engine import new_sweep, run
from ..backward.task import Task, Tasks
from ..graph.node import Edge, Node, new_edge, set_up
from ..recording.saved import Saved
from ..recording.saved_part import SavedPart
from ..tensor.base import Tensor, share, wrap
from ..tensor.storage import Storage
from .graphs import (
    CARD,
    FUNCTION,
    NOWHERE,
    SLICES,
    VIEW,
    KeptArray,
    KeptInput,
    KeptOutput,
    KeptPart,
    KeptSeveral,
    Step,
    Target,
)
from .segments import CompiledFunctionBackward, Connections, Gate, Root, Segment, disown
from .single import old_storage, saved_input, saved_output

NEWEST = (1 << 62) - 2
"""Sequence number of the node that delivers the gradients: it runs before all others but those of leaves."""


class Expansion:
    """Ordinary nodes of a segment.

    Args:
        graph: the recorded graph.
        node: the node that stands for the segment.
        arrived: bits of the shared destinations whose gradients are returned one by one, not summed.
    """

    def __init__(self, graph: Connections, node: CompiledFunctionBackward, arrived: int) -> None:
        self.graph = graph
        self.node = node
        self.segment: Segment = node.segment
        self.arrays, self.known_stores = saved_by(node)
        self.kept = {register: at for at, register in enumerate(self.segment.registers)}
        self.places = {number: place for place, number in enumerate(self.segment.reads)}
        self.outputs: dict[tuple[int, int], int] = {}
        self.edges: dict[tuple[int, int], Edge] = {}
        self.stores: dict[int, Storage] = {}
        self.bare: dict[int, Storage] = {}
        self.nodes: dict[int, Node] = {}
        self.gates = self.new_gates(arrived)
        number = len(graph.sources)
        for segment in graph.segments:
            for output in segment.outputs:
                self.outputs[output[0], output[1]] = number
                number += 1
        for at in reversed(self.segment.steps):
            self.nodes[at] = blank(graph.steps[at], node.first)
        self.ends = {arrival[:2]: at for at, arrival in enumerate(self.segment.arrivals)}
        for at in reversed(self.segment.steps):
            self.fill(graph.steps[at], self.nodes[at], at)

    def new_gates(self, arrived: int) -> list[Any]:
        """Return the edge to the end of each arrival: one end for those whose gradients are summed here."""
        gates: list[Any] = []
        single: dict[int, Edge] = {}
        separate = {shared[0] for at, shared in enumerate(self.segment.shared) if arrived >> at & 1}
        for _, _, place in self.segment.arrivals:
            if place in single:
                gates.append(single[place])
                continue
            outer = self.node.outer[place]
            gates.append(new_edge(new_gate(self.node.first - 1), 0, outer.shape, outer.dtype))
            if place not in separate:
                single[place] = gates[-1]
        return gates

    def starts(self) -> list[Edge]:
        """Return the edges to the outputs."""
        return [self.edge_to(Target(*output)) for output in self.segment.outputs]

    def link(self) -> None:
        """Let the nodes lead on to the graph outside, for gradients of higher order."""
        edges = {at: list(node.next_edges) for at, node in self.nodes.items()}
        for at, slot, place in self.segment.arrivals:
            edges[at][slot] = self.node.outer[place]
        for at, node in self.nodes.items():
            node.next_edges = tuple(edges[at])

    def fill(self, step: Step, node: Any, at: int) -> None:
        """Set the edges and the saved values of a node."""
        inner = step is not self.graph.steps[at]
        edges = [
            None if target is None else self.edge_to(target) if inner else self.edge(target, (at, slot))
            for slot, target in enumerate(step.edges)
        ]
        node.next_edges = tuple(edges)
        if step.inner is not None:
            self.fill_inner(step, node, at)
        elif step.kind in (CARD, VIEW):
            node.saved = self.saved(step, at)
        elif step.kind == FUNCTION:
            node.kept_tensors = self.saved(step, at)

    def fill_inner(self, step: Step, node: Any, at: int) -> None:
        """Build the node of a write to a view; `at` is the number of the step of its base."""
        assert step.inner is not None
        node.inner = blank(step.inner, self.node.first)
        self.fill(step.inner, node.inner, at)
        if step.kind == SLICES:
            node.released = self.is_freed(step, at)

    def edge(self, target: Target, place: tuple[int, int]) -> Edge:
        """Return an edge of a node; those that leave the segment lead to a gate."""
        at = self.ends.get(place)
        if at is not None:
            return self.gates[at]
        return self.edge_to(target)

    def edge_to(self, target: Target) -> Edge:
        """Return the edge of a tensor of the call."""
        if target.step == NOWHERE:
            return Edge(new_gate(0), 0, target.shape, target.dtype)
        node = self.nodes.get(target.step)
        if node is None:
            number = target.nr if target.step < 0 else self.outputs[target.step, target.nr]
            return self.node.outer[self.places[number]]
        edge = self.edges.get((target.step, target.nr))
        if edge is None:
            edge = self.edges[target.step, target.nr] = new_edge(node, target.nr, target.shape, target.dtype)
        return edge

    # ---- saved values ------------------------------------------------------------------------------------------------

    def is_freed(self, step: Step, at: int) -> bool:
        """Return whether the saved values of a step were freed; `at` is its number, or that of its base's step."""
        return step.saved is None or (step.frees and (self.arrays is None or bool(self.node.freed >> at & 1)))

    def saved(self, step: Step, at: int) -> Any:
        """Return the saved values of a node; None if they were freed."""
        if step.saved is None or self.is_freed(step, at) or (step.kept() and self.arrays is None):
            return None
        return tuple([self.value(value) for value in step.saved])

    def value(self, value: Any) -> Any:
        """Return one saved value."""
        if isinstance(value, KeptInput):
            return self.input(value)
        if isinstance(value, KeptOutput):
            return self.output(value)
        if isinstance(value, KeptPart):
            return self.part(value)
        if isinstance(value, KeptArray):
            return self.tensor(value.register)
        if isinstance(value, KeptSeveral):
            return tuple([self.value(element) for element in value.values])
        return value

    def array(self, register: int) -> Any:
        """Return a saved array."""
        assert self.arrays is not None
        return self.arrays[self.kept[register]]

    def tensor(self, register: int) -> Tensor:
        """Return a tensor without history on a saved array, on the storage of other saved tensors if there are any."""
        array, number = self.array(register), self.segment.passes.stores.get(register)
        if number is not None:
            return share(array, self.store(number, array, 0)[0])
        if register not in self.bare:
            self.bare[register] = old_storage(array)
        return share(array, self.bare[register])

    def store(self, number: int, array: Any, lag: int) -> tuple[Storage, int]:
        """Return a storage, and the version that a saved tensor had."""
        assert self.known_stores is not None
        known = self.known_stores[number]
        if known is None:
            known = self.stores.get(number)
        if known is None:
            known = self.stores[number] = old_storage(array)
            known.version = self.node.versions[number]
        return known, self.node.versions[number] - lag

    def input(self, value: KeptInput) -> Saved:
        """Return a saved input."""
        array = self.array(value.register)
        edge = None if value.target is None else self.edge_to(value.target)
        return saved_input(array, *self.store(value.storage, array, value.lag), edge, value.word)

    def output(self, value: KeptOutput) -> Saved:
        """Return a saved output."""
        array = self.array(value.register)
        return saved_output(array, *self.store(value.storage, array, value.lag), value.nr)

    def part(self, value: KeptPart) -> Saved:
        """Return the saved result of a write to a view."""
        saved = SavedPart.__new__(SavedPart)
        saved.kept = self.output(value.kept)
        saved.outer = door.weak(self.nodes[value.outer])
        saved.view = value.view
        saved.frame = self.array(value.frame)
        return saved


def saved_by(node: CompiledFunctionBackward) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the arrays that a node keeps, and the storages; None once they were freed, by whichever thread."""
    arrays, stores = node.kept, node.stores
    return (None, None) if arrays is None or stores is None else (arrays, stores)


def new_gate(sequence: int) -> Gate:
    """Return the end of a pass."""
    gate = Gate.__new__(Gate)
    gate.grad, gate.owned = None, False
    set_up(gate, (), sequence, 1)
    return gate


def blank(step: Step | None, first: int) -> Any:
    """Return the node of a step without edges and saved values."""
    assert step is not None
    node: Any = door.new(step.cls)
    set_up(node, (), first + step.offset, step.outputs)
    node.trusted_gradients = step.trusted
    if step.kind == FUNCTION:
        fill_function(node, step)
    elif step.kind == SLICES:
        node.levels, node.released = [], False
        node.strides, node.recorded, node.view = [step.fields[name] for name in ("strides", "recorded", "way")]
    else:
        for name, value in step.fields.items():
            setattr(node, name, value)
    return node


def fill_function(node: Any, step: Step) -> None:
    """Set the fields of the node of a custom Function."""
    for name, value in step.fields.items():
        if name != "attributes":
            setattr(node, name, value)
    for name, value in step.fields["attributes"].items():
        setattr(node, name, value)
    node.kept_origins = node.to_save = node.saved_for_forward = node.dirty_tensors = node.non_differentiable = None


class Seeds:
    """The gradients that have arrived at the ends of a node's edges before it runs.

    Attributes:
        grads: the gradients, by place among `reads`.
        tasks: the tasks where they wait.
    """

    def __init__(self, node: CompiledFunctionBackward, passing: Any) -> None:
        self.node = node
        self.grads: dict[int, Any] = {}
        self.tasks: dict[int, Task] = {}
        for place, edge in enumerate(node.outer if passing is not None and isinstance(passing.tasks, Tasks) else ()):
            task = passing.tasks.find(edge.node)
            grad = None if task is None else task.grad if task.grads is None else task.grads[edge.nr]
            if grad is not None:
                self.tasks[place], self.grads[place] = task, grad

    def is_owned(self, place: int) -> bool:
        """Return whether the engine may write to the memory of a gradient."""
        task = self.tasks[place]
        return task.grads is None and task.owned

    def replace(self, outgoing: list[Any], owned: tuple[int, ...]) -> None:
        """Put the sums into the places of these gradients; take them out of those that the node returns."""
        for at, (_, _, place) in enumerate(self.node.segment.arrivals):
            task = self.tasks.get(place)
            if outgoing[at] is None or task is None:
                continue
            if task.grads is None:
                task.grad, task.owned = outgoing[at], at in owned
            else:
                task.grads[self.node.outer[place].nr] = outgoing[at]
            outgoing[at] = None


def sweep(
    expansion: Expansion, grads: list[Any], wanted: int, create_graph: bool, seeds: Seeds | None = None
) -> tuple[list[Any], tuple[int, ...]]:
    """Run the engine over the nodes of a segment.

    Args:
        grads: the gradients of the outputs, None where none has arrived.
        wanted: bits of the edges that need a gradient.
        create_graph: record the pass.
        seeds: gradients that have arrived at places among `reads` before.

    Returns:
        One gradient for each edge of the node; and the edges whose gradients use memory that nothing else uses.
    """
    segment = expansion.segment
    root = Root.__new__(Root)
    starts = expansion.starts()
    root.grads, root.copied = list(grads), []
    for at, (_, _, place) in enumerate(segment.arrivals):
        if seeds is not None and place in seeds.grads and expansion.gates[at] not in starts:
            if seeds.is_owned(place) and not create_graph:
                root.copied.append(len(starts))
            starts.append(expansion.gates[at])
            root.grads.append(seeds.grads[place])
    set_up(root, tuple(starts), NEWEST, 1)
    root.trusted_gradients = seeds is not None
    ends = list(dict.fromkeys([edge.node for edge in expansion.gates]))
    numbers = [next(at for at, edge in enumerate(expansion.gates) if edge.node is end) for end in ends]
    captures = None
    if not all(wanted >> at & 1 for at in numbers):
        captures = [new_edge(new_gate(expansion.node.first - 2), 0, None, None)]
        for at, end in zip(numbers, ends):
            end.next_edges = tuple(captures) if wanted >> at & 1 else ()
    run(new_sweep(True, create_graph, captures, False), [new_edge(root, 0, None, None)], [wrap(np.zeros(()))])
    outgoing: list[Any] = [None] * len(segment.arrivals)
    for at, end in zip(numbers, ends):
        outgoing[at] = end.grad if wanted >> at & 1 else None
    owned = [at for at, end in zip(numbers, ends) if end.owned]
    for at in numbers:
        if outgoing[at] is not None and at not in owned:
            disown(outgoing[at])
    return outgoing, tuple(owned)
