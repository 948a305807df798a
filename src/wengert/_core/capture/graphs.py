"""The graph that a recorded call has built, with registers in the places of the saved arrays.

Each node of the graph is a `Step`. A replay has arrays of the same kind in its registers, so that nodes of the same
classes can be built at any time (`expanding`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..functions.function import FunctionNode, ViewWrite
from ..graph.node import Edge, Node, title
from ..graph.refused import ErrorNode
from ..leaves.accumulate import AccumulateGrad
from ..recording.recorded import OpNode, ViewNode
from ..recording.saved import Saved, SavedInput, SavedOutput
from ..recording.saved_part import SavedPart
from ..tensor.base import Tensor
from ..tensor.storage import Storage
from ..writes.slices import CopySlices
from .recorder import Recorder, Refusal

CARD, VIEW, SLICES, FUNCTION, WRITE, ERROR = range(6)
"""Kinds of steps: calls of operators, views, writes to views of a base, custom Functions, those that write to a view,
and results that cannot be differentiated."""
OUTSIDE, NOWHERE = -1, -2
"""In the place of a step's number: an external edge; the history of a view before a write, where no gradient goes."""


class Target(NamedTuple):
    """The end of an edge: output `nr` of a step, or the external edge number `nr`."""

    step: int
    nr: int
    shape: Any
    dtype: Any


class KeptInput(NamedTuple):
    """A saved input; `lag` is the number of writes to its memory between its use and the end of the call."""

    register: int
    storage: int
    lag: int
    target: Target | None
    word: int


class KeptOutput(NamedTuple):
    """A saved output."""

    register: int
    storage: int
    lag: int
    nr: int


class KeptPart(NamedTuple):
    """A saved result of a write to a view; `outer` is the step of the base."""

    kept: KeptOutput
    outer: int
    view: Any
    frame: int


class KeptArray(NamedTuple):
    """A saved tensor without history."""

    register: int


class KeptSeveral(NamedTuple):
    """Several saved values."""

    values: tuple[Any, ...]


KEPT = (KeptInput, KeptOutput, KeptPart, KeptArray, KeptSeveral)


class Step:
    """A node of a recorded graph.

    Attributes:
        kind, cls, title: its kind, its class, and its name.
        edges: its edges, a `Target` or None each.
        offset: its place in the order of creation.
        outputs: the number of its outputs.
        trusted: as in `Node`.
        saved: the saved values; None if they were freed.
        frees: a backward pass frees saved values.
        fields: the other attributes, by name.
        inner: for a write to a view, the step of the write.
        tensors: what `kept` returned, while the graph is read; None before, and after.
    """

    __slots__ = (
        "cls",
        "edges",
        "fields",
        "frees",
        "inner",
        "kind",
        "offset",
        "outputs",
        "saved",
        "tensors",
        "title",
        "trusted",
    )

    def __init__(self, kind: int, node: Node, offset: int) -> None:
        self.kind = kind
        self.cls = type(node)
        self.title = title(node)
        self.offset = offset
        self.outputs = node.output_count
        self.trusted = node.trusted_gradients
        self.edges: tuple[Target | None, ...] = ()
        self.saved: tuple[Any, ...] | None = ()
        self.frees = False
        self.fields: dict[str, Any] = {}
        self.inner: Step | None = None
        self.tensors: list[Any] | None = None

    def facts(self) -> tuple[Any, ...]:
        """Return what is equal in each call of a function, without constants."""
        inner = () if self.inner is None else self.inner.facts()
        saved = None if self.saved is None else tuple(map(fact_of, self.saved))
        return self.kind, self.cls, self.edges, self.offset, self.outputs, saved, inner

    def constants(self) -> list[Any]:
        """Return the saved values that are not tensors, and the constant attributes."""
        values = [value for value in self.saved or () if not isinstance(value, KEPT)]
        views = [value.view for value in kept_in(self.saved or (), parts=True) if isinstance(value, KeptPart)]
        fields = [value for name, value in self.fields.items() if name != "way"]
        steps = [view.steps for view in (*views, self.fields.get("way")) if view is not None]
        return [*values, *fields, *steps, *(() if self.inner is None else self.inner.constants())]

    def kept(self) -> list[Any]:
        """Return the saved tensors."""
        if self.tensors is not None:
            return self.tensors
        kept = kept_in(self.saved or ())
        return kept if self.inner is None else kept + self.inner.kept()

    def remember(self, remembers: bool) -> None:
        """Let `kept` remember what it returns from now on, or forget it."""
        self.tensors = self.kept() if remembers else None


def fact_of(value: Any) -> Any:
    """Return a saved tensor as a value for comparison; None for constants."""
    if isinstance(value, KeptPart):
        return value.kept, value.outer, value.frame
    if isinstance(value, KeptSeveral):
        return tuple(map(fact_of, value.values))
    return value if isinstance(value, KEPT) else None


def kept_in(values: Any, parts: bool = False) -> list[Any]:
    """Return the saved tensors among saved values; with `parts`, results of writes to views as they are."""
    tensors: list[Any] = []
    for value in values:
        if isinstance(value, KeptSeveral):
            tensors += kept_in(value.values, parts)
        elif isinstance(value, KeptPart) and not parts:
            tensors += [value.kept, KeptArray(value.frame)]
        elif isinstance(value, KEPT):
            tensors.append(value)
    return tensors


class Reading:
    """Reading of the graph of one recording.

    Args:
        recorder: the recording, which has just ended.
        numbers: for each storage among the results (by identity) its number.
    """

    def __init__(self, recorder: Recorder, numbers: dict[int, int]) -> None:
        self.recorder = recorder
        self.numbers = numbers
        self.nodes: list[Node] = []
        self.known: dict[int, int] = {}
        self.steps: list[Step] = []
        self.sources: dict[int, int] = {}
        self.spaces: list[Any] = []
        self.stores: dict[int, int] = {}
        self.storages: list[Storage] = []
        self.ends: dict[tuple[int, int], int] = {}
        self.met: dict[int, tuple[Edge, Target]] = {}
        self.fields: dict[tuple[int, int], dict[str, Any]] = {}
        self.equal: dict[Any, Any] = {}
        for at, (tensor, _) in enumerate(recorder.externals):
            edge = tensor._edge_
            if edge is not None:
                self.ends.setdefault((id(edge.node), edge.nr), at)

    def read(self, roots: list[Edge]) -> list[Target]:
        """Read the graph behind the results; return the ends of their edges.

        Raises:
            Refusal: if a replay cannot build the graph.
        """
        ends = [self.end(root) for root in roots]
        for node in self.nodes:  # which grows
            for edge in edges_of(node):
                self.end(edge)
        for node in self.nodes:
            step = self.step(node)
            step.remember(True)
            self.steps.append(step)
        return ends

    def end(self, edge: Edge) -> Target:
        """Return the end of an edge; new nodes are noted.

        Raises:
            Refusal: if it leads to a graph from outside of the function, or a leaf that the function has created.
        """
        known = self.met.get(id(edge))
        if known is None:
            known = self.met[id(edge)] = edge, self.new_end(edge)  # an identity is in use as long as its edge lives
        return known[1]

    def new_end(self, edge: Edge) -> Target:
        """Run `end` for an edge that has not been met."""
        node = edge.node
        outside = self.ends.get((id(node), edge.nr))
        if isinstance(node, AccumulateGrad):
            outside = self.leaf(node.variable)
        if outside is not None:
            return self.target(OUTSIDE, self.source(outside, edge), edge)
        number = self.known.get(id(node))
        if number is None:
            if node.sequence_number < self.recorder.sequence:
                raise Refusal("a result depends on the history of a tensor that the function does not use itself")
            if node.node_hooks is not None:
                raise Refusal("a tensor inside the function has a hook, or retains its gradient")
            number = self.known[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return self.target(number, edge.nr, edge)

    def leaf(self, leaf: Tensor) -> int:
        """Return the number of a leaf among the external tensors.

        Raises:
            Refusal: if the function has created it.
        """
        if not 0 < abs(leaf._storage_.serial) <= self.recorder.born:
            raise Refusal("a result depends on a leaf that the function itself creates")
        return self.recorder.leaf_of(leaf)

    def target(self, step: int, nr: int, edge: Edge) -> Target:
        """Return an end with the space of its gradient."""
        target = Target(step, nr, self.equal.setdefault(edge.shape, edge.shape), edge.dtype)
        return self.equal.setdefault(target, target)

    def operator(self, node: OpNode) -> dict[str, Any]:
        """Return the fields of the node of a call; nodes of the same kind share them."""
        return self.fields.setdefault((id(node.op), id(node.plan)), {"op": node.op, "plan": node.plan})

    def source(self, external: int, edge: Edge) -> int:
        """Return the number of an external edge."""
        number = self.sources.get(external)
        if number is None:
            number = self.sources[external] = len(self.spaces)
            self.spaces.append(edge.dtype)
        return number

    def step(self, node: Node) -> Step:
        """Return a node as a step.

        Raises:
            Refusal: if it cannot be built anew.
        """
        step = Step(kind_of(node), node, node.sequence_number - self.recorder.sequence)
        step.edges = tuple([None if edge is None else self.end(edge) for edge in node.next_edges])
        if isinstance(node, OpNode):
            step.fields = self.operator(node)
            step.frees = node.plan.frees
            step.saved = self.saved(node.saved)
            if isinstance(node, ViewNode):
                taken = getattr(node, "step", None)  # unset if there are several views
                step.fields = {**step.fields, "step": taken}
                if taken is not None and holds_tensor(taken[1]):
                    raise Refusal("a view is taken by tensors")
        elif isinstance(node, CopySlices):
            if node.levels or node.released:
                raise Refusal("a write to a view within a transform, or one whose graph was freed")
            step.fields = {"strides": node.strides, "recorded": node.recorded, "way": node.view}
            step.inner, step.frees = self.inner(node.inner), True
        elif isinstance(node, FunctionNode):
            self.fill_function(step, node)
        elif isinstance(node, ErrorNode):
            step.fields = {"title": node.title, "text": node.text}
        return step

    def inner(self, node: Node) -> Step:
        """Return the node of a write to a view as a step; its old history is left out unless it is in the graph."""
        if isinstance(node, ViewWrite):
            step = Step(WRITE, node, 0)
            step.inner, step.fields = self.inner(node.inner), {"number": node.number}
            return step
        step = Step(kind_of(node), node, 0)
        ends: list[Target | None] = []
        for edge in node.next_edges:
            known = edge is None or isinstance(edge.node, AccumulateGrad) or id(edge.node) in self.known
            known = known or (id(edge.node), edge.nr) in self.ends
            if known:
                ends.append(None if edge is None else self.end(edge))
            else:
                ends.append(Target(NOWHERE, 0, edge.shape, edge.dtype))
        step.edges = tuple(ends)
        if isinstance(node, FunctionNode):
            self.fill_function(step, node)
        elif isinstance(node, OpNode):
            step.fields, step.saved = self.operator(node), self.saved(node.saved)
        return step

    def fill_function(self, step: Step, node: FunctionNode) -> None:
        """Set the fields of the step of a custom Function.

        Raises:
            Refusal: if it has tensors that it has not saved by `save_for_backward`.
        """
        attributes = dict(vars(node))
        if holds_tensor(tuple(attributes.values())):
            raise Refusal(f"{step.cls.__name__} keeps a tensor as an attribute of ctx, not by save_for_backward")
        step.fields = {name: getattr(node, name) for name in FUNCTION_FIELDS}
        step.fields["attributes"] = attributes
        step.saved, step.frees = self.saved(node.kept_tensors), True

    # ---- saved values ------------------------------------------------------------------------------------------------

    def saved(self, values: Any) -> Any:
        """Return the saved values of a node with registers for arrays; None if they were freed."""
        return None if values is None else tuple(map(self.value, values))

    def value(self, value: Any) -> Any:
        """Return one saved value.

        Raises:
            Refusal: if it was stored by a hook, or its memory is unknown.
        """
        if isinstance(value, Saved):
            return self.tensor(value)
        if isinstance(value, Tensor):
            return KeptArray(self.recorder.known(value._array_))
        if isinstance(value, np.ndarray):
            raise Refusal("an array of the program is saved for the backward pass")
        if isinstance(value, tuple) and any(isinstance(element, (Saved, Tensor)) for element in value):
            return KeptSeveral(tuple(map(self.value, value)))
        return value

    def tensor(self, saved: Saved) -> Any:
        """Return one saved tensor."""
        if type(saved) is SavedInput:
            if saved.leaf is not None:
                target: Target | None = Target(OUTSIDE, self.source_of_leaf(self.leaf(saved.leaf)), None, None)
            else:
                target = None if saved.edge is None else self.end(saved.edge)
                if target is not None and target.step == OUTSIDE:  # a leaf in other calls
                    target = Target(OUTSIDE, target.nr, None, None)
            place = self.storage(saved.storage, saved.version)
            return KeptInput(self.recorder.known(saved.array), *place, target, saved.word)
        if type(saved) is SavedOutput:
            place = self.storage(saved.storage, saved.version)
            return KeptOutput(self.recorder.known(saved.array), *place, saved.nr)
        if type(saved) is SavedPart:
            outer = saved.outer()
            if id(outer) not in self.known:
                raise Refusal("a view was written to whose base has another history by now")
            frame = self.recorder.known(saved.frame)
            return KeptPart(self.tensor(saved.kept), self.known[id(outer)], saved.view, frame)
        raise Refusal("a tensor is saved by a hook (`saved_tensors_hooks`, checkpointing), or is dual")

    def source_of_leaf(self, external: int) -> int:
        """Return the number of the external edge of a saved leaf, which may have no edge in the graph."""
        if external not in self.sources:
            self.sources[external] = len(self.spaces)
            self.spaces.append(self.recorder.externals[external][0]._array_.dtype)
        return self.sources[external]

    def storage(self, storage: Storage, version: int) -> tuple[int, int]:
        """Return the number of a storage, and the number of writes to it since `version`.

        Raises:
            Refusal: if the history of a tensor on it was removed.
        """
        if storage.detached > self.recorder.sequence:
            raise Refusal("`detach_()` removes the history of a tensor that is saved")
        number = self.stores.setdefault(id(storage), len(self.stores))
        if number == len(self.storages):
            self.storages.append(storage)
        return number, storage.version - version

    def places(self) -> tuple[tuple[int, int], ...]:
        """Return for each storage its external tensor, or its number among those of the results; -1 for none."""
        external = [self.recorder.storages.get(id(storage), (None, 0, -1, 0))[2] for storage in self.storages]
        return tuple([(at, self.numbers.get(id(storage), -1)) for at, storage in zip(external, self.storages)])


FUNCTION_FIELDS = (
    *("edge_numbers", "output_spaces", "output_recorded", "kept_given", "needs_input_grad", "materialize_grads"),
    "_materialize_non_diff_grads",
)


def kind_of(node: Node) -> int:
    """Return the kind of a node.

    Raises:
        Refusal: if it is of no kind that can be built anew.
    """
    kinds = (ViewNode, VIEW), (OpNode, CARD), (CopySlices, SLICES), (FunctionNode, FUNCTION), (ErrorNode, ERROR)
    for cls, kind in kinds:
        if isinstance(node, cls):
            return kind
    raise Refusal(f"the history of a result has a node of type {type(node).__name__}")


def edges_of(node: Node) -> list[Edge]:
    """Return the edges of a node, and those of the tensors that it has saved."""
    edges = [edge for edge in node.next_edges if edge is not None]
    if isinstance(node, (OpNode, FunctionNode)):
        values = node.saved if isinstance(node, OpNode) else node.kept_tensors
        for value in values or ():
            for saved in value if isinstance(value, tuple) else (value,):
                if type(saved) is SavedInput and saved.edge is not None:
                    edges.append(saved.edge)
    return edges


def holds_tensor(values: Any) -> bool:
    """Return whether values contain a tensor, also in lists and dictionaries."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, (Tensor, Node)):
            return True
        if isinstance(value, (tuple, list, dict, set)) and holds_tensor(value):
            return True
    return False
