"""Interceptors on subclasses of Tensor, which ask `__torch_function__` before methods, properties and operators run.

Tensor itself stays as it is, except while a program's mode is on (`staging`). When a subclass is made that wants to
be asked, everything it inherits from Tensor gets an interceptor on it, which also knows with what arguments the program
has called.
"""

from __future__ import annotations

import types
from typing import Any

from .. import flags
from ..state.modes import current
from ..tensor.base import Tensor
from . import overriding
from .overriding import operator_methods

OPERATOR_NAMES = frozenset(
    (
        *operator_methods.METHODS,
        *operator_methods.REFLECTED_METHODS,
        "__eq__",
        "__ne__",
        "__floordiv__",
        "__and__",
        "__or__",
        "__xor__",
    )
)
"""Methods for which Python tries the other operand after a TypeError."""
ALONE = frozenset(
    """
    __array_function__ __array_namespace__ __array_ufunc__ __class__ __dict__ __doc__ __getattribute__ __hash__ __init__
    __init_subclass__ __iter__ __module__ __new__ __reduce__ __reduce_cython__ __setstate_cython__ __slots__
    __torch_dispatch__ __torch_function__ __weakref__ as_subclass backward new to_device
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Names that are never overridden, and `backward`, which asks itself."""
MISSING = object()
VARIADIC = 12
"""The flags of code with `*args` or `**kwargs`."""


def original(name: str) -> Any:
    """Return the attribute of Tensor under a name, its family loaded."""
    attribute = vars(Tensor)[name]
    if isinstance(attribute, Interceptor):
        attribute = overriding.STAGED[name]
    if hasattr(attribute, "loaded"):
        attribute = attribute.loaded()
    if type(attribute) is types.FunctionType and attribute.__name__ not in vars(Tensor):
        attribute.__name__ = name  # handlers receive it by the name that programs call
    return attribute


def takes_nothing(function: Any) -> bool:
    """Return whether a method has no parameter but the tensor."""
    if type(function) is types.FunctionType:
        return function.__code__.co_argcount == 1 and not function.__code__.co_flags & VARIADIC
    return len(getattr(function, "names", ())) == 1


def is_open(tensor: Any) -> bool:
    """Return whether `__torch_function__` is to be asked now: not by what is called in a backward pass."""
    modes = current()
    overridden = bool(tensor._flags_ & flags.OVERRIDDEN or modes.functions)
    return overridden and modes.overriding < 2 and modes.passing is None


class Interceptor:
    """Stand-in on a subclass for a method of Tensor."""

    __slots__ = ("name",)
    stands_before = True
    """Mark by which it is recognised on the class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, kind: Any = None) -> Any:
        attribute = original(self.name)
        if tensor is None or not is_open(tensor):
            return attribute.__get__(tensor, kind)
        if hasattr(attribute, "__set__"):
            result = overriding.of_call(attribute.__get__, (tensor,), {}, tensors=True)
            return attribute.__get__(tensor, kind) if result is overriding.NOBODY else result
        return types.MethodType(self, tensor)

    def __call__(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        attribute = original(self.name)
        if not is_open(tensor):
            return attribute(tensor, *args, **kwargs)
        function, arguments = attribute, (tensor, *args)
        if self.name in operator_methods.REFLECTED_METHODS and args and isinstance(args[0], Tensor):
            function, arguments = original(operator_methods.REFLECTED_METHODS[self.name]), (args[0], tensor)
        elif self.name in operator_methods.METHODS:
            function = original(operator_methods.METHODS[self.name])
        try:
            result = overriding.of_call(function, arguments, kwargs, tensors=takes_nothing(function))
        except TypeError:
            if self.name not in OPERATOR_NAMES:
                raise
            return NotImplemented
        return attribute(tensor, *args, **kwargs) if result is overriding.NOBODY else result


class InterceptedProperty(Interceptor):
    """Stand-in on a subclass for a property of Tensor, or for an attribute that is not loaded yet and may be one."""

    __slots__ = ()

    def __set__(self, tensor: Any, value: Any) -> None:
        self.assign(tensor, "__set__", value)

    def __delete__(self, tensor: Any) -> None:
        self.assign(tensor, "__delete__")

    def assign(self, tensor: Any, how: str, *value: Any) -> None:
        """Set or delete."""
        function = getattr(original(self.name), how)
        result = overriding.NOBODY
        if is_open(tensor):
            result = overriding.of_call(function, (tensor, *value), {}, tensors=True)
        if result is overriding.NOBODY:
            function(tensor, *value)


INTERCEPTORS: dict[str, Interceptor] = {}
"""The interceptors by name, created with the first subclass."""


def interceptors() -> dict[str, Interceptor]:
    """Return the interceptors of all methods and properties of Tensor, by name."""
    if not INTERCEPTORS:
        for name, value in tuple(vars(Tensor).items()):
            kind = type(value)
            if name not in ALONE and name not in Tensor.__slots__ and hasattr(kind, "__get__"):
                INTERCEPTORS[name] = (InterceptedProperty if hasattr(kind, "__set__") else Interceptor)(name)
    return INTERCEPTORS


def intercept(cls: Any) -> None:
    """Put interceptors on a subclass, behind the attributes that it and its other bases define themselves."""
    cls._overridden_ = flags.OVERRIDDEN
    members = overriding.members()
    for name, interceptor in interceptors().items():
        first, base = MISSING, Tensor
        for base in cls.__mro__:
            member = (members if base is Tensor else vars(base)).get(name, MISSING)
            first = member if first is MISSING else first
            if member is not MISSING and not isinstance(member, Interceptor):
                break
        if base is Tensor and not isinstance(first, Interceptor):
            setattr(cls, name, interceptor)
        elif base is not Tensor and isinstance(first, Interceptor):
            setattr(cls, name, vars(base)[name])
