"""Custom Functions in forward mode: the program's `jvp`, and the tangents that it returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags, forward_errors
from ..calls.dual_memory import owned
from ..calls.forward import adopt_one
from ..state.modes import Modes
from ..tensor import tangents
from ..tensor.base import Tensor, wrap
from ..tensor.storage import next_serial
from ..tensor.tangents import Level, Tangent
from . import function_errors


def levels_of(args: tuple[Any, ...], modes: Modes) -> list[Level]:
    """Return the levels at which tensors among the arguments are dual, the outermost first."""
    levels: dict[int, Level] = {}
    for value in args:
        if not isinstance(value, Tensor):
            continue
        adopt_one(value)
        tangent: Tangent | None = tangents.first_of(value)
        while tangent is not None:
            if tangent.tensor is not None and tangent.level.number < modes.forward:
                levels[tangent.level.number] = tangent.level
            tangent = tangent.outer
    return [levels[number] for number in sorted(levels)]


def carry(node: Any, args: tuple[Any, ...], outputs: list[Any], fixed: tuple[Any, ...], modes: Modes) -> None:
    """Give the outputs their tangents, level by level.

    Args:
        fixed: the outputs that were marked not differentiable.

    Raises:
        NotImplementedError: if the Function has no `jvp`.
        RuntimeError: if `jvp` did not return a tangent for each output.
    """
    before: int = modes.forward
    for level in levels_of(args, modes):
        input_tangents = [tangent_argument(node, value, level) for value in args]
        born: int = next_serial()
        try:
            modes.forward = level.number
            result = node._forward_cls.jvp(node, *input_tangents)
        finally:  # stores only, see `modes`
            modes.forward = before
        returned: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
        if len(returned) != len(outputs):
            raise RuntimeError(function_errors.tangent_count(len(outputs), len(returned)))
        for nr in range(len(outputs)):
            differentiable = is_differentiable(outputs[nr], fixed)
            check_tangent(nr, outputs[nr], returned[nr], differentiable)
            if returned[nr] is None:
                check_unwritten(outputs[nr], level, args)
            else:
                attach(outputs[nr], returned[nr], level, args, input_tangents, born)


def tangent_argument(node: Any, value: Any, level: Level) -> Any:
    """Return the value that `jvp` receives for an argument: its tangent, or zeros (None if the Function wants that)."""
    if not isinstance(value, Tensor):
        return None
    tangent = tangents.tangent_at(value, level)
    if tangent is None and node.materialize_grads:
        return wrap(np.zeros(value._array_.shape, value._array_.dtype))
    return tangent


def is_differentiable(output: Any, fixed: tuple[Any, ...]) -> bool:
    """Return whether an output can have a tangent."""
    return (
        isinstance(output, Tensor) and door.is_inexact(output._array_) and not any(tensor is output for tensor in fixed)
    )


def check_tangent(nr: int, output: Any, tangent: Any, differentiable: bool) -> None:
    """Refuse a value that is not a tangent of an output."""
    if tangent is None:
        return
    if not isinstance(tangent, Tensor):
        raise RuntimeError(function_errors.no_tangent(nr, tangent))
    if not differentiable:
        raise RuntimeError(function_errors.tangent_of_fixed(nr))
    if tangent._array_.shape != output._array_.shape:
        raise RuntimeError(forward_errors.wrong_size(output._array_.shape, tangent._array_.shape))


def check_unwritten(output: Any, level: Level, args: tuple[Any, ...]) -> None:
    """Refuse an output without a tangent that is an input which has one: it would keep that of its old value.

    Raises:
        RuntimeError: if the output is such an input.
    """
    for value in args:
        if value is output and isinstance(value, Tensor) and tangents.tangent_at(value, level) is not None:
            raise RuntimeError(function_errors.TANGENT_NOT_WRITTEN)


def attach(
    output: Tensor, tangent: Tensor, level: Level, args: tuple[Any, ...], input_tangents: list[Any], born: int
) -> None:
    """Give an output its tangent at a level, on memory of its own unless the output is a view of an input.

    Args:
        born: a serial number from before `jvp` ran.

    Raises:
        RuntimeError: if the output was written to in place, or is a view, and its tangent is not.
    """
    for at in range(len(args)):
        if args[at] is output:
            if tangents.tangent_at(output, level) is None:
                tangents.insert(output, level, owned(tangent, born))
            elif input_tangents[at] is not tangent:
                raise RuntimeError(function_errors.TANGENT_NOT_WRITTEN)
            return
    if output._flags_ & flags.VIEW:
        sources = [at for at in range(len(args)) if shares(args[at], output)]
        if sources and not any(shares(input_tangents[at], tangent) for at in sources):
            raise RuntimeError(function_errors.TANGENT_NO_VIEW)
        if sources:
            born = 0
    tangents.insert(output, level, owned(tangent, born))


def shares(one: Any, other: Tensor) -> bool:
    """Return whether an object is a tensor on the memory of another tensor, and not that tensor."""
    return isinstance(one, Tensor) and one is not other and one._storage_ is other._storage_
