"""The ordinary node of a part of a graph that has a single node: a replay creates it as a recorded call would."""

from __future__ import annotations

from typing import Any

from .. import door
from ..graph.node import Edge, Node, set_up
from ..leaves.accumulate import AccumulateGrad
from ..recording.recorded import OpNode, ViewNode
from ..recording.saved import Saved, SavedInput, SavedOutput
from ..tensor.base import wrap_flagged
from ..tensor.storage import Storage

CONSTANT, ARRAY, INPUT, OUTPUT = range(4)
"""Kinds of saved values: as they are; a tensor without history; an input; an output."""
OLD = 1
"""Serial number of storages of saved arrays: older than any backward pass, which therefore does not write there."""


class Recipe:
    """Record of what a replay needs to create the node of an operator's call.

    Attributes:
        cls, op, plan, outputs: as in `OpNode`.
        step: as in `ViewNode`; None for other operators.
        edges: the numbers of its edges among those of the call, -1 for None.
        offset: its place in the order of creation.
        saved: for each saved value (kind, constant, register, storage, lag, edge or output number, flags).
    """

    cls: Any
    op: Any
    plan: Any
    outputs: int
    step: Any
    edges: tuple[int, ...]
    offset: int
    saved: tuple[Any, ...]

    __slots__ = ("cls", "edges", "offset", "op", "outputs", "plan", "saved", "step")


def ordinary_node(recipe: Recipe, values: list[Any], edges: list[Any], memory: tuple[Any, Any], first: int) -> Node:
    """Return a new node.

    Args:
        values: the registers.
        edges: the edges that the call has so far.
        memory: the storages, None for those that no program can write to, and their versions.
        first: the sequence number of the first node of the call.
    """
    created: Any = door.new(recipe.cls)
    node: OpNode = created
    ends = tuple([None if number < 0 else edges[number] for number in recipe.edges])
    set_up(node, ends, first + recipe.offset, recipe.outputs)
    node.trusted_gradients = True
    node.op = recipe.op
    node.plan = recipe.plan
    if recipe.step is not None:
        set_step(created, recipe.step)
    node.saved = tuple([saved_value(part, values, edges, memory) for part in recipe.saved])
    return node


def set_step(node: ViewNode, step: tuple[Any, ...]) -> None:
    """Set how a view is taken."""
    node.step = step


def saved_value(part: tuple[Any, ...], values: list[Any], edges: list[Any], memory: tuple[Any, Any]) -> Any:
    """Return one saved value."""
    kind: int = part[0]
    if kind == CONSTANT:
        return part[1]
    array: Any = values[part[2]]
    if kind == ARRAY:
        return wrap_flagged(array, 0)
    storage: Storage = memory[0][part[3]]
    version: int = memory[1][part[3]]
    if storage is None:
        storage = old_storage(array)
        storage.version = version
    if kind == INPUT:
        return saved_input(array, storage, version - part[4], None if part[5] < 0 else edges[part[5]], part[6])
    return saved_output(array, storage, version - part[4], part[5])


def saved_input(array: Any, storage: Storage, version: int, edge: Edge | None, word: int) -> Saved:
    """Return a saved input; `edge` leads to its history, or to it if it is a leaf."""
    saved: SavedInput = SavedInput.__new__(SavedInput)
    saved.array = array
    saved.storage = storage
    saved.version = version
    saved.word = word
    saved.leaf = None
    saved.edge = edge
    if edge is not None and isinstance(edge.node, AccumulateGrad):
        saved.leaf = edge.leaf
        saved.edge = None
    return saved


def saved_output(array: Any, storage: Storage, version: int, nr: int) -> Saved:
    """Return a saved output."""
    saved: SavedOutput = SavedOutput.__new__(SavedOutput)
    saved.array = array
    saved.storage = storage
    saved.version = version
    saved.nr = nr
    return saved


def old_storage(array: Any) -> Storage:
    """Return a storage that is older than any backward pass."""
    storage: Storage = Storage(array)
    storage.serial = OLD
    return storage
