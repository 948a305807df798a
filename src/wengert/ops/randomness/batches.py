"""Batching rules of random numbers: different ones for each member, the same, or an error."""

from __future__ import annotations

from typing import Any

from ..._core import batch_errors
from ..._core.operators.batch_rules import padded, with_batch
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import levels_of
from ..create.factory import Levels


def drawn_levels(input: Any = None) -> Levels:
    """Return the batches of a new random tensor: those that want different numbers, and those of `input`.

    Raises:
        RuntimeError: if a batch refuses random numbers.
    """
    active, carried = current().batches, levels_of(input)
    if not active and not carried:
        return ()
    levels = set(carried)
    for level in (*active, *carried):
        if level.randomness == "error":
            raise RuntimeError(batch_errors.RANDOM)
        if level.randomness == "different":
            levels.add(level)
    return tuple(sorted(levels, key=lambda level: level.number))


def drawn_room(levels: Levels, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the numbers to draw: one for all members of a batch that wants the same."""
    return (*[level.size if level.randomness == "different" else 1 for level in levels], *shape)


def at_once(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of operators that draw for each element: numbers for all members in one call."""
    operands, on = list(args), list(carried)
    if isinstance(operands[0], Tensor):
        operands[0], on[0] = with_batch(operands[0], on[0], size), True
    return op.call(tuple(padded(op, operands, on)))


def by_rows(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `multinomial`, which draws for each row."""
    weights, *others = args
    shape = weights.shape
    if len(shape) > 3:
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, got {len(shape) - 1}")
    if len(shape) == 3:
        weights = weights.reshape((size * shape[1], shape[2]))
    result = op.call((weights, *others))
    return result.reshape((*shape[:-1], result.shape[-1]))
