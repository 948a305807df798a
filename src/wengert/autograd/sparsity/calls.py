"""One call of an operator, as the rules of the families see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.operators import sources
from ..._core.tensor.base import Tensor, wrap
from .sets import Sets, numbers_of, stacked, union

Rule = Callable[["Call", Tensor], "Sets | None"]
"""What a call makes of the sets of its operands: those of one result; None where it depends on nothing."""


class Call:
    """A call of an operator, with the sets of its operands.

    Attributes:
        op, args: the operator and all its arguments, in the order of its parameters.
        sets: by name, the sets of each differentiable operand, None for constants; of a list of tensors a list.
        is_fixed: tells of a constant whether its values, too, do not depend on the inputs, so that zeros stay zeros.
    """

    def __init__(
        self,
        op: Any,
        args: tuple[Any, ...],
        sets_of: Callable[[Any], Sets | None],
        is_fixed: Callable[[Any], bool],
    ) -> None:
        self.op = op
        self.args = args
        self.is_fixed = is_fixed
        self.sets: dict[str, Any] = {}
        for position in op.grad_slots:
            value = args[position]
            several = op.kinds[position] == sources.ARRAYS
            self.sets[op.names[position]] = [sets_of(value) for value in value] if several else sets_of(value)

    def __getitem__(self, name: str) -> Any:
        """An argument by its name."""
        return self.args[self.op.names.index(name)]

    def has(self, name: str) -> bool:
        """Whether the operator has a parameter of that name."""
        return name in self.op.names

    def operands(self) -> list[Sets]:
        """The sets of all operands that are no constants."""
        parts = []
        for part in self.sets.values():
            parts += part if isinstance(part, list) else [part]
        return [part for part in parts if part is not None]


def everything(call: Call, result: Tensor) -> Sets | None:
    """Each element depends on all operands: what holds of any operator."""
    return union([operand.united().reshaped(()) for operand in call.operands()], result._array_.shape)


def pointwise(call: Call, result: Tensor) -> Sets | None:
    """Each element depends on those in its place; a result that is reduced depends on all."""
    shape = np.broadcast_shapes(*[operand.shape for operand in call.operands()])
    if np.broadcast_shapes(shape, result._array_.shape) != result._array_.shape:
        return everything(call, result)
    return union(call.operands(), result._array_.shape)


def moved(call: Call, result: Tensor) -> Sets | None:
    """Each element is one of the operands', or a constant: which one, the operator itself says, applied to numbers."""
    args, parts, start = list(call.args), [], 1.0

    def numbered(value: Any, sets: Sets | None) -> Any:
        nonlocal start
        if sets is None:
            return wrap(np.zeros(value._array_.shape)) if isinstance(value, Tensor) else 0.0
        parts.append(sets)
        first, start = start, start + sets.matrix.shape[0]
        return wrap(numbers_of(sets.shape) + first)

    for position in call.op.grad_slots:
        value, sets = call.args[position], call.sets[call.op.names[position]]
        if isinstance(sets, list):
            args[position] = tuple(numbered(value, own) for value, own in zip(value, sets))
        elif value is not None:
            args[position] = numbered(value, sets)
    for name, neutral in NEUTRAL.items():
        if call.has(name):
            position = call.op.names.index(name)
            if position not in call.op.grad_slots:
                args[position] = neutral
    moved_numbers = call.op.call(tuple(args))
    return stacked(parts).moved(moved_numbers.numpy().astype(np.int64)) if parts else None


NEUTRAL: dict[str, Any] = {"value": 0.0, "fill_value": 0.0, "scale_grad_by_freq": False}
"""Arguments that must not make a number of another one: constants that are filled in, factors."""


def numbers_by(op: Any, shape: Any, *args: Any) -> Any:
    """Where an operator that reads elements reads those of a tensor of this shape: their numbers, counted from 0."""
    return op(wrap(numbers_of(shape)), *args).numpy()
