"""Forward mode's step of a call: tangents of dual tensors.

The operator is applied to the primals, then, level by level from the outermost, its forward rules to tangents and
primals, which are dual at the levels around. What is recorded is the call on the dual tensors themselves, so that
backward passes compute tangents of gradients; the rules' own operations are recorded, too, so that tangents have
gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..bits import bit
from ..leaves.accumulate import gradient_edge
from ..operators import forward_rules, sources
from ..operators.forward_rules import Share, shares_for
from ..operators.overlap import overlaps_itself
from ..recording.recorded import conjugate, shapes_of
from ..state.modes import Modes
from ..tensor import tangents
from ..tensor.base import Tensor, share, wrap
from ..tensor.storage import next_serial
from ..tensor.tangents import Level, Tangent
from . import batching, dual_memory


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Compute values and tangents; `word` are the flags of all inputs."""
    level: Level = innermost(op, args, modes.forward)
    word &= ~(flags.DUAL | flags.LEVELS)
    if level is None:
        return op.go_on(args, word, modes)
    if op.written(args) is not None:
        return write(op, args, word, modes)
    if word & flags.BATCHED and word & flags.REQUIRES_GRAD:
        args = batching.lifted(op, args)
    steps: list[Any] = []
    primals: tuple[Any, ...] = args
    while level is not None:
        input_tangents: tuple[Any, ...] = tuple(
            [tangents_of(primals[position], level) for position in op.forward_slots]
        )
        primals = without(op, primals, level)
        steps.append((level, primals, input_tangents))
        level = innermost(op, primals, modes.forward)
    # The call on the dual tensors is recorded, not that on the primals, and before any tangent: rules may name `out`.
    result: Any = op.go_on(primals, word & ~flags.REQUIRES_GRAD, modes)
    results: tuple[Any, ...] = result if op.several else (result,)
    announced: list[Any] = []
    for step in reversed(steps):
        announced.append(announce(op, results, step[0], announced[-1] if announced else None))
    op.remember(args, result, word, modes)
    for noted in announced:
        step = steps.pop()
        if has_some(noted):
            primals = tuple([primal_of(part, step[0]) for part in results])
            before: int = next_serial()
            fill(noted, total(op, step[1], step[2], primals), results, 0 if op.view else before)
    for part in results:
        settle(part)
    return result


def is_flagged(tensor: Tensor) -> bool:
    """Return whether a tensor has had a tangent."""
    return tensor._flags_ & flags.DUAL != 0


def adopt_one(view: Tensor) -> None:
    """Give a view the views of its base's tangents that were added or replaced after the view was taken."""
    if not view._flags_ & flags.VIEW:
        return
    info: ViewInfo = view._meta_.view
    base: Tensor = info.base
    if not base._flags_ & flags.DUAL or is_awaited(view) or views.has_left(view, info):
        return
    tangent: Tangent = tangents.first_of(base)
    while tangent is not None:
        if tangent.tensor is not None and is_missing(view, tangent.level):
            tangents.insert(view, tangent.level, info.replay(tangent.tensor))
        tangent = tangent.outer


def is_awaited(tensor: Tensor) -> bool:
    """Return whether a tangent of a tensor was announced and is not there yet."""
    tangent: Tangent = tensor._meta_.tangent
    return tangent is not None and tangent.tensor is None and tangent.level.alive


def is_missing(view: Tensor, level: Level) -> bool:
    """Return whether a view has no tangent at a level, or one that was replaced."""
    tangent: Any = tangents.tangent_at(view, level)
    return tangent is None or dual_memory.is_replaced(tangent, level)


def innermost(op: Any, args: tuple[Any, ...], seen: int) -> Level | None:
    """Return the innermost of the first `seen` levels at which a tensor among the arguments is dual."""
    level: Level = None
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, Tensor):
            level = inner_of(value, level, seen)
        elif isinstance(value, (tuple, list)):
            for element in value:
                if isinstance(element, Tensor):
                    level = inner_of(element, level, seen)
    return level


def inner_of(tensor: Tensor, level: Level | None, seen: int) -> Level | None:
    """Return the innermost of a level and those at which a tensor is dual."""
    if tensor._flags_ & flags.VIEW:
        adopt_one(tensor)
    if not tensor._flags_ & flags.DUAL:
        return level
    tangent: Tangent = tangents.first_of(tensor)
    while tangent is not None and (tangent.tensor is None or tangent.level.number >= seen):
        tangent = tangent.outer
    if tangent is not None and (level is None or tangent.level.number > level.number):
        return tangent.level
    return level


def without(op: Any, args: tuple[Any, ...], level: Level) -> tuple[Any, ...]:
    """Return the arguments without their tangents at a level."""
    primals: list[Any] = list(args)
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, Tensor):
            primals[position] = primal_of(value, level)
        elif isinstance(value, (tuple, list)):
            primals[position] = tuple([primal_of(element, level) for element in value])
    return tuple(primals)


def tangents_of(value: Any, level: Level) -> Any:
    """Return the tangent of an argument at a level, for a list those of its elements; None if it has none."""
    if isinstance(value, Tensor):
        return tangents.tangent_at(value, level)
    if isinstance(value, (tuple, list)):
        own_tangents: list[Any] = []
        some: bool = False
        for element in value:
            own_tangents.append(tangents.tangent_at(element, level) if isinstance(element, Tensor) else None)
            some = some or own_tangents[len(own_tangents) - 1] is not None
        return own_tangents if some else None
    return None


def primal_of(value: Any, level: Level) -> Any:
    """Return a tensor as the outer levels see it: the same values, the same place in the graph."""
    if not isinstance(value, Tensor) or not is_flagged(value):
        return value
    return stripped(value, level)


def stripped(tensor: Tensor, level: Level) -> Tensor:
    """Return `primal_of` a tensor that is dual, or was."""
    tangent: Tangent = tensor._meta_.tangent
    while tangent is not None and (tangent.tensor is None or tangent.level.number >= level.number):
        tangent = tangent.outer
    twin: Tensor = share(tensor._array_, tensor._storage_)
    twin._flags_ = tensor._flags_ & ~(flags.VIEW | flags.DUAL)
    if tensor._flags_ & flags.REQUIRES_GRAD:
        twin._edge_ = gradient_edge(tensor)
    if tangent is not None:
        tangents.put(twin, tangent)
    return twin


def announce(op: Any, results: tuple[Any, ...], level: Level, outer: Any) -> list[Any]:
    """Note tangents that are yet to be computed, before those of the outer level; saved values refer to them."""
    noted: list[Any] = []
    for nr in range(len(results)):
        result: Tensor = results[nr]
        if not door.is_inexact(result._array_) or not op.rules or (op.differentiable and not op.differentiable[nr]):
            noted.append(None)
            continue
        known: Tangent = tangents.first_of(result) if outer is None and is_flagged(result) else None
        tangent: Tangent = tangents.linked(level, None, known if outer is None else outer[nr])
        tangents.put(result, tangent)
        noted.append(tangent)
    return noted


def has_some(noted: list[Any]) -> bool:
    """Return whether a tangent was announced."""
    for tangent in noted:
        if tangent is not None:
            return True
    return False


def fill(noted: list[Any], values: tuple[Any, ...], results: tuple[Any, ...], before: int) -> None:
    """Fill in tangents that were announced.

    Those of results that are not views get the shape, dtype and layout of their tensors, and memory of their own.

    Args:
        before: a serial number from before the rules ran; 0 if the results are views.
    """
    tangent: Tangent
    for nr in range(len(noted)):
        tangent = noted[nr]
        if tangent is not None and values[nr] is not None:
            if before == 0:
                tangent.tensor = values[nr]
            else:
                value: Any = dual_memory.owned(values[nr], before)
                # A copy may have other strides: it is fitted afterwards.
                value = value.clone() if is_among(value, noted[:nr]) else value
                tangent.tensor = dual_memory.fitted(value, results[nr])


def is_among(value: Tensor, noted: list[Any]) -> bool:
    """Return whether a tangent shares memory with one of those that are filled in."""
    other: Tensor
    for tangent in noted:
        if tangent is not None and tangent.tensor is not None:
            other = tangent.tensor
            if other._storage_ is value._storage_:
                return True
    return False


def settle(result: Tensor) -> None:
    """Remove a tangent that was announced but not computed."""
    if is_flagged(result) and result._meta_.tangent.tensor is None:
        tangents.put(result, tangents.first_of(result))


def total(
    op: Any, primals: tuple[Any, ...], input_tangents: tuple[Any, ...], results: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the tangents of the results, summed over the tangents of all inputs; None for zero."""
    mask: int = 0
    for slot in range(len(input_tangents)):
        if input_tangents[slot] is not None:
            mask |= bit(slot)
    sums: list[Any] = [None] * len(results)
    parts: Any
    for term in shares_for(op, mask):
        parts = contribution(op, term, primals, input_tangents, results)
        if not op.several:
            parts = (parts,)
        elif parts is None:
            continue
        for nr in range(len(results)):
            if parts[nr] is not None:
                sums[nr] = parts[nr] if sums[nr] is None else sums[nr] + parts[nr]
    return tuple(sums)


def contribution(
    op: Any, part: Share, primals: tuple[Any, ...], input_tangents: tuple[Any, ...], results: tuple[Any, ...]
) -> Any:
    """Return the contribution of the tangents of some inputs to those of the results."""
    slot: int = part.slots[0]
    if part.way == forward_rules.LINEAR:
        args = list(primals)
        position: int = op.forward_slots[slot]
        args[position] = full(input_tangents[slot], primals[position])
        return op.call(tuple(args))
    values = [argument(op, part, at, primals, results) for at in range(len(part.sources))]
    if part.way == forward_rules.WRITTEN:
        moved = [full(input_tangents[slot], primals[op.forward_slots[slot]]) for slot in part.slots]
        return part.fn(*moved, *values)
    if part.way == forward_rules.PARTIAL:
        return input_tangents[slot] * part.fn(*values)
    return mirrored(part, input_tangents[slot], values, results[0])


def mirrored(part: Share, tangent: Any, values: list[Any], result: Tensor) -> Any:
    """Apply a reverse rule to a tangent, in place of the (conjugate) gradient of the result."""
    shape = door.shape_of(result._array_)
    if tangent._array_.shape != shape:
        tangent = tangent.expand(shape)
    grads = part.fn(conjugate(tangent), *values)
    return conjugate(grads if part.part < 0 else grads[part.part])


def full(tangent: Any, primal: Any) -> Any:
    """Return a tangent, or zeros where there is none; for a list those of its elements.

    For bool tensors the zeros are integers: rules subtract tangents, and bools cannot be subtracted.
    """
    if isinstance(primal, (tuple, list)):
        elements = tangent if tangent is not None else [None] * len(primal)
        return [full(elements[at], primal[at]) for at in range(len(primal))]
    if tangent is not None:
        return tangent
    if not isinstance(primal, Tensor):
        return 0
    element = primal._array_.dtype
    return wrap(np.zeros(primal._array_.shape, np.uint8 if element == np.bool_ else element))


def argument(op: Any, part: Share, at: int, primals: tuple[Any, ...], results: tuple[Any, ...]) -> Any:
    """Return the argument of a rule for one of the names in its signature."""
    source: int = part.sources[at]
    position: int = part.positions[at]
    if source == sources.FROM_OUTPUT:
        return results[position]
    if source == sources.FROM_SHAPE:
        return shapes_of(primals[position])
    if source == sources.FROM_DTYPE:
        return primals[position].dtype
    if source == sources.FROM_STRIDES:
        return primals[position]._array_.strides
    if source == sources.FROM_WANTED:
        return tuple([slot in part.slots for slot in range(len(op.grad_slots))])
    return primals[position]


def write(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Write to a tensor and to its tangents, which are created if it has none.

    The new tangents are computed from the old value before anything is written.
    """
    functional: Any = op.functional
    target: Tensor = args[0]
    if functional.view:
        return rearrange(op, args, word, modes)
    for value in args:
        if is_view(value):  # the rules also see writes to its base
            views.refresh(value)
    inexact: bool = door.is_inexact(target._array_)
    moved: list[Any] = new_tangents(functional, with_old_value(args), modes.forward) if inexact else []
    before: Tangent | None = None if target._meta_ is None else target._meta_.tangent
    try:
        for level, value in reversed(moved):
            dual_memory.receive(target, level)
            if value is not None and value._flags_ & flags.BATCHED:
                dual_memory.widen(target, level, value)
        result: Any = op.go_on(args, word, modes)
    except BaseException:
        tangents.put(target, before)
        raise
    if moved and overlaps_itself(target._array_) and write_shared(op, args, modes.forward, moved):
        return result
    for level, value in moved:
        tangent: Any = tangents.tangent_at(target, level)
        if value is None:
            tangent.zero_()
        else:
            tangent.copy_(value)
    return result


def is_view(value: Any) -> bool:
    """Return whether an argument is a tensor that is a view."""
    if not isinstance(value, Tensor):
        return False
    tensor: Tensor = value
    return tensor._flags_ & flags.VIEW != 0


def write_shared(op: Any, args: tuple[Any, ...], seen: int, moved: list[Any]) -> bool:
    """Write to the tangents of a tensor whose elements share memory with each other; whether that is possible.

    What a pointwise operator gives is the same for all elements that share memory. The others that may write there
    (`fill_`, `masked_fill_`, `index_put_`, ...) are linear: they write the tangents of their arguments where they have
    written the arguments.
    """
    functional: Any = op.functional
    if functional.apart != sources.APART_WARNED and not functional.overwrites:
        if functional.allows_larger:
            for level, value in moved:
                tangents.tangent_at(args[0], level)[once(args[0])].copy_(value[once(args[0])])
        return bool(functional.allows_larger)
    inner: Level | None = innermost(op, args, seen)
    while inner is not None:
        primals: tuple[Any, ...] = without(op, args, inner)
        written: list[Any] = list(primals)
        for position in functional.grad_slots:
            written[position] = full(tangents_of(args[position], inner), primals[position])
        op.call(tuple(written))
        args = primals
        inner = innermost(op, args, inner.number)
    return True


def once(tensor: Tensor) -> tuple[slice, ...]:
    """The index of one of all elements that share memory by a stride of zero."""
    return tuple([slice(0, 1) if stride == 0 else slice(None) for stride in tensor._array_.strides])


def rearrange(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Let a tensor, and its tangents, be what a view makes of them (`t_`)."""
    target: Tensor = args[0]
    seen: list[Any] = []
    tangent: Tangent | None = tangents.first_of(target)
    while tangent is not None:
        if tangent.tensor is not None:
            seen.append((tangent.level, op.functional.call((tangent.tensor, *args[1:]))))
        tangent = tangent.outer
    result: Any = op.go_on(args, word, modes)
    tangents.put(target, None)
    for level, value in reversed(seen):
        tangents.give(target, level, value)
    return result


def with_old_value(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with a copy in the place of the tensor that is to be written to."""
    target: Tensor = args[0]
    old: Tensor = batching.copied(target) if target._flags_ & flags.BATCHED else wrap(target._array_.copy())
    old._edge_ = gradient_edge(target) if target._flags_ & flags.REQUIRES_GRAD else None
    old._flags_ = target._flags_ & ~flags.VIEW
    dual_memory.copy_tangents(old, target)
    return tuple([old if value is target else value for value in args])


def new_tangents(op: Any, args: tuple[Any, ...], seen: int) -> list[Any]:
    """The tangents of a result by level, the innermost first; values are computed only where a rule asks for them."""
    level: Level | None = innermost(op, args, seen)
    if level is None:
        return []
    primals: tuple[Any, ...] = without(op, args, level)
    input_tangents: tuple[Any, ...] = tuple([tangents_of(args[position], level) for position in op.forward_slots])
    results: tuple[Any, ...] = (primals[0],)
    if asks_for_result(op, input_tangents):
        results = (op.call(primals),)
    return [(level, total(op, primals, input_tangents, results)[0]), *new_tangents(op, primals, level.number)]


def asks_for_result(op: Any, input_tangents: tuple[Any, ...]) -> bool:
    """Return whether a rule names the result of the operator."""
    mask: int = 0
    for slot in range(len(input_tangents)):
        if input_tangents[slot] is not None:
            mask |= bit(slot)
    return any(sources.FROM_OUTPUT in term.sources for term in shares_for(op, mask))
