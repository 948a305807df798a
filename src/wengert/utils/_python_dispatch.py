"""Dispatch modes: objects of the program that see each operator that a thread runs, in backward passes, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor
from ..autograd.dispatching import DispatchMode, stack, without
from ..ops.namespaces import OpOverload
from .class_dispatch import TorchNames
from .dispatched_factories import FACTORIES, FactoryCall

names = TorchNames()


class TorchDispatchMode(DispatchMode):
    """A context in which this object is told of each operator that runs in this thread, in backward passes, too.

    Derived classes define `__torch_dispatch__(self, func, types, args=(), kwargs=None)`, which returns the result:
    `func(*args, **(kwargs or {}))`, or anything else. It runs below differentiation: nothing that it does is recorded;
    what it returns takes the place of the operator's result in the graph. Inside, the mode is switched off, those
    around it are not. `func` is the operator as `torch.ops.aten.add.Tensor`. Operators are told of as they run here:
    forward passes consist of the same ones as torch's with few exceptions, backward passes of nearly the same.
    `detach()`, `item()`, the sums of gradients at leaves, and steps of optimisers are no operators here, and attention
    and recurrent layers consist of several.

    >>> import wengert as wg
    >>> from wengert.utils._python_dispatch import TorchDispatchMode
    >>> class Log(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x = wg.ones(2, requires_grad=True)
    >>> with Log():
    ...     (x * 2).sum().backward()
    aten.mul.Tensor
    aten.sum.default
    aten.expand.default
    aten.mul.Tensor
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        super().__init__()

    @staticmethod
    def _named_(op: Any, values: tuple[Any, ...]) -> Any:
        """`torch.ops.aten.add.Tensor`, and the arguments as torch gives them: without defaults."""
        return names.operator(op, values)

    @staticmethod
    def _factory_(function: Any) -> Any:
        """What makes a call of a factory of its arguments; None if a function is no factory."""
        return FactoryCall if getattr(function, "__name__", "") in FACTORIES else None

    @classmethod
    def is_infra_mode(cls) -> bool:
        """False: this is no part of a compiler."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing, to derive from."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes of this thread that are told of operators, the innermost last."""
    return stack()


def _get_current_dispatch_mode() -> Any:
    """The innermost of these modes; None if there is none."""
    modes = stack()
    return modes[-1] if modes else None


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether this thread is within a dispatch mode."""
    return bool(stack())


@contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    """A context without the innermost dispatch mode, which it gives.

    Raises:
        AssertionError: there is none.
    """
    if _get_current_dispatch_mode() is None:
        raise AssertionError("_pop_mode_temporarily: no dispatch mode is on")
    with without(1) as off:
        yield off[0]


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    """A context without any dispatch mode; gives those that were on."""
    with without(len(stack())) as off:
        yield off


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a value is of a subclass of Tensor that says of which tensors it is made."""
    return isinstance(t, Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a type is a subclass of Tensor that says of which tensors it is made."""
    return issubclass(t, Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def transform_subclass(
    t: Any, callback: Callable[[str, Any], Any], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A tensor of the same class that is made of what a function makes of each tensor that `t` is made of.

    Args:
        t: tensor of a class with `__tensor_flatten__` and `__tensor_unflatten__`.
        callback: called with the name of each inner tensor and the tensor.
        outer_size, outer_stride: those of the result; those of `t` unless given.

    Raises:
        AssertionError: if the class makes a tensor of another size or stride.
    """
    size, stride = outer_size or t.size(), outer_stride or t.stride()
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    result = type(t).__tensor_unflatten__(inner, context, size, stride)
    for kind, wanted, actual in (("size", size, result.shape), ("stride", stride, result.stride())):
        if tuple(wanted) != tuple(actual):
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {kind} {tuple(wanted)}, "
                f"but it has {tuple(actual)}"
            )
    return result


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What a `__torch_dispatch__` returns: `out`, or the argument that the operator writes to and returns.

    Views made by a class share the memory of their source in any case.

    Args:
        func: the operator, `torch.ops.aten.add_.Tensor`.
        args, kwargs: with what the class was called.
        out: what it has made.
    """
    if not isinstance(func, OpOverload):
        raise TypeError(f"return_and_correct_aliasing(): func must be an OpOverload, not {type(func).__name__}")
    if func._schema.is_mutable and args:  # type: ignore[attr-defined]
        return args[0]
    return (kwargs or {}).get("out", out)


__all__ = [
    "BaseTorchDispatchMode", "TorchDispatchMode", "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type", "return_and_correct_aliasing", "transform_subclass",
]  # fmt: skip
