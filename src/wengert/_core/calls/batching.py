"""The batching step of a call: tensors with a dimension that the program does not see, see `tensor.batches`.

It is the last step before the kernel: tangents and history belong to the batched tensors themselves. One level at a
time, the newest first: the operator's rule receives the values of all members, which may be batched at the levels
that are older.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import batch_errors, door, errors, flags
from ..operators import batch_rules, layouts
from ..operators.overlap import overlaps_itself
from ..state.modes import Modes, current
from ..tensor import batches, tangents
from ..tensor.base import Tensor, wrap
from ..tensor.batches import Batch
from ..tensor.slots import OPERATORS


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator for all members of a batch at once; `word` are the flags of all inputs."""
    word &= ~(flags.BATCHED | flags.BATCHES)
    if op.random:
        args = drawing_apart(op, args, modes)
    level: Batch | None = newest(op, args)
    if level is None:
        return op.go_on(args, word, modes)
    if op.written(args) is not None:
        return op.complete(args, word, modes)
    if word & flags.REQUIRES_GRAD:
        args = lifted(op, args)
    result: Any = computed(op, args, level)
    op.remember(args, result, word, modes)
    return result


def computed(op: Any, args: tuple[Any, ...], level: Batch) -> Any:
    """Return the results for all members of a level, without history."""
    if op.crossing is not None:
        return op.crossing(op, args, level)
    wholes: list[Any]
    carried: list[Any]
    constant: bool
    wholes, carried, constant = wholes_of(op, args, level)
    if constant and not op.random:
        return alike(op, wholes, carried, level)
    result: Any = run_rule(op, wholes, carried, level, args)
    if op.several:
        return tuple([batches.batched(part if op.view else members_together(part), level) for part in result])
    return batches.batched(result if op.view else members_together(result), level)


def members_together(whole: Any) -> Any:
    """Return a result with the batch outermost in memory, copied if it is not, as with `in_dims=-1`.

    Then a member has the strides of a single result, and `view` and `contiguous` act as without the batch.
    """
    tensor: Tensor = whole
    if door.has_rows(tensor._array_):
        return whole
    steps: list[int] = [abs(step) for step in layouts.steps_of(tensor._array_)]
    shape: tuple[int, ...] = tensor._array_.shape
    around: list[int] = [dim for dim in range(1, len(shape)) if shape[dim] > 1 and steps[dim] > steps[0]]
    if not around or steps[0] == 0 or shape[0] < 2:
        return whole
    return whole._restrided(layouts.packed(shape, [*sorted(range(1, len(shape)), key=steps.__getitem__), 0]))


def wholes_of(op: Any, args: tuple[Any, ...], level: Batch) -> tuple[list[Any], list[Any], bool]:
    """Return the arguments for all members of a level, which of them carry it, and whether all members share memory."""
    wholes: list[Any] = list(args)
    carried: list[Any] = [False] * len(args)
    constant: bool = True
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, (tuple, list)):
            wholes[position] = [batches.whole_of(element, level) for element in value]
            carried[position] = [batches.level_of(element) is level for element in value]
            for at, carries in enumerate(carried[position]):
                constant = constant and (not carries or batches.is_constant(wholes[position][at]))
        elif isinstance(value, Tensor):
            wholes[position] = batches.whole_of(value, level)
            carried[position] = batches.level_of(value) is level
            constant = constant and (not carried[position] or batches.is_constant(wholes[position]))
    return wholes, carried, constant


def run_rule(op: Any, wholes: list[Any], carried: list[Any], level: Batch, args: tuple[Any, ...]) -> Any:
    """Return the result of an operator's rule; an error is that of a single member, if that raises one."""
    if op.random:
        return drawn(op, wholes, carried, level, args)
    try:
        return batch_rules.rule_for(op)(op, level.size, wholes, carried)
    except (RuntimeError, IndexError, ValueError, TypeError):
        if level.size:
            batch_rules.of_member(op, wholes, carried, 0)  # its error tells of the shapes that the program knows
        raise


def drawn(op: Any, wholes: list[Any], carried: list[Any], level: Batch, args: tuple[Any, ...]) -> Any:
    """`run_rule` of a random operator, outside of the level, which has said how to draw."""
    modes: Modes = current()
    before: list[Any] = modes.batches
    try:
        modes.batch([batch for batch in before if batch is not level])
        if level.randomness == "same" and level.size:
            return batch_rules.one_by_one(op, level.size, wholes, carried, same_draws(op, args))
        return batch_rules.rule_for(op)(op, level.size, wholes, carried)
    finally:
        modes.batch(before)


def same_draws(op: Any, args: tuple[Any, ...]) -> Any:
    """Return a function that resets the generator of a call to its present state."""
    generator: Any = args[op.names.index("generator")] if "generator" in op.names else None
    return OPERATORS.same_draws(generator)


def alike(op: Any, wholes: list[Any], carried: list[Any], level: Batch) -> Any:
    """Return the results where all members share memory, computed once."""
    result: Any = batch_rules.of_member(op, wholes, carried, 0)
    if op.several:
        return tuple([batches.batched(spread(part, level), level) for part in result])
    return batches.batched(spread(result, level), level)


def spread(value: Any, level: Batch) -> Any:
    """Expand a tensor to all members, without a copy."""
    return value.expand((level.size, *value._array_.shape))


def newest(op: Any, args: tuple[Any, ...]) -> Batch | None:
    """Return the newest level of all tensors among the arguments."""
    latest: Batch | None = None
    for position in op.tensor_slots:
        value = args[position]
        for element in value if isinstance(value, (tuple, list)) else (value,):
            level = batches.level_of(element)
            if level is not None and (latest is None or level.number > latest.number):
                latest = level
    return latest


def lifted(op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Lift the arguments that need a gradient to all levels: so the sum over a batch has a place in the graph."""
    levels: list[Batch] = all_levels(op, args)
    lifted_args: list[Any] = list(args)
    for position in op.grad_slots:
        value = args[position]
        if isinstance(value, (tuple, list)):
            lifted_args[position] = [lift_recorded(element, levels) for element in value]
        else:
            lifted_args[position] = lift_recorded(value, levels)
    return tuple(lifted_args)


def all_levels(op: Any, args: tuple[Any, ...]) -> list[Batch]:
    """Return the levels of all tensors among the arguments, the oldest first."""
    values: list[Any] = []
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, (tuple, list)):
            values.extend(value)
        else:
            values.append(value)
    return levels_among(values)


def levels_among(values: list[Any]) -> list[Batch]:
    """Return the levels of tensors, the oldest first."""
    levels: list[Batch] = []
    level: Batch
    for value in values:
        for level in batches.levels_of(value):
            at: int = len(levels)
            while at > 0 and levels[at - 1].number > level.number:
                at -= 1
            if at == 0 or levels[at - 1] is not level:
                levels.insert(at, level)
    return levels


def lift_recorded(value: Any, levels: list[Batch]) -> Any:
    """Return `lift` of a tensor that needs a gradient."""
    if isinstance(value, Tensor) and value._flags_ & flags.REQUIRES_GRAD:
        return lift(value, levels)
    return value


def lift(value: Any, levels: list[Batch]) -> Any:
    """Return a tensor as one that carries batches; along those that it does not carry, all members are the same."""
    for level in levels:
        if not batches.has(value, level):
            value = OPERATORS.enter_batch.call((spread(value, level), level, 0))
    return value


def first_tensor(op: Any, args: tuple[Any, ...]) -> int:
    """Return the index of the first tensor among the arguments: a number may stand for one."""
    place: int = op.tensor_slots[0]
    for at in op.tensor_slots:
        if isinstance(args[at], Tensor):
            return int(at)
    return place


def drawing_apart(op: Any, args: tuple[Any, ...], modes: Modes) -> tuple[Any, ...]:
    """Return the arguments of a random operator, lifted to the levels whose members draw their own numbers.

    Raises:
        RuntimeError: if a level refuses random numbers; if one wants the same for all members, whose distributions
            differ; or if the operator writes to a tensor that has no such level.
    """
    for level in reversed((*all_levels(op, args), *modes.batches)):  # the innermost refuses first
        if level.randomness == "error":
            raise RuntimeError(batch_errors.RANDOM)
        if level.randomness == "same" and is_carried(op, args, level, 1 if op.random == "like" else 0):
            raise RuntimeError(batch_errors.SAME_OF_BATCHED.format(op.name))
    position: int = first_tensor(op, args)
    for level in modes.batches:
        if level.randomness == "different" and not is_carried(op, args, level, 0):
            if op.written(args) is not None:
                raise RuntimeError(batch_errors.RANDOM_IN_PLACE)
            args = (*args[:position], lift(args[position], [level]), *args[position + 1 :])
    return args


def is_carried(op: Any, args: tuple[Any, ...], level: Batch, start: int) -> bool:
    """Return whether a tensor among the arguments from a place on carries a batch."""
    for at in op.tensor_slots:
        if at >= start and isinstance(args[at], Tensor) and batches.has(args[at], level):
            return True
    return False


def write(op: Any, args: tuple[Any, ...]) -> None:
    """Write for all members what `op` writes into its first argument.

    Raises:
        RuntimeError: if the members would need targets of their own, but the target has no such batch.
    """
    functional: Any = op.functional
    level: Batch = newest(functional, args)
    if batches.level_of(args[0]) is not level:
        raise RuntimeError(batch_errors.unbatched_target(op.name))
    whole: Any = batches.whole_of(args[0], level)
    others: list[Any]
    carried: list[Any]
    others, carried, _ = wholes_of(functional, args, level)
    if batches.is_constant(whole):
        if not wholes_of(functional, (None, *args[1:]), level)[2]:
            raise RuntimeError(batch_errors.unbatched_target(op.name))
        others = [batch_rules.member(other, on, 0) for other, on in zip(others, carried)]
        op.call(tuple(others))
        return
    if overlaps_itself(args[0]._array_):
        for at in range(level.size):
            op.call(tuple([batch_rules.member(other, on, at) for other, on in zip(others, carried)]))
    elif functional.random and level.randomness == "same":
        before = same_draws(functional, args)
        for at in range(level.size):
            before()
            op.call(tuple([batch_rules.member(other, on, at) for other, on in zip(others, carried)]))
    elif batch_rules.is_elementwise(functional) or op is OPERATORS.copy_:
        operands = batch_rules.padded(functional, others, carried)
        batch_rules.check_target(operands[0], whole)
        op.call(tuple(operands))
    else:
        result: Any = run_rule(functional, others, carried, level, args)
        check_space(result, whole, args[0])
        whole.copy_(result)


def check_space(result: Any, whole: Any, target: Tensor) -> None:
    """Refuse a result that does not fit into the target.

    Raises:
        RuntimeError: if its shape is not that of the target.
    """
    if result._array_.shape != whole._array_.shape:
        raise RuntimeError(errors.target_shape(target._array_.shape, result._array_.shape[1:]))


def rearranged(op: Any, args: tuple[Any, ...]) -> Any:
    """Return the array of a batched tensor after `op`, the in-place form of a view."""
    level: Batch = newest(op.functional, args)
    result: Tensor = computed(op.functional, args, level)
    return result._array_


def copied(tensor: Tensor) -> Tensor:
    """Copy a batched tensor, without history."""
    array: Any = tensor._array_
    return batches.batched(array.whole.clone(), array.level)


def zeros(tensor: Tensor) -> Any:
    """Return zeros with the levels of a batched tensor, on memory of their own."""
    array: Any = tensor._array_
    whole: Any = array.whole
    return batches.batched(whole.new_zeros(door.shape_of(whole._array_)), array.level)


def spread_out(value: Any, levels: list[Batch]) -> Any:
    """Return a tensor with memory of its own for every member of some levels."""
    oldest_first: list[Batch] = [level for _, level in sorted([(level.number, level) for level in levels])]
    shape = (*[level.size for level in oldest_first], *value._array_.shape)
    zeros_there: Any = wrap(np.zeros(shape, value._array_.dtype))
    for level in oldest_first:
        zeros_there = batches.batched(zeros_there, level)
    return value + zeros_there


def left(value: Any, level: Batch, dim: int) -> Any:
    """Return a tensor with the members of a batch along dimension `dim`; all the same if it carries no batch."""
    if depends(value, level):
        return OPERATORS.leave_batch.call((lift(value, [level]), level, dim))
    return value.unsqueeze(dim).expand((*value.shape[:dim], level.size, *value.shape[dim:]))


def depends(value: Tensor, level: Batch) -> bool:
    """Return whether a tensor, or a tangent of it, carries a batch."""
    if batches.has(value, level):
        return True
    tangent: Any = tangents.first_of(value)
    while tangent is not None:
        if tangent.tensor is not None and depends(tangent.tensor, level):
            return True
        tangent = tangent.outer
    return False
