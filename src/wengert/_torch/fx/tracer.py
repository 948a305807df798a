"""`torch.fx.Tracer`: runs a program with proxies for its arguments, and records a graph."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
import threading
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert._core.tensor.base import Tensor
from wengert.nn import Module, Parameter, Sequential

from .graph import EMPTY, Graph
from .graph_module import GraphModule
from .names import PACKAGE, is_own
from .node import Argument, Node
from .proxy import ParameterProxy, Proxy, Scope, TracerBase
from .wrapping import TRACES, Patches, Tracing, patch_modules, patch_unasked

__all__ = ["Tracer", "is_fx_symbolic_tracing", "is_fx_tracing", "symbolic_trace"]

running = threading.local()
"""Number of traces that run in a thread, as `running.count`."""


class Tracer(TracerBase):
    """Tracer that records the graph of a module or function.

    Args:
        autowrap_modules: modules of whose functions calls are nodes.
        autowrap_functions: functions whose calls are nodes.
        param_shapes_constant: whether the shapes of parameters are constants.
    """

    def __init__(
        self,
        autowrap_modules: tuple[types.ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        functions = [value for module in autowrap_modules for value in vars(module).values() if callable(value)]
        self._autowrap_function_ids = {id(value) for value in (*functions, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.root: Any = None
        self.tensor_attrs: dict[int, str] = {}
        self.scope = Scope("", None)
        self.module_stack: dict[str, Any] = OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope: dict[str, Any] = {}
        self.traced_func_name = "forward"
        self._of_package = False

    # ---- values ------------------------------------------------------------------------------------------------------

    def create_arg(self, a: Any) -> Argument:
        """Convert a value to an argument of a node; tensors become attributes of the root.

        Raises:
            NameError: if a parameter does not belong to the root.
            NotImplementedError: if the type of the value is not supported.
        """
        if isinstance(a, Parameter):
            name = next((name for name, parameter in self.root.named_parameters() if parameter is a), None)
            if name is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Tensor):
            return self._tensor(a)
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(item) for item in a), {})
        return super().create_arg(a)

    def _tensor(self, tensor: Tensor) -> Node:
        """Return the node for the attribute of the root that holds a tensor; add the attribute if needed."""
        name = next((name for name, buffer in self.root.named_buffers() if buffer is tensor), None)
        name = self.tensor_attrs.get(id(tensor)) if name is None else name
        if name is None:
            name = self.get_fresh_qualname("_tensor_constant")
            self.tensor_attrs[id(tensor)] = name
            setattr(self.root, name, tensor)
        return self.create_node("get_attr", name, (), {})

    def get_fresh_qualname(self, prefix: str) -> str:
        """Return a numbered name that the root does not have."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    # ---- modules -----------------------------------------------------------------------------------------------------

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether a call of a module is a node: a layer of `nn` other than Sequential; others are traced into.

        Args:
            m: the module.
            module_qualified_name: its path.
        """
        layer = m.__module__.startswith(("torch.nn", "torch.ao.nn", f"{PACKAGE}.nn"))
        return layer and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Return the path of a module of the root.

        Raises:
            NameError: if the module does not belong to the root.
        """
        if self.submodule_paths is not None:
            path = self.submodule_paths.get(mod)
        else:
            path = next((name for name, module in self.root.named_modules() if module is mod), None)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a module: add a node, or trace into it.

        Args:
            m: the module.
            forward: calls it.
            args, kwargs: the arguments.
        """
        path = self.path_of_module(m)
        with self._inside(path, m):
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)

    @contextmanager
    def _inside(self, path: str, module: Module) -> Iterator[None]:
        """Note in which module the trace is."""
        before, self.scope = self.scope, Scope(path, type(module))
        count = self.num_calls.get(path, 0)
        self.num_calls[path] = count + 1
        key = path if count == 0 else f"{path}@{count}"
        self.module_stack[key] = (path, type(module))
        try:
            yield
        finally:
            self.scope = before
            self.module_stack.pop(key, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """An attribute of a module: a proxy for a parameter, and for a buffer where `proxy_buffer_attributes` says so.

        Args:
            attr: the name.
            attr_val: the value.
            parameter_proxy_cache: the existing proxies by path.
        """
        if isinstance(attr_val, Parameter):
            return self._proxy_of(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            return self._proxy_of(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def _proxy_of(self, value: Any, named: Iterator[tuple[str, Any]], cache: dict[str, Any]) -> Any:
        """The proxy of a tensor that the root has; the tensor if it has not."""
        for name, tensor in named:
            if tensor is value:
                if name not in cache:
                    options: Any = (
                        {"proxy_factory_fn": self._factory(name, value)} if self.param_shapes_constant else {}
                    )
                    cache[name] = self.create_proxy("get_attr", name, (), {}, **options)
                return cache[name]
        return value

    def _factory(self, name: str, value: Any) -> Callable[[Node], Proxy]:
        """Return a function that makes the proxy of a parameter with a known shape."""
        return lambda node: ParameterProxy(self, node, name, value)

    # ---- the trace ---------------------------------------------------------------------------------------------------

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: dict[str, Any] | None = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The function to run, and the proxies of its parameters.

        Args:
            root_fn: the function, or `forward` of the class of a module.
            is_module: whether its first argument is the root.
            concrete_args: values of parameters that are constants in the trace.
        """
        code = inspect.unwrap(root_fn).__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = iter(code.co_varnames)
        args: list[Any] = []
        if is_module:
            assert code.co_argcount, "``self`` argument cannot be part of *args expansion!"
            next(names)
            args.append(self.root)
        defaults = inspect.signature(root_fn).parameters
        for _ in range(count - len(args)):
            args.append(self._parameter(next(names), defaults, concrete_args or {}))
        keywords = code.co_kwonlyargcount
        spread = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        if not keywords and not spread:
            return root_fn, args
        more = []
        if code.co_flags & inspect.CO_VARARGS:
            more.append(self._placeholder(f"*{next(names)}"))
        if code.co_flags & inspect.CO_VARKEYWORDS:
            more.append(self._placeholder(f"**{next(names)}"))
        return called_by_position(root_fn), [*args, *more]

    def _parameter(self, name: str, parameters: Any, concrete: dict[str, Any]) -> Any:
        """The proxy of a parameter, or the value that it is to have."""
        default = parameters[name].default if name in parameters else inspect.Parameter.empty
        annotation = parameters[name].annotation if name in parameters else None
        default = EMPTY if default is inspect.Parameter.empty else default
        if name not in concrete:
            return self._placeholder(name, default, shown(annotation, self._of_package))
        value = concrete[name]
        if isinstance(value, (tuple, list, dict)):
            raise NotImplementedError(
                f"symbolic_trace(): concrete_args[{name!r}] is a {type(value).__name__}; only single values are taken"
            )
        proxy = self._placeholder(f"{name}_1", default)
        self._specialize(name, proxy, value)
        return value

    def _specialize(self, name: str, proxy: Proxy, value: Any) -> None:
        """Check in the graph that a parameter has the value with which it was traced."""
        package = sys.modules[PACKAGE]
        text = f"{name} has been specialized to have value {value} but got another value"
        if isinstance(value, (int, float)) and value is not None:
            equal: Any = operator.eq(proxy, value)
            self.create_proxy("call_function", package._assert, (equal, text), {})
        elif value is None:
            none = self.create_proxy("call_function", assert_is_none, (proxy, text.replace("value None", "None")), {})
            none.node.meta["is_wrapped"] = False

    def _placeholder(self, name: str, default: Any = EMPTY, annotation: Any = None) -> Proxy:
        """The proxy of a parameter."""
        args = () if default is EMPTY else (default,)
        return self.create_proxy("placeholder", name, args, {}, type_expr=annotation)

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Return the graph of a module or function.

        Args:
            root: the module or function.
            concrete_args: values of parameters that are constants in the trace.

        Raises:
            AssertionError: if `root` is neither.
            TraceError: if control flow depends on the values of its arguments.
        """
        if isinstance(root, Module):
            self.root = root
            assert hasattr(type(root), self.traced_func_name), (
                f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}"
            )
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        self.tensor_attrs = attributes(self.root)
        self._of_package = is_own(function)
        assert isinstance(function, types.FunctionType), f"Expected FunctionType, got {type(function)}"
        run, args = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
        with TRACES, tracing(), Patches() as patches, Tracing():
            autowrap = functools.partial(patches.autowrap, function_ids=self._autowrap_function_ids)
            patch_modules(patches, self, autowrap)
            patches.wrapped_functions()
            patch_unasked(patches)
            autowrap(function.__globals__)
            for module in self._autowrap_search:
                autowrap(vars(module))
            result = self.create_arg(run(*args))
        annotation = shown(getattr(function, "__annotations__", {}).get("return"), self._of_package)
        self.create_node("output", "output", (result,), {}, type_expr=annotation)
        self.submodule_paths = None
        return self.graph

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result.__dict__.update(self.__dict__)
        return result


def called_by_position(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes all arguments by position, also keyword ones, `*args` and `**kwargs`."""
    code = inspect.unwrap(function).__code__
    first = code.co_argcount
    keywords = code.co_varnames[first : first + code.co_kwonlyargcount]
    inner = getattr(function, "__func__", function)
    variadic = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)

    def call(*args: Any) -> Any:
        if not variadic:
            named = dict(zip(keywords, args[first:], strict=True))
            return function(*args[:first], **named)
        return flat(inner)(*args)

    return call


def flat(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose code takes `*args` and `**kwargs` as the plain parameters that they are in a trace."""
    code = inspect.unwrap(function).__code__
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    plain = code.replace(
        co_argcount=count,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
    )
    inner: Any = inspect.unwrap(function)
    return types.FunctionType(plain, inner.__globals__, inner.__name__, None, inner.__closure__)


def shown(annotation: Any, as_public: bool) -> Any:
    """Return the annotation of a node; annotations of this package's functions are text, only Tensor is resolved."""
    if annotation is inspect.Parameter.empty:
        return None
    if as_public:
        return Tensor if annotation == "Tensor" else None
    return annotation


def assert_is_none(value: Any, msg: str) -> None:
    """Refuse a value that is not None.

    Raises:
        AssertionError: if the value is not None.
    """
    assert value is None, msg


def attributes(root: Any) -> dict[int, str]:
    """Return the paths of the tensors that are plain attributes of modules, by identity."""
    paths: dict[int, str] = {}
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, Tensor):
                paths[id(value)] = f"{path}.{name}".lstrip(".")
    return paths


@contextmanager
def tracing() -> Iterator[None]:
    """Context in which a trace runs in this thread."""
    running.count = getattr(running, "count", 0) + 1
    try:
        yield
    finally:
        running.count -= 1


def is_fx_tracing() -> bool:
    """Return whether a trace runs in this thread."""
    return getattr(running, "count", 0) > 0


def is_fx_symbolic_tracing() -> bool:
    """Return whether a trace runs in this thread."""
    return is_fx_tracing()


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Trace a module or function; return a module with its graph.

    Args:
        root: the module or function.
        concrete_args: values of parameters that are constants in the trace.

    Raises:
        TraceError: if control flow depends on the values of its arguments.

    >>> import wengert as wg
    >>> import wengert.fx
    >>> print(wg.fx.symbolic_trace(lambda x: wg.relu(x) + 1).graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        %add : [num_users=1] = call_function[target=operator.add](args = (%relu, 1), kwargs = {})
        return add
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
