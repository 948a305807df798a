"""`torch.fx.proxy`: placeholders of values while a program is traced; operations on them become nodes."""

from __future__ import annotations

import dis
import enum
import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from wengert._core.tensor.base import Tensor
from wengert._start.loading import load

from .canonical import spelled
from .graph import Graph
from .names import PACKAGE
from .node import Argument, Node, Target

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]

CONTROL_FLOW = "symbolically traced variables cannot be used as inputs to control flow"
ITERATION = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs "
    "function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control "
    "flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
)


class TraceError(ValueError):
    """An operation on a proxy cannot be traced."""


def plain_types() -> tuple[type, ...]:
    """The types of values that arguments of nodes may be."""
    package = sys.modules[PACKAGE]
    descriptors = (package.dtype, package.device, package.memory_format, package.layout)
    return (str, int, float, bool, complex, bytes, *descriptors, load(f"{PACKAGE}._ops").OpOverload)


class Scope:
    """In which module the trace is.

    Args:
        module_path: its path.
        module_type: its class.
    """

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class TracerBase:
    """Base of tracers, which turn operations on proxies into nodes."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    scope: Scope
    module_stack: dict[str, Any]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Put a node into the graph."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        stack = getattr(self, "module_stack", None)
        if stack:
            node.meta["nn_module_stack"] = stack.copy()
        return node

    def proxy(self, node: Node) -> Proxy:
        """Return the proxy for the value of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Add a node to the graph, whose arguments may be proxies, and return the proxy of its value."""
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        assert isinstance(args, tuple)
        assert isinstance(kwargs, dict)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Argument:
        """Convert a value to an argument of a node.

        Raises:
            NotImplementedError: if the type of the value is not supported.
            RuntimeError: if a key of a dict is a proxy.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(type(a), "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, (Node, *plain_types(), enum.Enum, Tensor)) or a is None or a is ...:
            if not isinstance(a, tuple):
                return a
        if isinstance(a, tuple):
            values = [self.create_arg(value) for value in a]
            return type(a)(*values) if hasattr(a, "_fields") else tuple(values)
        if isinstance(a, list):
            return [self.create_arg(value) for value in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(*(self.create_arg(value) for value in (a.start, a.stop, a.step)))
        if is_dataclass(a) and not isinstance(a, type):
            parts = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), parts)
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        """Convert a key of a dict, which must not be a proxy."""
        node = self.create_arg(key)
        if isinstance(node, Node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}")
        return node

    def to_bool(self, obj: Proxy) -> bool:
        """Return the truth value of a proxy; tracers may override this.

        Raises:
            TraceError: always, unless a subclass overrides the method.
        """
        raise TraceError(CONTROL_FLOW)

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Iterate over the elements of a proxy; their number is known only for an assignment to several names.

        Raises:
            TraceError: if the number of elements cannot be determined.
        """
        count = unpacked_names()
        if count is None:
            raise TraceError(ITERATION)
        return (obj[place] for place in range(count))  # type: ignore[index]

    def keys(self, obj: Proxy) -> Any:
        """The keys of a proxy that is spread as `**`."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """A tracer that adds to a graph.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = {}


class Proxy:
    """Placeholder of a value while a program is traced: operators, attributes, methods and functions become nodes.

    Args:
        node: whose value it is.
        tracer: makes the nodes; one for the node's graph for None.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("node", "tracer"):  # a proxy under construction
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> Any:
        return self.__dict__

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)

    def __deepcopy__(self, memo: Any) -> Proxy:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result.__dict__.update(self.__dict__)
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        """A call of the value."""
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """The keys, where the proxy is spread as `**`."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        tracer = tracer_of((*args, *kwargs.values()))
        kind, target, args, kwargs = spelled(orig_method, args, kwargs)
        return tracer.create_proxy(kind, target, args, kwargs)


class Attribute(Proxy):
    """An attribute of a proxy, or a method, if it is called.

    Args:
        root: the proxy.
        attr: the name.
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node of the attribute, created at first use, because a method needs none."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        """A call of the method of that name."""
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """Proxy of a parameter whose shape is known.

    Args:
        tracer, node: as of any proxy.
        name: of the parameter.
        param: the parameter.
    """

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Tensor) -> None:
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """Its shape."""
        return self.param.shape

    def size(self) -> Any:
        """Its shape."""
        return self.param.size()

    def dim(self) -> int:
        """The number of its dimensions."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return self.param.ndim

    def numel(self) -> int:
        """The number of its elements."""
        return self.param.numel()

    def nelement(self) -> int:
        """The number of its elements."""
        return self.param.numel()


# ---- operators -------------------------------------------------------------------------------------------------------

OPERATORS = """
    add and_ eq floordiv ge getitem gt invert le lshift lt matmul mod mul ne neg or_ pos pow rshift sub truediv xor
"""
REFLECTED = "add and_ floordiv lshift matmul mod mul or_ pow rshift sub truediv xor"


def bind_operator(name: str) -> None:
    """Let proxies have an operator of Python."""
    function = getattr(operator, name)

    def call(self: Proxy, *args: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", function, (self, *args), {})

    call.__name__ = call.__qualname__ = f"__{name.strip('_')}__"
    setattr(Proxy, call.__name__, call)


def bind_reflected(name: str) -> None:
    """Let proxies have an operator of Python as its second operand."""
    function = getattr(operator, name)

    def call(self: Proxy, other: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    call.__name__ = call.__qualname__ = f"__r{name.strip('_')}__"
    setattr(Proxy, call.__name__, call)


for _name in OPERATORS.split():
    bind_operator(_name)
for _name in REFLECTED.split():
    bind_reflected(_name)
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign,assignment]


# ---- whose, and how many ---------------------------------------------------------------------------------------------


def proxies_in(value: Any) -> Iterator[Proxy]:
    """The proxies among arguments."""
    if isinstance(value, Proxy):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from proxies_in(part)
    elif isinstance(value, dict):
        yield from proxies_in(list(value.values()))
    elif isinstance(value, slice):
        yield from proxies_in((value.start, value.stop, value.step))


def tracer_of(arguments: Any) -> TracerBase:
    """Return the tracer of the proxies among arguments.

    Raises:
        RuntimeError: if the proxies have different tracers.
    """
    tracers_by_id: dict[int, TracerBase] = {}
    for proxy in proxies_in(arguments):
        tracers_by_id.setdefault(id(proxy.tracer), proxy.tracer)
    tracers = list(tracers_by_id.values())
    graphs = {id(tracer.graph) for tracer in tracers}
    if len(tracers) > 1 and (
        len(graphs) > 1 or not all(isinstance(tracer, GraphAppendingTracer) for tracer in tracers)
    ):
        raise RuntimeError(f"Found multiple different tracers {tracers} while trying to trace operations")
    return tracers[0]


def unpacked_names() -> int | None:
    """Return the number of names in the assignment that unpacks the proxy; None if it is not an assignment."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    if frame is None:
        return None
    code, at = frame.f_code, frame.f_lasti
    for instruction in dis.get_instructions(code):
        if instruction.offset == at:
            return instruction.argval if instruction.opname == "UNPACK_SEQUENCE" else None
    return None
