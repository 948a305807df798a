"""`torch.fx.Graph`: the operations of a program, in their order."""

from __future__ import annotations

import copy
import importlib
import keyword
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wengert.nn import Module

from .code import CodeGen as CodeGen, PythonCode as PythonCode, Transform
from .names import Namespace, is_magic, plain_name, snake_case
from .node import LEGAL, Argument, Node, Target, map_aggregate, map_arg

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_Namespace = Namespace
EMPTY: Any = object()
"""Marker of a missing default."""


class NodeList:
    """The nodes of a graph, in their order or, `reversed`, from the last one; changes while it is walked are allowed.

    Args:
        graph: the graph.
        direction: `_next` or `_prev`.
    """

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        node = getattr(self.graph._root, self.direction)
        while node is not self.graph._root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> NodeList:
        return NodeList(self.graph, "_prev" if self.direction == "_next" else "_next")


class InsertPoint:
    """Insertion point of a graph; as a context, until its end.

    Args:
        graph: the graph.
        insert: puts a node there.
    """

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        self.graph._insert = self.before


class Graph:
    """The operations of a program: parameters, calls, and a result.

    Args:
        owning_module: the module that has the graph.
        tracer_cls: class of the tracer that created it.
        tracer_extras: arguments to create such a tracer again.
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._len = 0
        self._places: dict[Node, int] | None = None
        self._insert: Callable[[Node], None] = self._root.prepend
        self._graph_namespace = Namespace()
        self._codegen = CodeGen()
        self._owners = 0
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras

    @property
    def owning_module(self) -> GraphModule | None:
        """The module that has the graph."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module: GraphModule | None) -> None:
        self._owning_module = module

    @property
    def nodes(self) -> NodeList:
        """The nodes in order."""
        return NodeList(self)

    def output_node(self) -> Node:
        """Return the last node, which is the output.

        Raises:
            AssertionError: if the last node is not an output.
            StopIteration: if the graph has no nodes.
        """
        node = next(iter(reversed(self.nodes)))
        assert node.op == "output", f"Expected output node, got op={node.op}"
        return node

    def find_nodes(self, *, op: str, target: Target = None, sort: bool = True) -> list[Node]:
        """Return the nodes of a kind, optionally with a given target."""
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def _moved(self) -> None:
        """Invalidate the cached positions of nodes."""
        self._places = None

    def _place(self, node: Node) -> int:
        """Return the position of a node."""
        if self._places is None:
            self._places = {node: place for place, node in enumerate(self.nodes)}
        return self._places[node]

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Create a node at the insertion point.

        Args:
            op: the kind of operation.
            target: the function or name.
            args, kwargs: the arguments.
            name: preferred name of the node; derived from the target if None.
            type_expr: the annotation of its value.

        Raises:
            AssertionError: if `op` is unknown, `args` is not a tuple or `kwargs` not a dict.
        """
        assert op in LEGAL, f"op '{op}' is not in _legal_ops"
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        assert isinstance(args, tuple), f"args must be a tuple, got {type(args)}"
        assert isinstance(kwargs, dict), f"kwargs must be a dict, got {type(kwargs)}"
        name = self._graph_namespace.create_name(self._target_to_str(target) if name is None else name, None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", ()):
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = EMPTY) -> Node:
        """Make a parameter; `*name` and `**name` are those of Python."""
        args = () if default_value is EMPTY else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Make a node for an attribute of the module, which is warned of if it has none of that name."""
        if self.owning_module is not None and not has_path(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: Any = None, kwargs: dict[str, Argument] | None = None, type_expr: Any = None
    ) -> Node:
        """Make a call of a module of the module, which is warned of if it has none of that name."""
        if self.owning_module is not None and not has_path(self.owning_module, module_name):
            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: Any = None, kwargs: dict[str, Argument] | None = None, type_expr: Any = None
    ) -> Node:
        """Make a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: Any = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Make a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Make the result."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda node: node) -> Node:
        """Make a node like one of another graph.

        Args:
            node: the other node.
            arg_transform: function from the nodes among its arguments to those of this graph.
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        node_of_copy = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        node_of_copy.meta = copy.copy(node.meta)
        return node_of_copy

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Make nodes like all those of another graph, but for its result.

        Args:
            g: the other graph.
            val_map: mapping of nodes of the other graph to those of this one; new ones are added.
            return_output_node: whether to return the other graph's output node, too.

        Returns:
            The result of the other graph, in nodes of this one; None if it has no output.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node.

        Raises:
            RuntimeError: if the node still has users.
        """
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", ()):
            hook(to_erase)
        to_erase._unlink()
        to_erase._erased = True
        self._len -= 1
        to_erase._set_arguments(map_arg(to_erase.args, none), map_arg(to_erase.kwargs, none))

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """Put the next nodes before a node; before all others for None."""
        if n is None:
            return self.inserting_after(self._root)
        assert n.graph is self, "Node to insert before is not in graph."
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """Put the next nodes right after a node; after all others for None."""
        if n is None:
            return self.inserting_before(self._root)
        assert n.graph is self, "Node to insert after is not in graph."
        return InsertPoint(self, n.append)

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of a call as the graph has them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The result of the graph as a call returns it."""
        return self._codegen.process_outputs(out)

    def _target_to_str(self, target: Target) -> str:
        """Return the preferred name of a node for its target."""
        name = target if isinstance(target, str) else plain_name(target)
        if isinstance(target, str) and is_magic(name):
            name = name[2:-2]
        return snake_case(name)

    # ---- text and code -----------------------------------------------------------------------------------------------

    def python_code(self, root_module: str, *, verbose: bool = False, **options: Any) -> PythonCode:
        """Generate the code of a function that computes the graph.

        Args:
            root_module: name in the code of the module with attributes and modules, such as `self`.
            verbose: whether comments say where nodes came from.
            options: what torch shows of tensors beside; there is nothing of it here.
        """
        return self._python_code(root_module, Namespace(), verbose=verbose, **options)

    def _python_code(
        self, root_module: str, namespace: Namespace, *, verbose: bool = False, **options: Any
    ) -> PythonCode:
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, verbose=verbose)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let something else make the code."""
        self._codegen = codegen

    @contextmanager
    def _generating(self, before: Transform | None) -> Iterator[None]:
        try:
            yield
        finally:
            self._codegen._body_transformer = before

    def on_generate_code(self, make_transformer: Callable[[Transform | None], Transform]) -> Any:
        """Let a function change the lines of the code.

        Args:
            make_transformer: function from the previous transformer, or None, to the new one.

        Returns:
            A context at whose end it is as it was.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        return self._generating(before)

    def __str__(self) -> str:
        return "graph():" + "".join(f"\n    {line}" for line in map(Node.format_node, self.nodes) if line is not None)

    def print_tabular(self) -> None:
        """Print the nodes as a table; needs the library `tabulate`.

        Raises:
            ImportError: if `tabulate` is not installed.
        """
        try:
            tabulate = importlib.import_module("tabulate").tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run "
                "`pip install tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    # ---- as a whole --------------------------------------------------------------------------------------------------

    def lint(self) -> None:
        """Check that the graph is well-formed.

        Raises:
            RuntimeError: if a node precedes one of its arguments or has one of another graph, two nodes have one name,
                or the module has no such attribute or module.
        """
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            if node.op not in LEGAL or node.op == "root":
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node.all_input_nodes:
                self._check_argument(arg, node, seen)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                check_path(self.owning_module, node)

    def _check_argument(self, arg: Node, node: Node, seen: set[Node]) -> None:
        """Refuse an argument of another graph or of a later node."""
        if arg.graph is not self:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was used as an argument! If "
                "you are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap "
                f"values\n{self}"
            )
        if arg not in seen:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' was used before it has been defined! Please check that Nodes in "
                f"the graph are topologically ordered\n{self}"
            )

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Take out the nodes that nobody uses, but for those with other effects.

        Args:
            is_impure_node: says which nodes stay; `Node.is_impure` for None.

        Returns:
            Whether there were any.
        """
        self.lint()
        before = len(self.nodes)
        for node in reversed(self.nodes):
            impure = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not node.users and not impure:
                self.erase_node(node)
        return len(self.nodes) != before

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        memo = {} if memo is None else memo
        copied = Graph(tracer_cls=self._tracer_cls)
        nodes: dict[Node, Node] = {}
        result = copied.graph_copy(self, nodes, return_output_node=True)
        copied._codegen = copy.deepcopy(self._codegen)
        if result is not None:
            value, old = result
            new = copied.output(value, type_expr=old.type)
            new.meta = copy.copy(old.meta)
            new._rename(old.name)
            nodes[old] = new
        for old, new in nodes.items():
            memo[id(old)] = new
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> Any:
        """Return the nodes as plain values, in which nodes are numbers, without code."""
        return restored, (self._tracer_cls, recorded(self))


_node_list = NodeList
_InsertPoint = InsertPoint
_snake_case = snake_case
_is_magic = is_magic


def none(node: Node) -> None:
    """Return None for a node."""


# ---- paths in a module -----------------------------------------------------------------------------------------------


def has_path(module: Any, path: str) -> bool:
    """Return whether a module has an attribute at a path."""
    for name in path.split("."):
        if not hasattr(module, name):
            return False
        module = getattr(module, name)
    return True


def check_path(root: Any, node: Node) -> None:
    """Refuse a node whose attribute or module does not exist.

    Raises:
        RuntimeError: if the attribute does not exist, or the target of `call_module` is not a module.
    """
    value = root
    names = node.target.split(".")
    for at, name in enumerate(names):
        outer = ".".join(names[:at])
        if not hasattr(value, name):
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {name} of {outer}")
        value = getattr(value, name)
        if node.op == "call_module" and not isinstance(value, Module):
            raise RuntimeError(f"Node {node} target {node.target} {name} of {outer} does not reference an nn.Module")


# ---- graphs as plain values ------------------------------------------------------------------------------------------


class Number:
    """A node, represented by its position in the graph."""

    def __init__(self, place: int) -> None:
        self.place = place


def recorded(graph: Graph) -> list[tuple[Any, ...]]:
    """Return the nodes of a graph, each as kind, name, target, arguments and annotation."""
    places = {node: Number(place) for place, node in enumerate(graph.nodes)}

    def numbered(value: Any) -> Any:
        return map_arg(value, places.__getitem__)

    return [
        (node.op, node.name, node.target, numbered(node.args), numbered(node.kwargs), node.type, saved_meta(node.meta))
        for node in graph.nodes
    ]


def saved_meta(meta: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a node that is saved."""
    return {name: meta[name] for name in ("is_wrapped", "stack_trace") if name in meta}


def restored(tracer_cls: Any, record: list[tuple[Any, ...]]) -> Graph:
    """Return the graph of a record.

    Raises:
        ValueError: if a name in the record is not valid in generated code.
    """
    graph = Graph(tracer_cls=tracer_cls)
    nodes: list[Node] = []

    def node_of(value: Any) -> Any:
        return nodes[value.place] if isinstance(value, Number) else value

    for op, name, target, args, kwargs, kind, meta in record:
        check_names(op, target, kwargs)
        args, kwargs = map_aggregate(args, node_of), map_aggregate(kwargs, node_of)
        node = graph.create_node(op, target, args, dict(kwargs), name, kind)
        node.meta.update(meta)
        nodes.append(node)
    return graph


def check_names(op: str, target: Any, kwargs: dict[str, Any]) -> None:
    """Refuse names of a record that would be more than names in generated code."""
    names = list(kwargs)
    if op == "placeholder":
        names.append(target.removeprefix("*").removeprefix("*"))
    elif op == "call_method":
        names += target.split(".")
    for name in names:
        if not str(name).isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"torch.fx.Graph: {name!r} is not a valid name")
    if op in ("get_attr", "call_module") and not set(target).isdisjoint("\"\\\n'"):
        raise ValueError(f"torch.fx.Graph: {target!r} is not a valid path")
