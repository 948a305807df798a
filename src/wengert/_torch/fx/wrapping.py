"""Functions that are not traced into, `torch.fx.wrap`, and patches that are active while a trace runs."""

from __future__ import annotations

import builtins
import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from wengert._core.calls.op import Op
from wengert.nn import Module
from wengert.overrides import TorchFunctionMode

from .names import PACKAGE
from .proxy import Proxy, proxies_in

WRAPPED: dict[tuple[int, str], dict[str, Any]] = {}
"""Namespaces with wrapped functions, by the identity of the namespace and the name of the function."""
OF_CODE = "__fx_wrapped__"
"""Global name in generated code of the names of wrapped functions."""
TRACES = threading.RLock()
"""Held while a trace runs: classes and modules are changed for it, one trace at a time."""
METHODS: dict[tuple[type, str], None] = {}
"""Classes, and names of their wrapped methods."""
MISSING: Any = object()
UNASKED = ("batch_norm", "bucketize", "chain_matmul", "eye", "numel", "result_type", "view_as_complex")
"""Functions that dispatch neither on modes nor on arguments, or not before they read an argument."""


def wrap(fn_or_name: Any) -> Any:
    """Make calls of a function of the current module nodes of a graph, instead of tracing into the function.

    Args:
        fn_or_name: the function, or its name in the module or among the builtins.

    Returns:
        The argument.

    Raises:
        RuntimeError: if the argument is neither a function nor a name.
        NotImplementedError: if it is not called at the top level of a module.

    >>> import wengert as wg
    >>> import wengert.fx
    >>> wg.fx.wrap("len")
    'len'
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = outer_frame()
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    WRAPPED[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def forget(names: dict[str, Any]) -> None:
    """Let generated code have its wrapped functions itself, so that it is let go with its module."""
    wrapped = [key for key in WRAPPED if key[0] == id(names)]
    if wrapped:
        names[OF_CODE] = tuple(name for _, name in wrapped)
        for key in wrapped:
            del WRAPPED[key]


def outer_frame() -> Any:
    """Return the frame that called the calling function."""
    return sys._getframe(2)


def wrap_method(cls: type, name: str) -> None:
    """Let calls of a method of a class be nodes of a graph."""
    METHODS[cls, name] = None


class Patches:
    """Changes of names and attributes that are taken back at the end of a `with` block."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        self.seen: set[int] = set()

    def __enter__(self) -> Patches:
        return self

    def __exit__(self, *error: object) -> None:
        while self.undo:
            self.undo.pop()()

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute of a class."""
        before = vars(owner).get(name, MISSING)
        setattr(owner, name, value)

        def take_back() -> None:
            if before is MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self.undo.append(take_back)

    def item(self, names: dict[str, Any], name: str, value: Any) -> None:
        """Set a name in a module."""
        before = names.get(name, MISSING)
        names[name] = value

        def take_back() -> None:
            if before is MISSING:
                del names[name]
            else:
                names[name] = before

        self.undo.append(take_back)

    def wrapped_functions(self) -> None:
        """Let all functions that the program has wrapped make nodes."""
        for (_, name), names in list(WRAPPED.items()):
            self.wrapped_function(names, name)
        for cls, name in METHODS:
            self.attribute(cls, name, traced_method(cls, name))

    def wrapped_function(self, names: dict[str, Any], name: str) -> None:
        """Let a function that the program has wrapped make nodes."""
        function = names.get(name, getattr(builtins, name, MISSING))
        if function is not MISSING and not hasattr(function, "_traced_by_fx"):
            self.item(names, name, traced_function(function))

    def autowrap(self, names: dict[str, Any], function_ids: set[int]) -> None:
        """Replace functions of a tracer in a module by functions that create nodes."""
        if id(names) in self.seen:
            return
        self.seen.add(id(names))
        for name in names.get(OF_CODE, ()):
            self.wrapped_function(names, name)
        for name, value in list(names.items()):
            if not name.startswith("_") and callable(value) and id(value) in function_ids:
                self.item(names, name, traced_function(value))


class Tracing(TorchFunctionMode):
    """Mode that creates nodes for calls with a proxy that do not dispatch on arguments: `torch.zeros`, and methods."""

    def _takes_(self, func: Any) -> bool:
        """Return whether this is not an operator; operators dispatch on their arguments themselves."""
        return not isinstance(func, Op)

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        proxy = next(proxies_in((args, kwargs)), None)
        if proxy is None:
            return func(*args, **(kwargs or {}))
        return proxy.__torch_function__(func, types, args, kwargs)


def patch_unasked(patches: Patches) -> None:
    """Replace functions that do not even dispatch on a mode by functions that create nodes."""
    package = sys.modules[PACKAGE]
    for name in UNASKED:
        patches.item(vars(package), name, traced_function(getattr(package, name), wrapped=False))


def traced_function(function: Callable[..., Any], *, wrapped: bool = True) -> Callable[..., Any]:
    """Return a function that creates a node for a call with a proxy, and otherwise calls another function.

    Args:
        function: the other one.
        wrapped: whether the program wrapped it, which generated code says again.
    """

    @functools.wraps(function)
    def traced(*args: Any, **kwargs: Any) -> Any:
        proxy = next(proxies_in((args, kwargs)), None)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        if wrapped:
            result.node.meta["is_wrapped"] = True
        return result

    vars(traced)["_traced_by_fx"] = function
    return traced


def traced_method(cls: type, name: str) -> Callable[..., Any]:
    """Return a method that is recorded as a call if an argument is a proxy."""
    method = getattr(cls, name)

    @functools.wraps(method)
    def traced(*args: Any, **kwargs: Any) -> Any:
        proxy = next(proxies_in((args, kwargs)), None)
        if proxy is None:
            return method(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return traced


def patch_modules(patches: Patches, tracer: Any, autowrap: Callable[[dict[str, Any]], None]) -> None:
    """Let calls of modules and their attributes go through a tracer, in this thread."""
    thread = threading.get_ident()
    call, get = Module.__call__, Module.__getattr__
    parameters: dict[str, Proxy] = {}

    def traced_call(module: Module, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != thread:
            return call(module, *args, **kwargs)
        autowrap(getattr(getattr(module, "forward", module), "__globals__", {}))
        return tracer.call_module(module, functools.partial(call, module), args, kwargs)

    def traced_get(module: Module, name: str) -> Any:
        value = get(module, name)
        return value if threading.get_ident() != thread else tracer.getattr(name, value, parameters)

    functools.update_wrapper(traced_call, call)
    functools.update_wrapper(traced_get, get)
    patches.attribute(Module, "__call__", traced_call)
    patches.attribute(Module, "__getattr__", traced_get)
