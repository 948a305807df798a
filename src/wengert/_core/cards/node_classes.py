"""The classes of the nodes that a card records: made when the first node of theirs is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ..operators import sources
from ..operators.declaration import Declaration
from ..recording.recorded import OpNode, node_class
from ..recording.saved_tensor import NUMBERS, read_operand, read_raw, read_saved
from ..tensor.base import Tensor

WITH_NUMBERS = ("mul", "true_divide")
"""Operators of which torch has no form for a number: it makes a tensor of the number, and saves that."""
OVER_DIMENSIONS = frozenset(
    {"amax", "amin", "logsumexp", "mean", "nansum", "roll", "std", "std_mean", "sum", "var", "var_mean", "vector_norm"}
)
"""Operators whose nodes show the one dimension that they were called with as a tuple."""
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""The numbers by which torch's nodes show how a loss is reduced."""


class NodeClasses:
    """The classes of the nodes of an operator.

    Attributes:
        name: that of the operator.
        node: their names, if not derived from that, the class's behind a "::"; several if `choose(args)` says which of
            them a call records.
        view: they are nodes of views.
        saved: what rules ask for, and where it comes from, one of `sources.FROM_*`: shown as `_saved_*`.
        shown: further names under which some of it is shown.
        made: the classes made so far, by their place among `titles`.
    """

    def __init__(
        self,
        name: str,
        node: str | tuple[str, ...],
        choose: Callable[[tuple[Any, ...]], int] | None,
        *,
        view: bool,
    ) -> None:
        self.name = name
        self.node = node
        self.choose = choose
        self.view = view
        self.saved: dict[str, int] = {}
        self.shown: dict[str, str] = {}
        self.made: dict[int, type[OpNode]] = {}

    def serve(self, op: Declaration) -> None:
        """Let an operator record nodes of these classes."""
        op.nodes, op.node_class = self, None
        op.choose_node, op.chosen_nodes = self.choose, self.made

    def of(self, op: Declaration, args: tuple[Any, ...]) -> type[OpNode]:
        """The class of the node of one call, made now; an operator with a single one keeps it."""
        at = 0 if self.choose is None else self.choose(args)
        cls = self.made.setdefault(at, self._make(self.titles()[at], () if self.choose is None else numbers(op, args)))
        if self.choose is None:
            op.node_class = cls
        return cls

    def titles(self) -> tuple[str, ...]:
        """The names of the classes: `log_softmax` has nodes of `LogSoftmaxBackward0` unless it says otherwise."""
        if isinstance(self.node, tuple):
            return self.node
        return (self.node or "".join(part.capitalize() for part in self.name.split("_")) + "Backward0",)

    def in_place(self) -> NodeClasses:
        """Those of an in-place form that has names of its own, as torch's: `TransposeBackward1`, `EluBackward1`."""
        own = self.titles()
        titles = tuple(f"{title.rstrip('0123456789')}{at + len(own)}" for at, title in enumerate(own))
        found = NodeClasses(self.name, titles, self.choose, view=self.view)
        found.saved, found.shown = self.saved, self.shown
        return found

    def _make(self, title: str, hidden: tuple[int, ...]) -> type[OpNode]:
        cls = node_class(title.rpartition(":")[2], self.view)
        if hidden:
            cls.hidden_slots = lambda node: hidden  # type: ignore[attr-defined]
        if cls.__name__ != title:
            cls.name = lambda node: title  # type: ignore[attr-defined]
        for attribute, name in self._attributes():
            setattr(cls, f"_saved_{attribute}", property(reader(self._read(attribute, name), name)))
            if self.saved[name] in (sources.FROM_INPUT, sources.FROM_OUTPUT):
                setattr(cls, f"_raw_saved_{attribute}", property(reader(read_raw, name)))
        return cls

    def _read(self, attribute: str, name: str) -> Callable[[OpNode, str], Any]:
        """What reads a saved value as torch shows it."""
        if attribute.endswith("_sym_numel"):
            return read_length
        if name == "reduction":
            return read_reduction
        if name in ("dim", "shifts") and self.name in OVER_DIMENSIONS:
            return read_dimensions
        return read_operand if name == "other" and self.name in WITH_NUMBERS else read_saved

    def _attributes(self) -> Iterator[tuple[str, str]]:
        for name in self.saved:
            yield ("result" if name == "out" else name), name
            if name.endswith("_shape"):
                yield name.removesuffix("shape") + "sym_sizes", name
                if self.name == "mean":
                    yield name.removesuffix("shape") + "sym_numel", name
        yield from self.shown.items()


def numbers(op: Declaration, args: tuple[Any, ...]) -> tuple[int, ...]:
    """The edges of a node of torch's form for numbers: those of what is no tensor, if there is a number among it."""
    if op.list_slot >= 0 or not any(type(args[at]) in NUMBERS for at in op.grad_slots):
        return ()
    return tuple([slot for slot, at in enumerate(op.grad_slots) if not isinstance(args[at], Tensor)])


def read_length(node: OpNode, name: str) -> Any:
    """How many elements a tensor of a saved shape has."""
    return math.prod(read_saved(node, name))


def read_dimensions(node: OpNode, name: str) -> Any:
    """Saved dimensions, a single one as a tuple."""
    found = read_saved(node, name)
    return (found,) if isinstance(found, int) else found


def read_reduction(node: OpNode, name: str) -> Any:
    """How a loss is reduced, as a number."""
    return REDUCTIONS.get(read_saved(node, name))


def reader(read: Callable[[OpNode, str], Any], name: str) -> Callable[[OpNode], Any]:
    """What a property of a node calls to read the saved value of that name."""
    return lambda node: read(node, name)
