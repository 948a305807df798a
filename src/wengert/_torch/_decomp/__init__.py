"""`torch._decomp`: a registry of functions that are operators in terms of others.

The package registers none itself: its operators are not made of others by such functions. What a program registers is
found again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wengert.ops.namespaces import OpOverload, OpOverloadPacket

__all__ = [
    "core_aten_decompositions",
    "decomposition_table",
    "get_decompositions",
    "global_decomposition_table",
    "meta_table",
    "pre_autograd_decomposition_table",
    "register_decomposition",
    "remove_decompositions",
]

global_decomposition_table: dict[str, dict[Any, Callable[..., Any]]] = {
    "post_autograd": {},
    "pre_autograd": {},
    "meta": {},
}
"""Decompositions by kind and operator."""
decomposition_table = global_decomposition_table["post_autograd"]
pre_autograd_decomposition_table = global_decomposition_table["pre_autograd"]
meta_table = global_decomposition_table["meta"]


def overloads_of(op: Any) -> list[Any]:
    """Return the operators of an operator or a packet: those that the program has named."""
    if isinstance(op, OpOverloadPacket):
        forms = [var for var in vars(op).values() if isinstance(var, OpOverload)]
        return forms or [op.default]  # type: ignore[attr-defined]
    return [op]


def register_decomposition(
    aten_op: Any, registry: dict[Any, Any] | None = None, *, type: str = "post_autograd", unsafe: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Note a function as one that is an operator in terms of others; decorates it.

    Args:
        aten_op: the operator, `torch.ops.aten.add.Tensor`, or several.
        registry: dictionary to register in; that of its kind unless given.
        type: "post_autograd", "pre_autograd" or "meta".
        unsafe: ignored.

    Raises:
        AssertionError: if there is no such kind.
        RuntimeError: if the operator has a decomposition already.
    """
    if type not in global_decomposition_table:
        raise AssertionError(f"type must be one of {set(global_decomposition_table)}, got {type}")
    table = global_decomposition_table[type] if registry is None else registry

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        operators = aten_op if isinstance(aten_op, (list, tuple)) else (aten_op,)
        for op in [form for operator in operators for form in overloads_of(operator)]:
            if op in table:
                raise RuntimeError(f"duplicate registrations for {op}")
            table[op] = function
        return function

    return decorate


def get_decompositions(aten_ops: Sequence[Any], type: str = "post_autograd") -> dict[Any, Callable[..., Any]]:
    """Of the functions that were registered those of some operators, by operator.

    Args:
        aten_ops: operators, or names of several forms.
        type: the kind.
    """
    table, packets = global_decomposition_table[type], defaultdict(list)
    for op in table:
        packets[getattr(op, "overloadpacket", None)].append(op)
    decompositions: dict[Any, Callable[..., Any]] = {}
    for aten_op in aten_ops:
        for op in packets[aten_op] if isinstance(aten_op, OpOverloadPacket) else [aten_op]:
            if op in table:
                decompositions[op] = table[op]
    return decompositions


def remove_decompositions(decompositions: dict[Any, Any], aten_ops: Iterable[Any]) -> None:
    """Drop the functions of some operators, or of all their forms, from a dictionary."""
    dropped = list(aten_ops)
    for op in list(decompositions):
        if op in dropped or getattr(op, "overloadpacket", None) in dropped:
            del decompositions[op]


def core_aten_decompositions() -> dict[Any, Callable[..., Any]]:
    """The functions that a program has registered."""
    return dict(decomposition_table)
