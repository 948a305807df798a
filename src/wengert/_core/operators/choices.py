"""Choice among several nodes of an operator by the arguments of a call: torch names nodes by overload."""

from __future__ import annotations

from typing import Any

from ..tensor.base import Tensor


def second_is_number(args: tuple[Any, ...]) -> int:
    """Return 1 if the second operand is a number, otherwise 0."""
    return 0 if isinstance(args[1], Tensor) else 1


def second_is_tensor(args: tuple[Any, ...]) -> int:
    """Return 0 if the second operand is a number, otherwise 1."""
    return 1 if isinstance(args[1], Tensor) else 0


def number_among_two(args: tuple[Any, ...]) -> int:
    """Return 0 if the second operand is a number, 2 if the first one is, 1 for two tensors."""
    if not isinstance(args[1], Tensor):
        return 0
    return 1 if isinstance(args[0], Tensor) else 2


def whole_or_dims(args: tuple[Any, ...]) -> int:
    """Return 0 for a reduction of all dimensions, 1 for one of some."""
    return 0 if args[1] is None and not args[2] else 1
