"""Nodes and edges of the graph that recording builds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from .hooks import NodeHooks, RemovableHandle


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class Edge:
    """Where a gradient goes: output number `nr` of `node`, and the space it must lie in (shape and NumPy dtype).

    A tensor that was recorded holds its edge; all its uses share it. A leaf's edge leads to its `AccumulateGrad`.
    """

    node: Node
    nr: int
    shape: tuple[Any, ...]
    dtype: Any

    __slots__ = ("dtype", "node", "nr", "shape")

    def __init__(self, node: Node, nr: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.node = node
        self.nr = nr
        self.shape = shape
        self.dtype = dtype


@cython.no_gc
@cython.cclass
class Node:
    """One step of the backward pass: takes the gradients of its outputs, gives those of its inputs.

    Attributes:
        edges: one entry for each differentiable input; None where nothing flows.
        sequence: when it was made, counted per thread; the engine runs newer nodes first.
        outputs: how many outputs the recorded operation had.
        hooks: its hooks, or None while nobody has asked for any.
        notes: the dictionary behind `metadata`, or None.
        trusted: gradients that `apply` makes are seen by nobody else (true of cards, not of a program's own functions).
    """

    edges: tuple[Any, ...]
    sequence: int
    outputs: int
    hooks: Any
    notes: Any
    trusted: bool

    __slots__ = ("__weakref__", "edges", "hooks", "notes", "outputs", "sequence", "trusted")

    def apply(self, grads: list[Any]) -> Any:
        """The gradients of the inputs, one for each edge (None for nothing).

        Args:
            grads: one for each output of the recorded operation; at least one is not None.
        """
        raise NotImplementedError(f"{self.name()} has no apply()")

    def apply_single(self, grad: Any) -> Any:
        """`apply` for an operation with one output."""
        return self.apply([grad])

    def release(self) -> None:
        """Drop what was saved for the backward pass."""

    def allows_larger(self) -> bool:
        """Whether `apply` may return gradients that still have to be summed to the shape of their input."""
        return False

    def records(self, nr: int) -> bool:
        """Whether output `nr` has a place in the graph: not every output has a derivative."""
        return True

    def name(self) -> str:
        """The name of the operation's backward step, e.g. `MulBackward0`."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the operation: the node that its gradient goes to, and which of that node's outputs."""
        found: list[tuple[Node | None, int]] = []
        for edge in self.edges:
            found.append((None, 0) if edge is None else (edge.node, edge.nr))
        return tuple(found)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary that belongs to the node, for whoever walks the graph."""
        if self.notes is None:
            self.notes = {}
        return self.notes

    @property
    def requires_grad(self) -> bool:
        """Always true: a node exists only where a gradient is wanted."""
        return True

    def _sequence_nr(self) -> int:
        return self.sequence

    def _set_sequence_nr(self, nr: int) -> None:
        self.sequence = nr

    def own_hooks(self) -> NodeHooks:
        """The hooks of this node, made on first use."""
        if self.hooks is None:
            self.hooks = NodeHooks()
        return self.hooks

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; it may return other grad_inputs."""
        return self.own_hooks().after.add(fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the node runs; it may return other grad_outputs."""
        return self.own_hooks().before.add(fn)

    def __call__(self, *grads: Any) -> Any:
        result = tuple(self.apply(list(grads)))
        return result[0] if len(result) == 1 else result

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def new_edge(node: Node, nr: int, shape: tuple[int, ...], dtype: Any) -> Edge:
    """An edge, made without the cost of a call of the class."""
    edge: Edge = Edge.__new__(Edge)
    edge.node = node
    edge.nr = nr
    edge.shape = shape
    edge.dtype = dtype
    return edge


def set_up(node: Node, edges: tuple[Edge | None, ...], sequence: int, outputs: int) -> None:
    """Give a newly allocated node its fields."""
    node.edges = edges
    node.sequence = sequence
    node.hooks = None
    node.notes = None
    node.outputs = outputs
    node.trusted = False
