"""User-defined operators, `torch.library`: an opaque kernel, its derivative, and its batching rule.

`custom_op` turns a function of NumPy arrays, or one that calls another language, into an operator; what is registered
for the operator then holds wherever it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..ops.namespaces import NAMESPACES, namespace
from .checking import opcheck
from .operator import OpOverload, OpOverloadPacket
from .parsing import parsed
from .schema import Schema, inferred, signature_of

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

OF_CPU = frozenset(("cpu", "default", "compositeexplicitautograd"))
WHOLE = frozenset(("compositeimplicitautograd", "autograd", "autogradcpu"))
OTHER_KEYS = {"meta": "fake", "autocastcpu": "autocast"}
"""Dispatch keys whose function is not the kernel, with the attribute that holds it."""
Names = str | Sequence[str] | None


def declared(schema: Schema, kernel: Callable[..., Any] | None = None) -> OpOverload:
    """Add an operator to its namespace; an operator of the same name is replaced.

    Raises:
        ValueError: if the name has no namespace.
    """
    space, separator, name = schema.name.partition("::")
    if not (separator and space.isidentifier() and name.isidentifier()):
        raise ValueError(f"expected a name such as 'mylib::sine', a namespace and a name, but got {schema.name!r}")
    op = OpOverload(schema, kernel)
    setattr(namespace(space), name, OpOverloadPacket(op))
    return op


def operator_of(op: Any) -> OpOverload:
    """Return the operator of a qualified name, an overload or a definition.

    Raises:
        RuntimeError: if there is no operator of that name.
        TypeError: if `op` is of another type.
    """
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, OpOverload):
        return op
    if not isinstance(op, str):
        raise TypeError(f"expected a qualified name, an operator or its definition, but got {type(op).__name__}")
    space, _, name = op.removesuffix(".default").partition("::")
    packet = vars(NAMESPACES[space]).get(name) if space in NAMESPACES else None
    if packet is None:
        raise RuntimeError(f"operator {op} does not exist")
    return packet.default


class CustomOpDef:
    """A user-defined operator, the result of `custom_op`: callable, with methods to register its rules."""

    def __init__(self, op: OpOverload, function: Callable[..., Any]) -> None:
        self._opoverload, self._init_fn = op, function
        self._qualname = op.name()
        self._namespace, _, self._name = self._qualname.partition("::")
        self.__name__, self.__doc__ = self._name, function.__doc__

    @property
    def _schema(self) -> str:
        """Parameters and results as text."""
        schema = self._opoverload._schema
        return signature_of(schema.arguments, schema.returns, inferred=True)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self._opoverload(*args, **kwargs)

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """Call `library.register_autograd` with this operator."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_kernel(self, device_types: Names, fn: Any = None, /) -> Any:
        """Call `library.register_kernel` with this operator."""
        return register_kernel(self, device_types, fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Any:
        """Call `library.register_fake` with this operator."""
        return register_fake(self, fn)

    def register_vmap(self, func: Any = None) -> Any:
        """Call `library.register_vmap` with this operator."""
        return register_vmap(self, func)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Call `library.register_autocast` with this operator."""
        register_autocast(self, device_type, cast_inputs)

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Context that enables or disables the kernel of a device; if disabled, the kernel of the declaration runs."""
        op, before = self._opoverload, self._opoverload.kernel
        if device_type == "cpu" and not enabled:
            op.kernel = op.first
        try:
            yield
        finally:
            op.kernel = before


def custom_op(
    name: str,
    fn: Any = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Names = None,
    schema: str | None = None,
) -> Any:
    """Make an operator from a function. May be used as a decorator.

    The operations of the function are not recorded: it may convert tensors to NumPy arrays. It must return new tensors.

    Args:
        name: `"namespace::name"`.
        fn: the function, with annotated parameters and result: `Tensor`, `int`, `float`, `bool`, `str`,
            `list[Tensor]`, `Tensor | None` and the like.
        mutates_args: names of the arguments that are written to; "unknown" for all tensors.
        device_types: devices of the kernel; all by default. It is used if "cpu" is among them.
        schema: parameters and results as text, for a function without annotations.

    Returns:
        A `CustomOpDef`, called like the function; `torch.ops.<namespace>.<name>` is the operator, too.

    Raises:
        ValueError: if the name has no namespace, or an annotation is missing.

    >>> import numpy as np
    >>> import wengert as wg
    >>> @wg.library.custom_op("docs::sine", mutates_args=())
    ... def sine(x: wg.Tensor, k: float = 1.0) -> wg.Tensor:
    ...     return wg.from_numpy(np.sin(k * x.numpy()))
    >>> def backward(ctx, grad):
    ...     return grad * ctx.k * wg.cos(ctx.k * ctx.saved_tensors[0]), None
    >>> def setup_context(ctx, inputs, output):
    ...     ctx.save_for_backward(inputs[0])
    ...     ctx.k = inputs[1]
    >>> sine.register_autograd(backward, setup_context=setup_context)
    >>> x = wg.zeros(2, requires_grad=True)
    >>> sine(x, 3.0).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        declaration = parsed(name + schema) if schema is not None else inferred(function, mutates_args, name)
        runs = device_types is None or takes_cpu(device_types)
        return CustomOpDef(declared(declaration, function if runs else None), function)

    return make if fn is None else make(fn)


def takes_cpu(types: Names) -> bool:
    """Return whether the CPU is among the names of devices."""
    return types is None or any(kind.lower() in OF_CPU for kind in ([types] if isinstance(types, str) else types))


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """Return the schema of a function, from its annotations, as text.

    >>> import wengert as wg
    >>> def f(x: wg.Tensor, n: int = 1) -> wg.Tensor: ...
    >>> wg.library.infer_schema(f, mutates_args=())
    '(Tensor x, SymInt n=1) -> Tensor'
    """
    schema = inferred(prototype_function, mutates_args)
    return (op_name or "") + signature_of(schema.arguments, schema.returns, inferred=True)


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None) -> None:
    """Register the derivative of an operator.

    Args:
        op: the operator, its definition or qualified name.
        backward: `backward(ctx, *grads)` returns a gradient or None for each parameter.
        setup_context: `setup_context(ctx, inputs, output)` saves what `backward` needs.
        lib: accepted for torch's users, without effect.

    Raises:
        RuntimeError: if the operator writes to arguments.
    """
    operator = operator_of(op)
    if operator._schema.mutates:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {operator!r} with schema "
            f"{operator._schema}. Please create a functional operator and register an autograd formula for that."
        )
    operator.backward, operator.setup_context = backward, setup_context


def registered(op: Any, field: str, func: Any) -> Any:
    """Set an attribute of an operator to a function; without one, return a decorator."""
    operator = operator_of(op)

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(operator, field, function)
        return function

    return put if func is None else put(func)


def register_kernel(op: Any, device_types: Names, func: Any = None, /, *, lib: Any = None) -> Any:
    """Register a kernel for devices; those for others than the CPU are not used. May be used as a decorator."""
    if takes_cpu(device_types):
        return registered(op, "kernel", func)
    return (lambda function: function) if func is None else func


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, allow_override: bool = True) -> Any:
    """Register a function that returns results of the right shapes and dtypes; it is used on the device "meta"."""
    return registered(op, "fake", func)


impl_abstract = register_fake


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Register a batching rule, `func(info, in_dims, *args)`, as of `Function.vmap`."""
    return registered(op, "batch_rule", func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Cast floating-point tensors before an operator where autocast is enabled for the device.

    Raises:
        ValueError: if the device type is unknown.
    """
    if device_type not in ("cpu", "cuda", "xpu"):
        raise ValueError(f"Unknown device type: {device_type}")
    if device_type == "cpu":
        operator_of(op).cast_to = cast_inputs


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Declare an operator by its schema, `define("mylib::f", "(Tensor x) -> Tensor")`; `impl` registers its kernel."""
    declared(parsed(qualname + schema))


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Register a kernel of a declared operator. May be used as a decorator.

    Args:
        qualname: the qualified name; or a `Library`, then `types` is the name and `func` the dispatch key.
        types: devices or dispatch keys; with `CompositeImplicitAutograd` the operations of the function are recorded.
        func: the kernel.
        lib: accepted for torch's users, without effect.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, types, func or ""
        return lambda function: library.impl(name, function, key)
    names = [name.lower() for name in ([types] if isinstance(types, str) else types)]
    for name in names:
        if name in WHOLE:
            return registered(qualname, "whole", func)
        if name in OTHER_KEYS:
            return registered(qualname, OTHER_KEYS[name], func)
    return register_kernel(qualname, names, func)


def fallthrough_kernel() -> None:
    """Placeholder for no kernel: `Library.impl` takes it for a key that changes nothing.

    Raises:
        NotImplementedError: always; it only marks keys that have no kernel of their own.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Declarations in a namespace.

    Args:
        ns: the namespace.
        kind: "DEF", "IMPL" or "FRAGMENT", which make no difference.
        dispatch_key: default dispatch key of kernels.

    Raises:
        ValueError: if `kind` is none of these.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported library type: ", kind)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator and return its name."""
        return declared(parsed(f"{self.ns}::{schema}")).name().partition("::")[2]

    def impl(self, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        """Register a kernel of an operator of the namespace.

        Raises:
            TypeError: if `fn` is not a function.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else operator_of(op_name).name().partition("::")[2]
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        return fn if fn is fallthrough_kernel else impl(f"{self.ns}::{name.rpartition('::')[2]}", key, fn)
