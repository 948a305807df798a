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

if not cython.compiled:  # it is cimported there, and is not a module
    from .. import freeing


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Edge:
    """The destination of a gradient: output number `nr` of `node`, with the shape and NumPy dtype that it must have.

    A recorded tensor holds its edge; all its uses share the edge. A leaf's edge leads to its `AccumulateGrad`, and
    keeps the leaf alive: accumulator and leaf refer to each other by a weak reference.
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
    """The edge of a tensor whose shape was changed with recording off.

    Its gradients have that shape; they are summed to that of the edge, if they can be, for nodes of all kinds.
    """

    __slots__ = ()


@cython.no_gc
@cython.cclass
class Node:
    """A step of the backward pass: computes the gradients of its inputs from those of its outputs.

    The node of a custom Function is its `ctx`: the fields have names that programs are unlikely to use for attributes.

    Attributes:
        next_edges: one entry for each differentiable input; None where nothing flows.
        sequence_number: creation number, counted per thread; the engine runs newer nodes first.
        output_count: the number of outputs of the recorded operation.
        node_hooks: its hooks, or None while there are none.
        node_notes: `facts.Notes`; an `origins.Origin` while there are no others; or None.
        trusted_gradients: only the engine sees the results of `apply` (true for cards, not for a program's functions).
        running_task: its task in a run of the engine, see `task.Tasks` (compiled only).
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
        """Compute the gradients of the inputs, one for each edge (None for zero).

        Args:
            grads: one for each output of the recorded operation; at least one is not None.
        """
        raise NotImplementedError(f"{self.name()} has no apply()")

    def apply_single(self, grad: Any) -> Any:
        """Run `apply` for an operation with one output."""
        return self.apply([grad])

    def consume(self, grad: Any, owned: bool) -> Any:
        """Run `apply_single`; the memory of an `owned` gradient is used by nothing else and may be written to."""
        return self.apply_single(grad)

    def keep(self, leaf: Any) -> None:
        """Own the leaf that an edge to this node keeps alive, if any, since a program holds the node."""

    def show(self, edge: Edge) -> None:
        """Let an edge to this node lead to an ordinary node, if this one stands for several, since a program looks."""

    def release(self) -> None:
        """Free the values that were saved for the backward pass."""

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
        """Indices of `next_edges` that programs do not see: of numbers, for which torch has a form of the operator."""
        return ()

    def name(self) -> str:
        """The name of the operation's backward step, e.g. `MulBackward0`."""
        return type(self).__name__

    def output_origin(self, nr: int) -> tuple[str, int]:
        """The name of the operation that output `nr` comes from, as that of its backward step, and its number there."""
        return type(self).name(self), nr

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the operation, the node that its gradient goes to, and the output number there."""
        functions: list[tuple[Node | None, int]] = []
        edge: Edge
        for edge in self.next_edges:
            functions.append((None, 0) if edge is None else (end_of(edge), edge.nr))
        return facts.without(tuple(functions), type(self).hidden_slots(self))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary that belongs to the node, for programs that walk the graph."""
        return self.own_notes().metadata

    def own_notes(self) -> facts.Notes:
        """Return the notes of this node, created on first use."""
        known = self.node_notes
        if not isinstance(known, facts.Notes):
            notes = facts.Notes(known)
            if self.node_notes is known:  # see `base.meta_of`
                self.node_notes = notes
        return self.node_notes

    @property
    def _input_metadata(self) -> tuple[facts.InputMetadata | None, ...]:
        """Metadata of the gradient of each output; None for an output whose `grad_fn` was never read."""
        spaces = self.own_notes().spaces
        return tuple([facts.InputMetadata(*spaces[nr]) if nr in spaces else None for nr in range(self.output_count)])

    @property
    def requires_grad(self) -> bool:
        """Always True: a node exists only if a gradient is required."""
        return True

    def _sequence_nr(self) -> int:
        return self.sequence_number

    def _set_sequence_nr(self, nr: int) -> None:
        self.sequence_number = nr

    def own_hooks(self) -> NodeHooks:
        """Return the hooks of this node, created on first use."""
        if self.node_hooks is None:
            hooks = NodeHooks()
            if self.node_hooks is None:  # see `base.meta_of`
                self.node_hooks = hooks
        return self.node_hooks

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; it may return other grad_inputs.

        Args:
            fn: function of two tuples of gradients, with None where there is none. It returns a tuple that replaces the
                first one, or None. It should hold neither the node nor a tensor that leads to it: the cycle collector
                does not see nodes, so that a node which keeps itself alive is never freed.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        return self.own_hooks().after.add(fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the node runs; it may return other grad_outputs.

        Args:
            fn: function of a tuple of gradients, one for each output, with None where nothing arrived. It returns a
                tuple that replaces it, or None. See `register_hook` on what it should not hold.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        return self.own_hooks().before.add(fn)

    def _register_hook_dict(self, tensor: Any) -> None:
        """Call the hooks of a tensor with the gradient of the output that the tensor was."""
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
    for length, other in zip(reversed(shape), reversed(larger)):
        if length != other and length != 1:
            return False
    return True


def end_of(edge: Edge) -> Node:
    """Return the node of an edge for a program: it notes the output's shape and dtype, and owns its leaf, if any."""
    edge.node.show(edge)
    node: Node = edge.node
    if edge.leaf is not None:
        node.keep(edge.leaf)
    if edge.shape is not None:
        node.own_notes().spaces[edge.nr] = (edge.shape, edge.dtype)
    return node


def title(node: Node) -> str:
    """Return the name of a node, even of a `ctx` on which a program has assigned another `name`."""
    return type(node).name(node)


def origin_at(edge: Edge) -> tuple[str, int]:
    """Return `output_origin` of the output that an edge leads to, even of a `ctx` with attributes of a program."""
    node: Node = edge.node
    return type(node).output_origin(node, edge.nr)


def new_edge(node: Node, nr: int, shape: tuple[int, ...], dtype: Any) -> Edge:
    """Return a new edge, without the cost of a call of the class."""
    edge: Edge = Edge.__new__(Edge)
    edge.node = node
    edge.nr = nr
    edge.shape = shape
    edge.dtype = dtype
    edge.leaf = None
    return edge


def set_up(node: Node, edges: tuple[Edge | None, ...], sequence: int, outputs: int) -> None:
    """Set the fields of a newly allocated node."""
    node.next_edges = edges
    node.sequence_number = sequence
    node.node_hooks = None
    node.node_notes = None
    node.output_count = outputs
    node.trusted_gradients = False
