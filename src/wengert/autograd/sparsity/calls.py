"""A call of an operator, as passed to the rules of the families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.operators import sources
from ..._core.tensor.base import Tensor, wrap
from .sets import Sets, numbers_of, stacked, union

Rule = Callable[["Call", Tensor], "Sets | None"]
"""Function from a call and a result to the sets of the result; None if it depends on no input."""


class Call:
    """A call of an operator, with the sets of its operands.

    Attributes:
        op, args: the operator and all its arguments, in the order of its parameters.
        sets: by name, the sets of each differentiable operand, None for constants; for a list of tensors a list.
        is_fixed: function that returns whether the values of a constant are the same for all inputs, so that zeros stay
            zeros.
    """

    def __init__(
        self, op: Any, args: tuple[Any, ...], sets_of: Callable[[Any], Sets | None], is_fixed: Callable[[Any], bool]
    ) -> None:
        self.op = op
        self.args = args
        self.is_fixed = is_fixed
        self.sets: dict[str, Any] = {}
        for position in op.grad_slots:
            value = args[position]
            several = op.kinds[position] == sources.ARRAYS
            self.sets[op.names[position]] = [sets_of(part) for part in value] if several else sets_of(value)

    def __getitem__(self, name: str) -> Any:
        """Return an argument by its name."""
        return self.args[self.op.names.index(name)]

    def has(self, name: str) -> bool:
        """Return whether the operator has a parameter of that name."""
        return name in self.op.names

    def operands(self) -> list[Sets]:
        """Return the sets of all operands that are not constants."""
        parts = []
        for part in self.sets.values():
            parts += part if isinstance(part, list) else [part]
        return [part for part in parts if part is not None]


def everything(call: Call, result: Tensor) -> Sets | None:
    """Rule of any operator: each element depends on all operands."""
    return union([operand.united().reshaped(()) for operand in call.operands()], result._array_.shape)


def pointwise(call: Call, result: Tensor) -> Sets | None:
    """Rule of elementwise operators: each element depends on those at its index; a reduced result depends on all."""
    shape = np.broadcast_shapes(*[operand.shape for operand in call.operands()])
    if np.broadcast_shapes(shape, result._array_.shape) != result._array_.shape:
        return everything(call, result)
    return union(call.operands(), result._array_.shape)


def moved(call: Call, result: Tensor) -> Sets | None:
    """Rule of operators that move elements: the operator itself, applied to numbers of elements, shows their origin."""
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
            args[position] = tuple(numbered(part, numbers) for part, numbers in zip(value, sets))
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
"""Arguments that would change numbers of elements (fill values, factors), with neutral values."""


def numbers_by(op: Any, shape: Any, *args: Any) -> Any:
    """Return the numbers, from 0, of the elements that an operator reads from a tensor of this shape."""
    return op(wrap(numbers_of(shape)), *args).numpy()
