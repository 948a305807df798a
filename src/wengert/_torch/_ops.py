"""Classes of the members of `torch.ops`, for `isinstance`, and operators that take functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.ops.namespaces import NAMESPACES, OpOverload, OpOverloadPacket, namespace


class OperatorBase:
    """The base of operators that a program makes of functions by the kind of kernel."""

    def __init__(self) -> None:
        self.py_kernels: dict[Any, Callable[..., Any]] = {}

    def py_impl(self, k: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Note a function as the kernel of a kind, a `DispatchKey`; decorates it.

        Raises:
            RuntimeError: if an operator of that name exists already.
        """

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            if k in self.py_kernels:
                raise RuntimeError(f"Trying to override a python impl for {k} on operator {self.name()}")
            self.py_kernels[k] = function
            return function

        return decorate

    def has_kernel_for_dispatch_key(self, k: Any) -> bool:
        """Return whether there is a kernel of a kind."""
        return k in self.py_kernels

    def name(self) -> str:
        """The name."""
        raise NotImplementedError


class HigherOrderOperator(OperatorBase):
    """An operator that takes functions, as a program defines it.

    A call runs the kernel for "CompositeExplicitAutograd" or "CPU", whose operations are recorded.

    Args:
        name: of the operator.
        cacheable: ignored.
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        super().__init__()
        if type(self) is HigherOrderOperator:
            raise RuntimeError("Direct instantiation of HigherOrderOperator is not allowed. Please subclass it.")
        self._name = self.__name__ = name

    def name(self) -> str:
        """The name."""
        return self._name

    def fallthrough(self, dispatch_key: Any) -> None:
        """Nothing: kernels of other kinds are passed over in any case."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it.

        Raises:
            NotImplementedError: if it has no kernel that can run here.
        """
        for name in ("CompositeExplicitAutograd", "CompositeImplicitAutograd", "CPU"):
            for key, function in self.py_kernels.items():
                if getattr(key, "name", key) == name:
                    return function(*args, **kwargs)
        raise NotImplementedError(
            f"HigherOrderOperator {self._name!r}: it has no kernel for CompositeExplicitAutograd or CPU"
        )

    def __str__(self) -> str:
        return self._name


__all__ = ["NAMESPACES", "HigherOrderOperator", "OpOverload", "OpOverloadPacket", "OperatorBase", "namespace"]
