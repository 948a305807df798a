"""Dispatch modes: objects of the program that see each operator of a thread, also in backward passes."""

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
    """Context in which this object handles each operator of this thread, also in backward passes.

    Derived classes define `__torch_dispatch__(self, func, types, args=(), kwargs=None)`, which returns the result:
    `func(*args, **(kwargs or {}))`, or anything else. It runs below differentiation: it is not recorded, and its result
    replaces that of the operator in the graph. Inside, this mode is switched off, but not the modes around it. `func`
    is the operator, such as `torch.ops.aten.add.Tensor`. The operators are those that run here: forward passes consist
    of the same operators as torch's with few exceptions, backward passes of nearly the same. `detach()`, `item()`, the
    sums of gradients at leaves, and steps of optimisers are not operators here, and attention and recurrent layers
    consist of several.

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
        """Return the operator as `torch.ops.aten.add.Tensor`, and the arguments as torch passes them."""
        return names.operator(op, values)

    @staticmethod
    def _factory_(function: Any) -> Any:
        """Return the function that builds the call of a factory; None if a function is not a factory."""
        return FactoryCall if getattr(function, "__name__", "") in FACTORIES else None

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return False: the mode is not part of a compiler."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """Base of modes that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode_stack() -> list[Any]:
    """Return the dispatch modes of this thread, the innermost last."""
    return stack()


def _get_current_dispatch_mode() -> Any:
    """Return the innermost dispatch mode; None if there is none."""
    modes = stack()
    return modes[-1] if modes else None


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Return whether this thread is within a dispatch mode."""
    return bool(stack())


@contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    """Context without the innermost dispatch mode, which it yields.

    Raises:
        AssertionError: if there is no dispatch mode.
    """
    if _get_current_dispatch_mode() is None:
        raise AssertionError("_pop_mode_temporarily: no dispatch mode is on")
    with without(1) as off:
        yield off[0]


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    """Context without any dispatch mode; yields those that were on."""
    with without(len(stack())) as off:
        yield off


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Return whether a value is of a wrapper subclass of Tensor that names its inner tensors."""
    return isinstance(t, Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Return whether a type is a wrapper subclass of Tensor that names its inner tensors."""
    return issubclass(t, Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def transform_subclass(
    t: Any, callback: Callable[[str, Any], Any], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """Return a tensor of the same class whose inner tensors are `callback` of those of `t`.

    Args:
        t: tensor of a class with `__tensor_flatten__` and `__tensor_unflatten__`.
        callback: function of the name of an inner tensor and the tensor.
        outer_size, outer_stride: size and stride of the result; by default those of `t`.

    Raises:
        AssertionError: if the class returns a tensor of another size or stride.
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
    """Return the result for a `__torch_dispatch__`: `out`, or the argument that the operator writes to and returns.

    Views by a class share the memory of their source in any case.

    Args:
        func: the operator, `torch.ops.aten.add_.Tensor`.
        args, kwargs: the arguments of the call.
        out: the result of the class.
    """
    if not isinstance(func, OpOverload):
        raise TypeError(f"return_and_correct_aliasing(): func must be an OpOverload, not {type(func).__name__}")
    if func._schema.is_mutable and args:  # type: ignore[attr-defined]
        return args[0]
    return (kwargs or {}).get("out", out)


__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "return_and_correct_aliasing",
    "transform_subclass",
]
