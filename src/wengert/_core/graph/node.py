"""Nodes and edges of the graph that recording builds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import errors
from . import facts
from .hooks import HookDict, NodeHooks, RemovableHandle

if not cython.compiled:  # there it is cimported, and no module
    from .. import freeing


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Edge:
    """Where a gradient goes: output number `nr` of `node`, and the space it must lie in (shape and NumPy dtype).

    A tensor that was recorded holds its edge; all its uses share it. A leaf's edge leads to its `AccumulateGrad`, and
    keeps the leaf alive: the two know each other by a weak reference.
    """

    node: Node
    nr: int
    shape: tuple[Any, ...]
    dtype: Any
    leaf: Any

    __slots__ = ("dtype", "leaf", "node", "nr", "shape")
    __reduce__ = errors.refuse_pickling

    def __init__(self, node: Node, nr: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.node = node
        self.nr = nr
        self.shape = shape
        self.dtype = dtype
        self.leaf = None


freeing.shallowly(Edge)


@cython.no_gc
@cython.cclass
class WideEdge(Edge):
    """The edge of a tensor that was given another shape with recording off.

    Its gradients have that shape; they are summed to that of the edge, if they can be, whatever node they come from.
    """

    __slots__ = ()


@cython.no_gc
@cython.cclass
class Node:
    """One step of the backward pass: takes the gradients of its outputs, gives those of its inputs.

    The node of a custom Function is its `ctx`: the fields have names that programs hardly choose for attributes.

    Attributes:
        next_edges: one entry for each differentiable input; None where nothing flows.
        sequence_number: when it was made, counted per thread; the engine runs newer nodes first.
        output_count: how many outputs the recorded operation had.
        node_hooks: its hooks, or None while nobody has asked for any.
        node_notes: `facts.Notes`; an `origins.Origin` while there are no others; or None.
        trusted_gradients: what `apply` makes is seen by nobody else (true of cards, not of a program's own functions).
        running_task: what a run of the engine knows of it, see `task.Tasks` (compiled only).
    """

    next_edges: tuple[Any, ...]
    sequence_number: int
    output_count: int
    node_hooks: Any
    node_notes: Any
    trusted_gradients: bool
    running_task: Any

    __slots__ = (
        "__weakref__",
        "next_edges",
        "node_hooks",
        "node_notes",
        "output_count",
        "sequence_number",
        "trusted_gradients",
    )
    __reduce__ = errors.refuse_pickling

    def apply(self, grads: list[Any]) -> Any:
        """The gradients of the inputs, one for each edge (None for nothing).

        Args:
            grads: one for each output of the recorded operation; at least one is not None.
        """
        raise NotImplementedError(f"{self.name()} has no apply()")

    def apply_single(self, grad: Any) -> Any:
        """`apply` for an operation with one output."""
        return self.apply([grad])

    def consume(self, grad: Any, owned: bool) -> Any:
        """`apply_single`; the memory of a gradient that is `owned` is seen by nobody else and may be written to."""
        return self.apply_single(grad)

    def keep(self, leaf: Any) -> None:
        """Own the leaf that an edge to here keeps, if it does: a program holds the node."""

    def release(self) -> None:
        """Drop what was saved for the backward pass."""

    def allows_larger(self) -> bool:
        """Return whether `apply` may return gradients that still have to be summed to the shape of their input."""
        return False

    def records(self, nr: int) -> bool:
        """Return whether output `nr` has a place in the graph: not every output has a derivative."""
        return True

    def takes_nothing(self) -> bool:
        """Return whether the engine runs the node even if no gradient has arrived at any output."""
        return False

    def hidden_slots(self) -> tuple[int, ...]:
        """Which of `next_edges` programs do not see: a number stands there, and torch has a form of its own for it."""
        return ()

    def name(self) -> str:
        """The name of the operation's backward step, e.g. `MulBackward0`."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the operation: the node that its gradient goes to, and which of that node's outputs."""
        found: list[tuple[Node | None, int]] = []
        edge: Edge
        for edge in self.next_edges:
            found.append((None, 0) if edge is None else (end_of(edge), edge.nr))
        return facts.without(tuple(found), type(self).hidden_slots(self))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary that belongs to the node, for whoever walks the graph."""
        return self.own_notes().metadata

    def own_notes(self) -> facts.Notes:
        """The notes of this node, made on first use."""
        known = self.node_notes
        if not isinstance(known, facts.Notes):
            made = facts.Notes(known)
            if self.node_notes is known:  # see `base.meta_of`
                self.node_notes = made
        return self.node_notes

    @property
    def _input_metadata(self) -> tuple[facts.InputMetadata | None, ...]:
        """For each output of the operation what its gradient must be; None where no tensor was asked for its node."""
        spaces = self.own_notes().spaces
        return tuple([facts.InputMetadata(*spaces[nr]) if nr in spaces else None for nr in range(self.output_count)])

    @property
    def requires_grad(self) -> bool:
        """Always true: a node exists only where a gradient is wanted."""
        return True

    def _sequence_nr(self) -> int:
        return self.sequence_number

    def _set_sequence_nr(self, nr: int) -> None:
        self.sequence_number = nr

    def own_hooks(self) -> NodeHooks:
        """The hooks of this node, made on first use."""
        if self.node_hooks is None:
            made = NodeHooks()
            if self.node_hooks is None:  # see `base.meta_of`
                self.node_hooks = made
        return self.node_hooks

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; it may return other grad_inputs.

        Args:
            fn: given two tuples of gradients, with None where there is none; returns a tuple in the place of the first
                one, or None. It should hold neither the node nor a tensor that leads to it: nodes are invisible to the
                cycle collector, so that one which keeps itself alive is never freed.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        return self.own_hooks().after.add(fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the node runs; it may return other grad_outputs.

        Args:
            fn: given a tuple of gradients, one for each output, with None where nothing arrived; returns a tuple in its
                place, or None. See `register_hook` on what it should not hold.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        return self.own_hooks().before.add(fn)

    def _register_hook_dict(self, tensor: Any) -> None:
        """Let the hooks of a tensor be called with the gradient of the output that the tensor was."""
        if not hasattr(type(tensor), "_array_"):
            raise TypeError("_register_hook_dict expected a variable")
        if tensor._backward_hooks:
            self.own_hooks().tensor.setdefault(tensor.output_nr, HookDict()).update(tensor._backward_hooks)

    def __call__(self, *grads: Any) -> Any:
        facts.check_arguments(grads, self.output_count)
        result: Any = (None,) * len(self.next_edges)
        if grads.count(None) < len(grads):
            result = tuple(self.apply(list(grads)))
        result = facts.without(result, type(self).hidden_slots(self))
        return result[0] if len(result) == 1 else result

    def __dir__(self) -> list[str]:
        return facts.visible(type(self), object.__dir__(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def expandable(shape: tuple[int, ...], larger: tuple[int, ...]) -> bool:
    """Return whether `shape` broadcasts to `larger`."""
    if len(shape) > len(larger):
        return False
    for own, other in zip(reversed(shape), reversed(larger)):
        if own != other and own != 1:
            return False
    return True


def end_of(edge: Edge) -> Node:
    """The node that an edge leads to, for a program: it is told of its output, and owns the leaf that it leads to."""
    node: Node = edge.node
    if edge.leaf is not None:
        node.keep(edge.leaf)
    if edge.shape is not None:
        node.own_notes().spaces[edge.nr] = (edge.shape, edge.dtype)
    return node


def title(node: Node) -> str:
    """The name of a node, even of a `ctx` on which a program has put another `name`."""
    return type(node).name(node)


def new_edge(node: Node, nr: int, shape: tuple[int, ...], dtype: Any) -> Edge:
    """An edge, made without the cost of a call of the class."""
    edge: Edge = Edge.__new__(Edge)
    edge.node = node
    edge.nr = nr
    edge.shape = shape
    edge.dtype = dtype
    edge.leaf = None
    return edge


def set_up(node: Node, edges: tuple[Edge | None, ...], sequence: int, outputs: int) -> None:
    """Give a newly allocated node its fields."""
    node.next_edges = edges
    node.sequence_number = sequence
    node.node_hooks = None
    node.node_notes = None
    node.output_count = outputs
    node.trusted_gradients = False
