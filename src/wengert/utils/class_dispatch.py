"""torch's names of operators, with their arguments, for classes with a `__torch_dispatch__`."""

from __future__ import annotations

from typing import Any

from ..autograd import class_dispatch
from ..autograd.class_dispatch import call, detached, factory, number, ones_like, write
from ..autograd.dispatching import arguments
from ..ops.namespaces import NAMESPACES
from .dispatched_factories import LIKE, NEW, FactoryCall
from .overloads import overload_of, takes_several


class TorchNames(class_dispatch.Names):
    """Names of operators as in torch: `torch.ops.aten.add.Tensor`."""

    def operator(self, op: Any, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return an operator with its arguments as torch passes them: without defaults."""
        func = overload_of(op, values)
        args, kwargs = arguments(op, values)
        if len(args) > 1 and isinstance(args[1], int) and takes_several(func):
            args = (args[0], [args[1]], *args[2:])
        return func, args, kwargs

    def method(self, name: str, form: str) -> Any:
        """Return an operator that is a method here, `aten.detach.default`."""
        return getattr(getattr(NAMESPACES["aten"], name), form)

    def is_factory(self, name: str) -> bool:
        """Return whether a function makes tensors like its argument: `ones_like`, `new_zeros`."""
        return name in LIKE or name in NEW

    def factory(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> FactoryCall:
        """Return the call of a factory."""
        return FactoryCall(function, args, kwargs)


class_dispatch.names = TorchNames()

__all__ = ["call", "detached", "factory", "number", "ones_like", "write"]
