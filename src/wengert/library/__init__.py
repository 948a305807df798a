"""Operators of a program: `torch.library`. A kernel that is opaque to recording, its derivative, its rule for batches.

A function of NumPy arrays, or one that calls another language, becomes an operator by `custom_op`; what is registered
for it then holds wherever it is called.
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
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "impl", "impl_abstract", "infer_schema",
    "opcheck", "register_autocast", "register_autograd", "register_fake", "register_kernel", "register_vmap",
]  # fmt: skip

OF_CPU = frozenset(("cpu", "default", "compositeexplicitautograd"))
WHOLE = frozenset(("compositeimplicitautograd", "autograd", "autogradcpu"))
OTHER_KEYS = {"meta": "fake", "autocastcpu": "autocast"}
"""Dispatch keys under which a function is kept apart from the kernel, and where."""
Names = str | Sequence[str] | None


def declared(schema: Schema, kernel: Callable[..., Any] | None = None) -> OpOverload:
    """Put an operator into its namespace, in the place of one of that name.

    Raises:
        ValueError: the name has no namespace.
    """
    space, found, name = schema.name.partition("::")
    if not (found and space.isidentifier() and name.isidentifier()):
        raise ValueError(f"expected a name such as 'mylib::sine', a namespace and a name, but got {schema.name!r}")
    op = OpOverload(schema, kernel)
    setattr(namespace(space), name, OpOverloadPacket(op))
    return op


def operator_of(op: Any) -> OpOverload:
    """The operator that a qualified name, an overload or a definition stands for.

    Raises:
        RuntimeError: there is none of that name.
        TypeError: it is something else.
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
    return packet.default  # type: ignore[no-any-return]


class CustomOpDef:
    """An operator of the program, as `custom_op` gives it: called as a function; methods register more for it."""

    def __init__(self, op: OpOverload, function: Callable[..., Any]) -> None:
        self._opoverload, self._init_fn = op, function
        self._qualname = op.name()
        self._namespace, _, self._name = self._qualname.partition("::")
        self.__name__, self.__doc__ = self._name, function.__doc__

    @property
    def _schema(self) -> str:
        """Parameters and results, written out."""
        schema = self._opoverload._schema
        return signature_of(schema.arguments, schema.returns, inferred=True)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self._opoverload(*args, **kwargs)

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """`library.register_autograd` of this operator."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_kernel(self, device_types: Names, fn: Any = None, /) -> Any:
        """`library.register_kernel` of this operator."""
        return register_kernel(self, device_types, fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Any:
        """`library.register_fake` of this operator."""
        return register_fake(self, fn)

    def register_vmap(self, func: Any = None) -> Any:
        """`library.register_vmap` of this operator."""
        return register_vmap(self, func)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """`library.register_autocast` of this operator."""
        register_autocast(self, device_type, cast_inputs)

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """A context within which the kernel for a device is used or not; without it the one of the declaration runs."""
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
    """Make an operator of a function. May be used as a decorator.

    What the function does is not recorded: it may leave tensors for NumPy arrays. It must return new tensors.

    Args:
        name: `"namespace::name"`.
        fn: the function, its parameters and result annotated: `Tensor`, `int`, `float`, `bool`, `str`, `list[Tensor]`,
            `Tensor | None` and the like.
        mutates_args: the names of the arguments that it writes to; "unknown" for all tensors.
        device_types: what it is for; all devices by default. It runs if "cpu" is among them.
        schema: parameters and results written out, for a function without annotations.

    Returns:
        A `CustomOpDef`, to be called like the function; `torch.ops.<namespace>.<name>` is the operator, too.

    Raises:
        ValueError: the name has no namespace, or an annotation is missing.

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
        found = parsed(name + schema) if schema is not None else inferred(function, mutates_args, name)
        runs = device_types is None or takes_cpu(device_types)
        return CustomOpDef(declared(found, function if runs else None), function)

    return make if fn is None else make(fn)


def takes_cpu(types: Names) -> bool:
    """Whether the CPU is among the names of devices."""
    return types is None or any(each.lower() in OF_CPU for each in ([types] if isinstance(types, str) else types))


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema of a function by its annotations, as text.

    >>> import wengert as wg
    >>> def f(x: wg.Tensor, n: int = 1) -> wg.Tensor: ...
    >>> wg.library.infer_schema(f, mutates_args=())
    '(Tensor x, SymInt n=1) -> Tensor'
    """
    found = inferred(prototype_function, mutates_args)
    return (op_name or "") + signature_of(found.arguments, found.returns, inferred=True)


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None) -> None:
    """Say how an operator is differentiated.

    Args:
        op: the operator, its definition or qualified name.
        backward: `backward(ctx, *grads)` gives a gradient for each parameter, None where there is none.
        setup_context: `setup_context(ctx, inputs, output)` keeps what `backward` needs.
        lib: for torch's users.

    Raises:
        RuntimeError: the operator writes to arguments.
    """
    found = operator_of(op)
    if found._schema.mutates:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {found!r} with schema {found._schema}. "
            "Please create a functional operator and register an autograd formula for that."
        )
    found.backward, found.setup_context = backward, setup_context


def registered(op: Any, field: str, func: Any) -> Any:
    """Set what an operator is told by a function, which may come as a decorator's."""
    found = operator_of(op)

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(found, field, function)
        return function

    return put if func is None else put(func)


def register_kernel(op: Any, device_types: Names, func: Any = None, /, *, lib: Any = None) -> Any:
    """Give an operator a kernel for devices; those for others than the CPU are not used. May be used as a decorator."""
    if takes_cpu(device_types):
        return registered(op, "kernel", func)
    return (lambda function: function) if func is None else func


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, allow_override: bool = True) -> Any:
    """Say what an operator's results look like without computing; kept, and not used: nothing here asks."""
    return registered(op, "fake", func)


impl_abstract = register_fake


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Give an operator a rule for batches, `func(info, in_dims, *args)`, as `Function.vmap`."""
    return registered(op, "batch_rule", func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Let floating-point tensors be cast before an operator where autocast is on for the device.

    Raises:
        ValueError: there is no such device.
    """
    if device_type not in ("cpu", "cuda", "xpu"):
        raise ValueError(f"Unknown device type: {device_type}")
    if device_type == "cpu":
        operator_of(op).cast_to = cast_inputs


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Declare an operator by its schema, `define("mylib::f", "(Tensor x) -> Tensor")`; `impl` gives it a kernel."""
    declared(parsed(qualname + schema))


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Give a declared operator a kernel. May be used as a decorator.

    Args:
        qualname: the qualified name; or a `Library`, then `types` is the name and `func` the dispatch key.
        types: devices, or dispatch keys: with `CompositeImplicitAutograd` the function is recorded as any.
        func: the kernel.
        lib: for torch's users.
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
    """A kernel that stands for none: `Library.impl` takes it for a key that changes nothing.

    Raises:
        NotImplementedError: it is called.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Declarations in a namespace.

    Args:
        ns: the namespace.
        kind: "DEF", "IMPL" or "FRAGMENT"; there is no difference.
        dispatch_key: that of kernels which name none.

    Raises:
        ValueError: `kind` is none of these.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported library type: ", kind)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator; its name is returned."""
        return declared(parsed(f"{self.ns}::{schema}")).name().partition("::")[2]

    def impl(self, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        """Give an operator of the namespace a kernel.

        Raises:
            TypeError: `fn` is no function.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else operator_of(op_name).name().partition("::")[2]
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        return fn if fn is fallthrough_kernel else impl(f"{self.ns}::{name.rpartition('::')[2]}", key, fn)
