"""The Python code of a graph: one line for each node, with the names of functions that are not torch's as globals."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .names import Namespace, customs, is_own, qualified_name, resolve, type_repr
from .node import Node, nodes_in

if TYPE_CHECKING:
    from .graph import NodeList

Lines = list[str]
Transform = Callable[[Lines], Lines]

BINARY = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
    "add": "+",
    "mul": "*",
    "sub": "-",
    "floordiv": "//",
    "truediv": "/",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lshift": "<<",
    "rshift": ">>",
    "and_": "&",
    "or_": "|",
    "xor": "^",
}
"""Functions of `operator` that are written between their operands."""
UNARY = {"pos": "+", "neg": "-", "invert": "~"}
FORMS = {
    **{name: f"{{}} {sign} {{}}" for name, sign in BINARY.items()},
    **{name: f"{sign}{{}}" for name, sign in UNARY.items()},
    "getitem": "{}[{}]",
}
"""Templates of calls of functions of `operator`."""
IN_PLACE = {
    f"i{name.rstrip('_')}": f"{{}} {sign}= {{}}"
    for name, sign in BINARY.items()
    if name not in ("eq", "ne", "lt", "gt", "le", "ge")
}
IN_PLACE["setitem"] = "{}[{}] = {}"
"""Templates of functions that write to their first operand."""


@dataclass
class PythonCode:
    """Code of a graph with its global names.

    Args:
        src: the code, the definition of a function `forward`.
        globals: values of its global names.
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


class CodeGen:
    """Generator of the code of a graph; subclasses change the definition of the function and its result."""

    _func_name = "forward"

    def __init__(self) -> None:
        self._body_transformer: Transform | None = None

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The first line of the function.

        Args:
            free_vars: its parameters, with their annotations and defaults.
            maybe_return_annotation: text between the parameters and the colon.
        """
        parameters = free_vars if free_vars[:1] == ["self"] else ["self", *free_vars]
        return f"def {self._func_name}({', '.join(parameters)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any) -> str:
        """The line that returns the result."""
        return f"return {output_args!r}"

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of a call as the graph has them."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The result of the graph as a call returns it."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Global names of the code beside those of functions."""
        return []

    def _gen_python_code(
        self, nodes: NodeList, root_module: str, namespace: Namespace, *, verbose: bool = False
    ) -> PythonCode:
        """The code of nodes."""
        return Writer(self, nodes, root_module, namespace, verbose=verbose).code()


class Writer:
    """Writes the code of a graph.

    Args:
        codegen: makes the frame of the function.
        nodes: those of the graph.
        root_module: name in the code of the module with attributes and modules.
        namespace: the names that are taken.
        verbose: whether comments say where the nodes came from.
    """

    def __init__(
        self, codegen: CodeGen, nodes: NodeList, root_module: str, namespace: Namespace, *, verbose: bool
    ) -> None:
        self.codegen, self.nodes, self.root, self.namespace = codegen, nodes, root_module, namespace
        self.verbose = verbose
        self.globals: dict[str, Any] = {}
        self.parameters: list[str] = []
        self.body: Lines = []
        self.wrapped: dict[str, None] = {}
        self.returns = ""
        self.noted = ""
        self.writes = {
            "placeholder": self.placeholder,
            "call_method": self.call_method,
            "call_function": self.call_function,
            "call_module": self.call_module,
            "get_attr": self.get_attr,
            "output": self.output,
        }

    def code(self) -> PythonCode:
        """The code of all nodes."""
        for name, custom in customs().items():
            self.globals[self.namespace.create_name(name, custom.obj)] = custom.obj
        for name, value in self.codegen.additional_globals():
            self.add_global(name, value)
        dying = last_uses(self.nodes)
        for node in self.nodes:
            if self.verbose:
                self.comment(node)
            self.writes[node.op](node)
            self.release(node, dying.get(node, []))
        lines = self.body or ["pass\n"]
        if self.codegen._body_transformer is not None:
            lines = self.codegen._body_transformer(lines)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped)
        text = "".join(lines).lstrip("\n")
        indented = "\n".join(f"    {line}" if line or not self.verbose else line for line in text.split("\n"))
        first = self.codegen.gen_fn_def(self.parameters, self.returns)
        return PythonCode(f"\n{wraps}\n\n{first}\n{indented}", self.globals)

    # ---- names and values --------------------------------------------------------------------------------------------

    def add_global(self, hint: str, value: Any) -> str:
        """The global name of a value."""
        if is_own(value) and value is not customs()["device"].obj:
            path = qualified_name(value)
            if path.startswith("torch.") and resolve(path) is not None:
                return path
        name = self.namespace.create_name(hint, value)
        self.globals[name] = value
        return name

    def name(self, node: Node) -> str:
        """The name of a node's value."""
        return self.namespace.create_name(node.name, node)

    def annotation(self, node: Node) -> str:
        """The annotation of a node's value."""
        return "" if node.type is None else f" : {self.type_name(node.type)}"

    def type_name(self, kind: Any) -> str:
        """A type, with its parts, as global names."""
        origin = typing.get_origin(kind)
        if origin is None:
            return self.add_global(type_repr(kind), kind)
        if origin is typing.Union or origin is getattr(types, "UnionType", None):
            origin = typing.Union
        elif isinstance(kind, typing._GenericAlias):  # type: ignore[attr-defined]
            origin = getattr(typing, kind._name or "", origin)
        parts = [self.type_name(part) for part in typing.get_args(kind)]
        name = self.add_global(type_repr(origin), origin)
        return f"{name}[{','.join(parts)}]" if parts else name

    def value(self, arg: Any) -> str:
        """An argument as code."""
        if isinstance(arg, Node):
            return self.name(arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            return f"{self.add_global(qualified_name(type(arg)), type(arg))}({', '.join(map(self.value, arg))})"
        if isinstance(arg, tuple):
            inside = ", ".join(map(self.value, arg))
            return f"({inside},)" if len(arg) == 1 else f"({inside})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.value, arg))}]"
        if isinstance(arg, dict):
            return f"{{{', '.join(f'{key!r}: {self.value(part)}' for key, part in arg.items())}}}"
        if isinstance(arg, slice):
            return f"slice({', '.join(self.value(part) for part in (arg.start, arg.stop, arg.step))})"
        if isinstance(arg, enum.Enum):
            return f"{self.add_global(qualified_name(type(arg)), type(arg))}.{arg.name}"
        if isinstance(arg, type) or (callable(arg) and hasattr(arg, "__name__")):
            return self.add_global(qualified_name(arg), arg)
        return repr(arg)

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> str:
        """All arguments of a call as code."""
        return ", ".join([*map(self.value, args), *(f"{name} = {self.value(arg)}" for name, arg in kwargs.items())])

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def comment(self, node: Node) -> None:
        """Say where nodes came from, before the first of those from one place."""
        if node.op in ("placeholder", "output"):
            return
        place = node.stack_trace or "none"
        if place != self.noted:
            self.noted = place
            last = "No stacktrace found for following nodes" if place == "none" else place.strip().splitlines()[-1]
            self.body.append(f"\n# {last}\n")

    def placeholder(self, node: Node) -> None:
        """Add a parameter, and its value under the name of the node."""
        assert isinstance(node.target, str)
        default = f" = {self.value(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{self.annotation(node)}{default}")
        raw = node.target.replace("*", "")
        if raw != self.name(node):
            self.body.append(f"{self.name(node)} = {raw}\n")

    def assign(self, node: Node, text: str) -> None:
        """Add a line that assigns a node's value to its name."""
        self.body.append(f"{self.name(node)}{self.annotation(node)} = {text}")

    def call_method(self, node: Node) -> None:
        """Add a call of a method."""
        method = format_target(self.value(node.args[0]), node.target)
        self.assign(node, f"{method}({self.arguments(node.args[1:], node.kwargs)})")

    def call_function(self, node: Node) -> None:
        """Add a call of a function, or an equivalent expression."""
        function = node.target
        name = getattr(function, "__name__", "")
        if getattr(function, "__module__", None) == "_operator":
            if name in FORMS and isinstance(node.args, tuple):
                return self.assign(node, FORMS[name].format(*map(self.value, node.args)))
            if name in IN_PLACE:
                self.body.append(f"{IN_PLACE[name].format(*map(self.value, node.args))};  ")
                return self.assign(node, self.value(node.args[0]))
        called = self.add_global(qualified_name(function), function)
        if called == "getattr" and len(node.args) == 2 and not node.kwargs and is_identifier(node.args[1]):
            return self.assign(node, format_target(self.value(node.args[0]), node.args[1]))
        self.assign(node, f"{called}({self.arguments(node.args, node.kwargs)})")
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(called)
        return None

    def call_module(self, node: Node) -> None:
        """Add a call of a module."""
        self.assign(node, f"{format_target(self.root, node.target)}({self.arguments(node.args, node.kwargs)})")

    def get_attr(self, node: Node) -> None:
        """Add an attribute."""
        self.assign(node, format_target(self.root, node.target))

    def output(self, node: Node) -> None:
        """Add the line that returns the result."""
        if node.type is not None:
            self.returns = f" -> {self.type_name(node.type)}"
        self.body.append(self.codegen.generate_output(Shown(self.value(node.args[0]))))

    def release(self, node: Node, dying: list[Node]) -> None:
        """End a node's line; names whose values are not used any more become None."""
        if node.op == "placeholder":
            return
        names = [] if node.op == "output" else [self.name(node_to_release) for node_to_release in dying]
        self.body.append(f";  {' = '.join([*names, 'None'])}\n" if names else "\n")


class Shown:
    """Code that `repr` returns unchanged."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def is_identifier(value: Any) -> bool:
    """Return whether a value is the name of an attribute."""
    return isinstance(value, str) and value.isidentifier()


def format_target(base: str, target: str) -> str:
    """Return a chain of attributes as code; names that are not identifiers are read by `getattr`."""
    for name in target.split("."):
        base = f"{base}.{name}" if name.isidentifier() else f'getattr({base}, "{name}")'
    return base


def last_uses(nodes: NodeList) -> dict[Node, list[Node]]:
    """For each node those of its arguments that no later node uses, and itself if it is not used at all."""
    used: set[Node] = set()
    dying_after: dict[Node, list[Node]] = {}
    for node in reversed(nodes):
        last = [argument for argument in nodes_in((*node.args, node.kwargs)) if argument not in used]
        used.update(last)
        dying_after[node] = last if node.users else [*last, node]
    return dying_after
