"""The classes of the nodes that a card records, created with their first node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..operators import sources
from ..operators.declaration import Declaration
from ..recording.recorded import OpNode, node_class
from ..recording.saved_tensor import read_raw
from ..tensor.base import Tensor

INTERNAL = (
    sources.FROM_SHAPE,
    sources.FROM_STRIDES,
    sources.FROM_DTYPE,
    sources.FROM_WANTED,
    sources.FROM_TAIL,
)
"""Kinds of saved values that rules here ask for, and that nodes do not show."""


class NodeClasses:
    """The classes of the nodes of an operator.

    Attributes:
        name: that of the operator.
        node: their names, if not derived from `name`, the class's after a "::"; several if `choose(args)` returns
            which of them a call records.
        view: they are nodes of views.
        saved: the values that rules name, with their source, one of `sources.FROM_*`: shown as `_saved_*`.
        shown: further fields by name, and others than as they are saved: the name of a saved value; "as ...", a reader
            of `saved_fields`, which shows the saved value of that name so; or a function that reads it from a node.
        hides: fields that nodes of some titles do not show, by title.
        classes: the classes created so far, by their place among `titles`.
    """

    def __init__(
        self,
        name: str,
        node: str | tuple[str, ...],
        choose: Callable[[tuple[Any, ...]], int] | None,
        view: bool,
    ) -> None:
        self.name = name
        self.node = node
        self.choose = choose
        self.view = view
        self.saved: dict[str, int] = {}
        self.shown: dict[str, Any] = {}
        self.hides: Any = None
        self.classes: dict[int, type[OpNode]] = {}

    def serve(self, op: Declaration) -> None:
        """Let an operator record nodes of these classes."""
        op.nodes, op.node_class = self, None
        op.choose_node, op.chosen_nodes = self.choose, self.classes

    def of(self, op: Declaration, args: tuple[Any, ...]) -> type[OpNode]:
        """Create the class of the node of one call; an operator with a single class stores it."""
        at = 0 if self.choose is None else self.choose(args)
        cls = self.classes.setdefault(
            at, self._make(self.titles()[at], () if self.choose is None else numbers(op, args))
        )
        if self.choose is None:
            op.node_class = cls
        return cls

    def titles(self) -> tuple[str, ...]:
        """The names of the classes: by default `log_softmax` has nodes of `LogSoftmaxBackward0`."""
        if isinstance(self.node, tuple):
            return self.node
        return (self.node or "".join(part.capitalize() for part in self.name.split("_")) + "Backward0",)

    def in_place(self) -> NodeClasses:
        """The classes of an in-place form with names of its own, as in torch: `TransposeBackward1`, `EluBackward1`."""
        usual = self.titles()
        titles = tuple(f"{title.rstrip('0123456789')}{at + len(usual)}" for at, title in enumerate(usual))
        classes = NodeClasses(self.name, titles, self.choose, self.view)
        classes.saved, classes.shown, classes.hides = self.saved, self.shown, self.hides
        return classes

    def _make(self, title: str, hidden: tuple[int, ...]) -> type[OpNode]:
        cls = node_class(title.rpartition(":")[2], self.view)
        if hidden:
            cls.hidden_slots = lambda node: hidden  # type: ignore[attr-defined]
        if cls.__name__ != title:
            cls.name = lambda node: title  # type: ignore[attr-defined]
        hidden_fields = self.hides.get(title, ()) if self.hides else ()
        for attribute, source in self._fields():
            if attribute in hidden_fields:
                continue
            setattr(cls, f"_saved_{attribute}", field(attribute, source))
            if isinstance(source, str) and self.saved.get(source) in (sources.FROM_INPUT, sources.FROM_OUTPUT):
                setattr(cls, f"_raw_saved_{attribute}", raw_field(source))
        return cls

    def _fields(self) -> Iterator[tuple[str, Any]]:
        """Yield the names of fields of nodes, with their source as in `shown`."""
        for name in self.saved:
            if self.saved[name] not in INTERNAL:
                yield ("result" if name == "out" else name), name
            if name.endswith("_shape"):
                yield name.removesuffix("shape") + "sym_sizes", name
        yield from self.shown.items()


def field(attribute: str, source: Any) -> property:
    """A property of nodes, from a source as in `NodeClasses.shown`."""

    def read(node: OpNode) -> Any:
        # Not when the class is created: a signal handler may come between the lines of a module that is being loaded.
        from .saved_fields import shown

        return shown(node, attribute, source)

    return property(read)


def shape_of_input(node: OpNode, slot: int, at: int | None = None) -> Any:
    """The shape of an input, or a length: the edge to it stores the shape of its gradient, if it has one."""
    edge = node.next_edges[slot]
    if edge is None:
        return None
    return tuple(edge.shape) if at is None else edge.shape[at]


def raw_field(name: str) -> property:
    """A property of nodes: a saved tensor as a `SavedTensor`."""
    return property(lambda node: read_raw(node, name))


def numbers(op: Declaration, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the edges that torch's form for numbers does not have: of operands for which its calls have no tensor.

    A call shows which they are: with a tensor in the place of one of them it would have a node of another class. A
    program's array counts as a number: the same class serves both.
    """
    arguments = [args[at] for at in op.grad_slots] if op.list_slot < 0 else []
    tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
    if not tensors or all(argument is None or isinstance(argument, Tensor) for argument in arguments):
        return ()
    chosen, hidden = op.choose_node(args), []
    for slot, at in enumerate(op.grad_slots):
        if not isinstance(args[at], Tensor) and op.choose_node((*args[:at], tensors[0], *args[at + 1 :])) != chosen:
            hidden.append(slot)
    return tuple(hidden)
