"""What classes with a `__torch_dispatch__` are told of calls: torch's names of operators, and their arguments."""

from __future__ import annotations

from typing import Any

from ..autograd import class_dispatch
from ..autograd.class_dispatch import call, detached, factory, number, ones_like, write
from ..autograd.dispatching import arguments
from ..ops.namespaces import NAMESPACES
from .dispatched_factories import LIKE, NEW, FactoryCall
from .overloads import overload_of, takes_several


class TorchNames(class_dispatch.Names):
    """The names of torch: `torch.ops.aten.add.Tensor`."""

    def operator(self, op: Any, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """An operator with its arguments as torch gives them: without defaults."""
        func = overload_of(op, values)
        args, kwargs = arguments(op, values)
        if len(args) > 1 and isinstance(args[1], int) and takes_several(func):
            args = (args[0], [args[1]], *args[2:])
        return func, args, kwargs

    def method(self, name: str, form: str) -> Any:
        """An operator that is a method here, `aten.detach.default`."""
        return getattr(getattr(NAMESPACES["aten"], name), form)

    def is_factory(self, name: str) -> bool:
        """Whether a function makes tensors like one that it is given: `ones_like`, `new_zeros`."""
        return name in LIKE or name in NEW

    def factory(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> FactoryCall:
        """The call of such a function."""
        return FactoryCall(function, args, kwargs)


class_dispatch.names = TorchNames()

__all__ = ["call", "detached", "factory", "number", "ones_like", "write"]
