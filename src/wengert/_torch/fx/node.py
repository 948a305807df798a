"""`torch.fx.node`: one operation of a graph, with its arguments and those who use its value."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from .immutable_collections import immutable_dict, immutable_list
from .names import PACKAGE, qualified_name, type_repr

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Any
BaseArgumentTypes = Any
Function = TypeVar("Function", bound=Callable[..., Any])

LEGAL = {
    "placeholder": "a parameter",
    "call_method": "a method",
    "call_module": "a module",
    "call_function": "a function",
    "get_attr": "an attribute",
    "output": "the result",
    "root": "the end of the list",
}
"""The kinds of nodes, and their meanings."""
RANDOM = frozenset(
    """
    bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions that advance the random generator."""
SIDE_EFFECTS: set[Any] = {operator.setitem}
"""Functions whose calls stay although their value is not used."""

_get_qualified_name = qualified_name
_type_repr = type_repr


def has_side_effect(fn: Function) -> Function:
    """Let calls of a function stay although nobody uses their value."""
    SIDE_EFFECTS.add(fn)
    return fn


class Node:
    """One operation of a graph.

    Args:
        graph: the graph it is part of.
        name: of its value, unique in the graph.
        op: the kind of operation, one of `placeholder`, `get_attr`, `call_function`, `call_module`, `call_method`,
            `output`.
        target: the function, or the name of the parameter, attribute, module or method.
        args, kwargs: the arguments, with nodes in place of their values.
        return_type: the annotation of the value.

    Raises:
        ValueError: if the target is not a function for `call_function`, or no name for the other kinds.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        assert op in LEGAL
        if op == "call_function":
            if not callable(target):
                raise ValueError(f"{wrong_target(graph, name, target)} but a Callable is expected")
        elif not isinstance(target, str):
            raise ValueError(f"{wrong_target(graph, name, target)} but a str is expected")
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self._args: tuple[Argument, ...] = ()
        self._kwargs: immutable_dict[str, Argument] = immutable_dict()
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._erased = False
        self._prev = self._next = self
        self._repr_fn: Callable[[Node], str] | None = None
        self._set_arguments(args, kwargs)

    # ---- its place in the graph --------------------------------------------------------------------------------------

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node of the same graph before this one."""
        assert self.graph is x.graph, "Attempting to move a Node into a different Graph"
        if self is x:
            return
        x._unlink()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x
        self.graph._moved()

    def append(self, x: Node) -> None:
        """Move a node of the same graph after this one."""
        self._next.prepend(x)

    def _unlink(self) -> None:
        """Take the node out of the list of its graph."""
        self._prev._next, self._next._prev = self._next, self._prev
        self.graph._moved()

    def __lt__(self, other: Node) -> bool:
        return self.graph._place(self) < other.graph._place(other)

    def __gt__(self, other: Node) -> bool:
        return other < self

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or other < self

    # ---- arguments ---------------------------------------------------------------------------------------------------

    @property
    def args(self) -> tuple[Argument, ...]:
        """The arguments by position; assigned to change them."""
        return self._args

    @args.setter
    def args(self, args: tuple[Argument, ...]) -> None:
        self._set_arguments(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The arguments by name; assigned to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Argument]) -> None:
        self._set_arguments(self._args, kwargs)

    def _set_arguments(self, args: Any, kwargs: Any) -> None:
        """Replace the arguments, and update the users of nodes."""
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._input_nodes = {}

        def note(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(tuple(args), note), map_arg(dict(kwargs), note)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Put another argument at a position."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Put an argument before that of a position."""
        assert 0 <= idx <= len(self._args), "insert_args index must be between 0 and len(self.args)"
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Put another argument under a name."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Replace one node by another among the arguments."""

        def replaced(node: Node) -> Node:
            return new_input if node is old_input else node

        self._replaced(old_input, new_input)
        self._set_arguments(map_arg(self._args, replaced), map_arg(self._kwargs, replaced))

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Replace this node by another one in the arguments of all its users.

        Args:
            replace_with: the other node.
            delete_user_cb: says of a user whether it is to change.
            propagate_meta: whether the other node takes over `meta`, where it has none.

        Returns:
            The users that changed.
        """
        if propagate_meta:
            assert not replace_with.meta, (
                "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has "
                ".meta keys"
            )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def _replaced(self, old: Node, new: Node) -> None:
        """Call the hooks of the module of this graph for a change of an argument."""
        for hook in getattr(self.graph.owning_module, "_replace_hooks", ()):
            hook(old=old, new=new.name, user=self)

    # ---- what it does ------------------------------------------------------------------------------------------------

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether the node must stay although its value is not used.

        Args:
            impure_random: whether functions that advance the random generator count.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in SIDE_EFFECTS or self.target is getattr(sys.modules[PACKAGE], "_assert", None):
                return True
            in_package = str(getattr(self.target, "__module__", "")).startswith(PACKAGE)
            return impure_random and in_package and getattr(self.target, "__name__", "") in RANDOM
        if self.op == "call_module":
            module = self.graph.owning_module
            assert module is not None, "self.graph.owning_module not set for purity check"
            return bool(getattr(module.get_submodule(self.target), "is_impure", False))
        return False

    @property
    def stack_trace(self) -> str | None:
        """The line of the program that created the node, if it was recorded."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def _rename(self, candidate: str) -> None:
        """Rename the node to a name like the given one."""
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace.rename_object(self, self.name)

    # ---- text --------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return self.name if self._repr_fn is None else self._repr_fn(self)

    def _pretty_print_target(self, target: Any) -> str:
        """A target as the text of the graph has it."""
        if isinstance(target, str):
            return target
        module = getattr(target, "__module__", None)
        if module in ("builtins", "_operator"):
            return f"{module.lstrip('_')}.{target.__name__}"
        return qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node as a line of the text of the graph; None for an attribute that no graph shows."""
        start = f"%{self.name} : "
        kind = "" if self.type is None else f"{type_repr(self.type)} "
        middle = (
            f"{start}{kind}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
        )
        if self.op == "placeholder":
            return f"{middle}(default={self.args[0]})" if self.args else middle
        if self.op == "get_attr":
            return middle
        if self.op == "output":
            return f"return {self.args[0]}"
        return f"{middle}(args = {format_arg(self.args)}, kwargs = {format_arg(self.kwargs)})"

    def normalized_arguments(self, root: Any, *args: Any, **kwargs: Any) -> None:
        """Return None: there are no schemas to normalise arguments."""


def wrong_target(graph: Any, name: str, target: Any) -> str:
    """Return the start of the message about a node with a wrong target."""
    kind = type(target)
    shown = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"Node [graph = {graph}, name = '{name}'] target {target} has type {shown}"


def format_arg(arg: Any) -> str:
    """An argument as the text of a graph has it."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return str(arg._custom_fx_repr_fn())
    if isinstance(arg, list):
        return f"[{', '.join(map(format_arg, arg))}]"
    if isinstance(arg, tuple):
        inside = ", ".join(map(format_arg, arg))
        return f"({inside},)" if len(arg) == 1 else f"({inside})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {format_arg(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


# ---- arguments, walked through ---------------------------------------------------------------------------------------


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Replace each node in arguments by the result of a function.

    Raises:
        AssertionError: if `fn` cannot be called.
    """
    assert callable(fn), "torch.fx.map_arg(a, fn): fn must be a callable"
    return map_aggregate(a, lambda value: fn(value) if isinstance(value, Node) else value)


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Replace each value in arguments other than a tuple, list, dict or slice by the result of a function."""
    if isinstance(a, tuple):
        values = [map_aggregate(value, fn) for value in a]
        return type(a)(*values) if hasattr(a, "_fields") else tuple(values)
    if isinstance(a, list):
        return immutable_list([map_aggregate(value, fn) for value in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(*(map_aggregate(value, fn) for value in (a.start, a.stop, a.step)))
    return fn(a)


def nodes_in(arguments: Iterable[Any]) -> list[Node]:
    """The nodes among arguments, each once, in their order."""
    nodes: dict[Node, None] = {}

    def note(node: Node) -> Node:
        nodes.setdefault(node)
        return node

    map_arg(list(arguments), note)
    return list(nodes)
