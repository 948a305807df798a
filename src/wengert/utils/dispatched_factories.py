"""Calls of factories for dispatch modes: `aten.ones.default`. Factories are not operators here."""

from __future__ import annotations

from typing import Any

from ..ops.namespaces import NAMESPACES, AtenOverload, AtenPacket

SIZED = frozenset(("empty", "ones", "rand", "randn", "zeros"))
"""Factories that also take a size as several arguments."""

LIKE = frozenset(f"{name}_like" for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros"))
NEW = frozenset(f"new_{name}" for name in ("empty", "empty_strided", "full", "ones", "zeros"))
FACTORIES = (
    SIZED
    | LIKE
    | NEW
    | {
        "arange",
        "empty_strided",
        "eye",
        "full",
        "linspace",
        "logspace",
        "randint",
        "randperm",
        "scalar_tensor",
        "tensor",
        "tril_indices",
        "triu_indices",
    }
)


def form_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the overload of a factory for a call."""
    if name == "empty":
        return "memory_format"
    if name == "arange":
        numbers = len(args) + sum(name_ in kwargs for name_ in ("start", "end", "step"))
        return ("default", "start", "start_step")[min(max(numbers, 1), 3) - 1]
    if name == "eye" and (len(args) > 1 or "m" in kwargs):
        return "m"
    if name == "randint" and ("low" in kwargs or (len(args) > 1 and isinstance(args[1], int))):
        return "low"
    return "default"


class FactoryCall:
    """A call of a factory that a mode sees.

    Args:
        function: the factory called by the program.
        args, kwargs: its arguments.

    Attributes:
        func: the operator of torch, `aten.ones.default`.
        args, kwargs: the arguments of the operator: with a size as one argument, without `requires_grad`.
    """

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        name = function.__name__
        self.function, self.kwargs = function, dict(kwargs)
        self.requires_grad = self.kwargs.pop("requires_grad", False)
        if name == "tensor":
            self.function, name, args, self.kwargs = (
                lambda tensor: tensor,
                "lift_fresh",
                (function(*args, **kwargs),),
                {},
            )
        elif name in SIZED:
            size = self.kwargs.pop("size", args[0] if len(args) == 1 else args)
            args = (list(size) if isinstance(size, (tuple, list)) else [size],)
        self.args = tuple(list(arg) if isinstance(arg, tuple) else arg for arg in args)
        aten = NAMESPACES["aten"]
        packet = vars(aten).get(name) or vars(aten).setdefault(name, AtenPacket(name, self.function))
        self.func: AtenOverload = getattr(packet, form_of(name, args, self.kwargs))

    def make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the factory."""
        return self.function(*args, **kwargs)
