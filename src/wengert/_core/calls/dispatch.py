"""The call of an operator: unwrap, kernel, wrap, and the steps that the flags word requires, one function per step.

call x.mul(y) - Op.run - perform: kernel -> wrap -> (views, record, and unusual steps if flagged)
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..bits import bit
from ..graph.node import Edge, new_edge, set_up
from ..leaves.accumulate import edge_in
from ..operators import halves, layouts, promotion, sources
from ..operators.declaration import Declaration
from ..operators.rules import Plan, plan_for
from ..profiling.events import logged
from ..recording.recorded import OpNode, save_all
from ..state.modes import Modes, current
from ..tensor import batches, slots, tapes
from ..tensor.base import Tensor, share, wrap_flagged
from ..tensor.tapes import Cache, Tape
from ..types import dtypes
from . import noted, unusual


def attach(
    op: Declaration, args: tuple[Any, ...], result: Tensor, edges: tuple[Edge | None, ...], modes: Modes
) -> None:
    """Record a call with a single result, if an edge leads from it."""
    mask: int = mask_of(op, edges)
    if mask == 0:
        return
    node: OpNode = new_node(op, args, mask, edges, modes, 1)
    if op.view:
        mark_view(node, result)
    result._edge_ = new_edge(node, 0, door.shape_of(result._array_), door.dtype_of(result._array_))
    result._flags_ |= flags.REQUIRES_GRAD
    node.saved = save_all(node.plan, args, result, modes) if node.plan.names else ()


def mark_view(node: Any, view: Tensor) -> None:
    """Store in the node of a view, a `ViewNode`, how the view is taken."""
    if view._meta_ is None:  # of a sparse tensor, whose views do not share memory
        node.step = None
        return
    info: ViewInfo = view._meta_.view
    node.step = info.steps[-1]


def new_node(
    op: Declaration, args: tuple[Any, ...], mask: int, edges: tuple[Edge | None, ...], modes: Modes, outputs: int
) -> OpNode:
    """Return the node of one call, without its saved values."""
    node: OpNode = door.new(class_of_node(op, args) if op.node_class is None else op.node_class)
    if slots.taping:
        tapes.settle_before(edges, modes)
    set_up(node, edges, modes.sequence, outputs)
    modes.sequence += 1
    node.trusted_gradients = True
    node.op = op
    node.plan = plan_for(op, mask)
    if modes.noting:
        noted.node(node, args, modes)
    return node


def class_of_node(op: Declaration, args: tuple[Any, ...]) -> Any:
    """Return the class of the node of one call, if there are several or it does not exist yet."""
    node_class: Any = None if op.choose_node is None else op.chosen_nodes.get(op.choose_node(args))
    return op.nodes.of(op, args) if node_class is None else node_class


def perform(op: Declaration, args: tuple[Any, ...]) -> Any:
    """Apply an operator to all its arguments."""
    modes: Modes = current()
    input_flags: int = input_word(op, args)
    if input_flags & modes.mask & flags.VIEW and op.rules:
        refresh_views(op, args)
        input_flags = input_word(op, args)
    word: int = (input_flags | modes.word) & modes.mask
    if word & flags.UNUSUAL:
        if is_unusual(op, input_flags, word):
            return unusual.call(op, args, word, modes)
        if word & flags.PROFILED:
            return profiled(op, args, word, input_flags, modes)
        return completed(op, args, word, input_flags, modes)
    if modes.tape is None and modes.cache is None:
        return finish(op, args, computed(op, args, modes), word, modes)
    result: Any = run_known(op, args, word, modes)
    if result is None:
        result = finish(op, args, computed(op, args, modes), word, modes)
        if modes.cache is not None:
            learn(op, args, result, word, modes)
    return result


def run_known(op: Declaration, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run a call of a followed function if its tape expects it, or it is cached; return its result, or None."""
    if not tapes.is_quiet(modes):
        return None
    if word & flags.REQUIRES_GRAD and op.rules:
        own: Tape = modes.tape
        if own is None or (own.changer is not None and not tapes.await_others(own, modes)) or own.predicting is None:
            return None
        return own.predicting.run(op, args)
    if modes.cache is None or op.several:
        return None
    cache: Cache = modes.cache
    return cache.run(op, args, modes)


def learn(op: Declaration, args: tuple[Any, ...], result: Any, word: int, modes: Modes) -> None:
    """Cache a call of a followed function that has run as usual, if it is not recorded."""
    if op.several or (word & flags.REQUIRES_GRAD and op.rules) or not tapes.is_quiet(modes):
        return
    cache: Cache = modes.cache
    cache.learn(op, args, result, modes)


def run_followed(op: Declaration, first: Any, second: Any) -> Any:
    """Run a call with two arguments of a followed function, if it is known; return its result, or None."""
    modes: Modes = current()
    if (modes.tape is None and modes.cache is None) or not tapes.is_quiet(modes):
        return None
    if modes.tape is not None and modes.grad:
        own: Tape = modes.tape
        if own.predicting is not None and own.changer is None:
            result: Any = own.predicting.run2(op, first, second)
            if result is not None:
                return result
    if modes.cache is None:
        return None
    cache: Cache = modes.cache
    return cache.run2(op, first, second, modes)


def profiled(op: Declaration, args: tuple[Any, ...], word: int, input_flags: int, modes: Modes) -> Any:
    """Run the rest of `perform`, noted in the log of this thread."""
    return logged(op, args, modes, completed, (op, args, word, input_flags, modes))


def completed(op: Declaration, args: tuple[Any, ...], word: int, input_flags: int, modes: Modes) -> Any:
    """Run the rest of `perform` of a call that is not unusual; note the place of the call if that is switched on."""
    result: Any = finish(op, args, computed(op, args, modes), word & ~flags.QUIET, modes)
    return noted.results(op, args, result, input_flags, modes) if word & flags.NOTED else result


def is_unusual(op: Declaration, input_flags: int, word: int) -> bool:
    """Return whether a word requires a step of `unusual`.

    Levels of forward mode require one for dual tensors and views only, levels of `vmap` for batched tensors and random
    operators.

    Args:
        input_flags: the flags of the inputs.
        word: the same with the flags of the modes; one of them is unusual.
    """
    if word & flags.UNUSUAL & ~flags.QUIET:
        return True
    return (word & flags.LEVELS != 0 and input_flags & flags.VIEW != 0) or (
        word & flags.BATCHES != 0 and bool(op.random)
    )


def computed(op: Declaration, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the array (or arrays) of the result: by the native function if it supports the case, else by the body."""
    if op.native is not None:
        result: Any = door.on_arrays(op.native, args, Tensor)
        if result is not NotImplemented:
            return result
    return computed_by_body(op, args, modes)


def computed_by_body(op: Declaration, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the array (or arrays) that the body computes, in the memory layout that the card states.

    Raises:
        RuntimeError: if the result would be larger than NumPy's arrays can be.
    """
    try:
        result: Any = run_kernel(op, unwrap(op, args), modes)
    except ValueError as error:
        if errors.is_too_large(error):
            raise RuntimeError(errors.too_large(op.name, error)) from None
        raise
    if op.view:
        return result
    if op.several:
        return tuple([layouts.laid_out(op, args, as_array(part)) for part in result])
    return layouts.laid_out(op, args, as_array(result))


def input_word(op: Declaration, args: tuple[Any, ...]) -> int:
    """Return the flags of all tensors among the arguments, ORed."""
    word: int = 0
    rest: int = op.tensor_bits
    position: int = 0
    while rest:
        if rest & 1:
            value = args[position]
            if isinstance(value, Tensor):
                word |= flags_of(value)
            elif isinstance(value, (tuple, list)):
                for element in value:
                    if isinstance(element, Tensor):
                        word |= flags_of(element)
        rest >>= 1
        position += 1
    return word


def flags_of(tensor: Tensor) -> int:
    """Return the flags word of a tensor."""
    return tensor._flags_


def may_be_overridden(tensor: Tensor) -> bool:
    """Return whether a mode of functions is on, or the tensor may be one of a subclass with a `__torch_function__`."""
    return ((tensor._flags_ | current().word) & flags.OVERRIDDEN) != 0


def refresh_views(op: Declaration, args: tuple[Any, ...]) -> None:
    """Bring the history of all views among the arguments up to date."""
    position: int
    for position in op.tensor_slots:
        value = args[position]
        for element in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(element, Tensor) and flags_of(element) & flags.VIEW:
                views.refresh(element)


def unwrap(op: Declaration, args: tuple[Any, ...]) -> list[Any]:
    """Return the arguments with arrays in place of tensors, promoted to one dtype if the operator promotes.

    Raises:
        TypeError: if an argument that has to be a tensor is not one.
    """
    values: list[Any] = list(args)
    position: int
    if op.promotion is not None:
        promotion.promote(op, values)
        return values
    for position in op.tensor_slots:
        value = values[position]
        if op.kinds[position] == sources.ARRAYS or op.kinds[position] == sources.INDICES:
            values[position] = promotion.arrays_of(op, value, position)
        elif isinstance(value, Tensor):
            values[position] = array_of(value)
        elif value is not None or op.defaults[position] is not None:
            values[position] = promotion.other_operand(op, value, position)
    return values


def array_of(tensor: Tensor) -> Any:
    """Return the array of a tensor."""
    return tensor._array_


def run_kernel(op: Declaration, values: list[Any], modes: Modes) -> Any:
    """Run the card's body, with NumPy's warnings about infinities and NaN off (torch has none)."""
    if op.view and op.positional == len(values):
        return op.body(*values)
    if not op.view and holds_half(op, values):
        return halves.computed(op, values, modes, run_body)
    return run_body(op, values, modes)


def holds_half(op: Declaration, values: list[Any]) -> bool:
    """Return whether an operand or the result is of half precision."""
    position: int
    for position in op.tensor_slots:
        value = values[position]
        if door.is_half(value):
            return True
        if isinstance(value, list):
            for element in value:
                if door.is_half(element):
                    return True
    return op.dtype_slot >= 0 and values[op.dtype_slot] in dtypes.HALVES


def run_body(op: Declaration, values: list[Any], modes: Modes) -> Any:
    """Run the card's body on operands of any dtype."""
    try:
        if op.positional == len(values):
            return modes.quiet(op.body, *values)
        return modes.quiet(op.body, *values[: op.positional], **keywords(op, values))
    except ValueError:
        if op.promotion is not None:
            promotion.check_broadcast(op, values)
        raise
    except RuntimeError:
        if not modes.is_entered():  # the kernel's own
            raise
    return modes.quietly_again(op.body, values[: op.positional], keywords(op, values))


def keywords(op: Declaration, values: list[Any]) -> dict[str, Any]:
    """Return the arguments that the body takes by keyword only."""
    return dict(zip(op.names[op.positional :], values[op.positional :]))


def as_array(value: Any) -> Any:
    """Return an array for the scalars that full reductions and 0-dim arithmetic of NumPy return."""
    return value if door.is_ndarray(value) or not isinstance(value, np.generic) else np.asarray(value)


def finish(op: Declaration, args: tuple[Any, ...], output: Any, word: int, modes: Modes) -> Any:
    """Wrap the result of the kernel; note views; record."""
    recorded: bool = word & flags.REQUIRES_GRAD != 0 and len(op.rules) > 0
    if not op.several:
        result: Tensor = wrap_result(op, args, output, -1, modes)
        if recorded and door.is_inexact(result._array_):  # otherwise it has no derivative by its dtype
            if modes.tape is None or not is_put(op, args, result, modes):
                attach(op, args, result, gather_edges(op, args, modes), modes)
        return result
    results: list[Any] = []
    for nr in range(len(output)):
        results.append(wrap_result(op, args, output[nr], nr, modes))
    if recorded and (modes.tape is None or not is_put(op, args, tuple(results), modes)):
        record_several(op, args, tuple(results), gather_edges(op, args, modes), modes)
    return tuple(results)


def is_put(op: Declaration, args: tuple[Any, ...], results: Any, modes: Modes) -> bool:
    """Write a recorded call to the tape of the thread; return False if it has to be recorded at once.

    That is so if its node would be noted, or saves what is known now only, or holds less memory than its call.

    Args:
        results: the result, or a tuple of several.
    """
    if not cython.compiled:
        with tapes.lock():
            return is_written(op, args, results, modes)
    return is_written(op, args, results, modes)


def is_written(op: Declaration, args: tuple[Any, ...], results: Any, modes: Modes) -> bool:
    """Run `is_put`, interpreted with the lock of tapes held."""
    own: Tape = modes.tape
    if not tapes.await_others(own, modes):
        return False
    try:
        own.changer = modes
        return is_put_at(own, op, args, results, modes)
    finally:
        own.changer = None


def is_put_at(own: Tape, op: Declaration, args: tuple[Any, ...], results: Any, modes: Modes) -> bool:
    """Run `is_put` while the tape is marked."""
    if len(op.constants) > 0:
        check_constants(op, args)
    if (
        len(own.calls) >= tapes.FIELDS * tapes.MOST_CALLS
        or input_word(op, args) & ~tapes.PLAIN
        or not tapes.is_quiet(modes)
    ):
        return False
    mask: int = grad_mask(op, args)
    if mask == 0:
        return True
    if op.tail is not None and saves_tail(plan_for(op, mask), args):
        return False
    if op.several and len(results) == 0:
        return True
    first: Tensor = results[0] if op.several else results
    if not door.is_ndarray(first._array_) or door.size_of(first._array_) > tapes.MOST_ELEMENTS:
        return False
    if own.predicting is not None:
        if own.predicting.takes(op, args, results):
            return True
        own.predicting.end()
    if op.several:
        tapes.put_several(own, op, args, results, op.differentiable)
    else:
        tapes.put(own, op, args, results)
    return True


def saves_tail(plan: Plan, args: tuple[Any, ...]) -> bool:
    """Return whether the node of a call saves a copy of an input, see `recorded.tail_of`."""
    for at in range(len(plan.sources)):
        if plan.sources[at] == sources.FROM_TAIL:
            value = args[plan.positions[at]]
            if isinstance(value, Tensor) and plan.tail(array_of(value)):
                return True
    return False


def remember(op: Declaration, args: tuple[Any, ...], output: Any, word: int, modes: Modes) -> None:
    """Note views of the first argument, and record, for results that were computed from other arguments."""
    results: tuple[Any, ...] = output if op.several else (output,)
    source: Tensor
    if op.view and op.rules:
        source = args[0]
        if not source._flags_ & flags.INFERENCE:
            for nr in range(len(results)):
                views.attach(results[nr], source, op, args, nr if op.several else -1, modes)
    if not word & flags.REQUIRES_GRAD or word & flags.VOLATILE or not op.rules:
        return
    if not op.several and not door.is_inexact(array_of(output)):
        return
    if modes.tape is not None and is_put(op, args, output, modes):
        return
    if op.several:
        record_several(op, args, results, gather_edges(op, args, modes), modes)
    else:
        attach(op, args, output, gather_edges(op, args, modes), modes)


def wrap_result(op: Declaration, args: tuple[Any, ...], array: Any, nr: int, modes: Modes) -> Tensor:
    """Return the tensor of one result."""
    if not op.view:
        return wrap_flagged(array, modes.fresh)
    source: Tensor = args[0]
    if source._flags_ & flags.SPARSE:  # which have no views
        return wrap_flagged(array, modes.fresh)
    result: Tensor = share(array, source._storage_)
    if result._flags_ & flags.BATCHED:
        batches.begin(result)
    if source._flags_ & flags.INFERENCE:
        result._flags_ |= flags.INFERENCE
    elif op.rules:
        views.attach(result, source, op, args, nr, modes)
    return result


def grad_mask(op: Declaration, args: tuple[Any, ...]) -> int:
    """Return bits of the differentiable parameters that need a gradient."""
    mask: int = 0
    own: int = 1
    position: int
    for position in op.grad_slots:
        value = args[position]
        if isinstance(value, Tensor):
            if flags_of(value) & flags.REQUIRES_GRAD:
                mask |= own
        elif value is not None and op.kinds[position] == sources.ARRAYS:
            for element in value:
                if flags_of(element) & flags.REQUIRES_GRAD:
                    mask |= own
        own <<= 1
    return mask


def gather_edges(op: Declaration, args: tuple[Any, ...], modes: Modes) -> tuple[Edge | None, ...]:
    """Return one edge for each differentiable input, None where no gradient goes."""
    slots: tuple[Any, ...] = op.grad_slots
    position: int
    if len(op.constants) > 0:
        check_constants(op, args)
    if op.list_slot < 0 and 0 < len(slots) <= 2:
        position = slots[0]
        if len(slots) == 1:
            return (edge_to(args[position], modes),)
        second: int = slots[1]
        return (edge_to(args[position], modes), edge_to(args[second], modes))
    edges: list[Any] = []
    for position in slots:
        value = args[position]
        if op.kinds[position] == sources.ARRAYS:
            for element in value:
                edges.append(edge_to(element, modes))
        else:
            edges.append(edge_to(value, modes))
    return tuple(edges)


def check_constants(op: Declaration, args: tuple[Any, ...]) -> None:
    """Refuse a gradient for a tensor with respect to which the operator has no derivative.

    Raises:
        RuntimeError: if such a tensor requires a gradient.
    """
    position: int
    for position in op.constants:
        value = args[position]
        if isinstance(value, Tensor) and flags_of(value) & flags.REQUIRES_GRAD:
            function = errors.function_name(class_of_node(op, args).__name__)
            raise RuntimeError(errors.not_differentiable(function, op.names[position]))


def edge_to(value: Any, modes: Modes) -> Any:
    """Return the edge of a tensor that requires a gradient; None for any other input."""
    if isinstance(value, Tensor) and flags_of(value) & flags.REQUIRES_GRAD:
        return edge_in(value, modes)
    return None


def mask_of(op: Declaration, edges: tuple[Edge | None, ...]) -> int:
    """Return bits of the differentiable parameters that need a gradient, by the edges of their inputs."""
    mask: int = 0
    extra: int = len(edges) - len(op.grad_slots)
    first: int = len(edges) if op.list_slot < 0 else op.list_slot
    slot: int
    for at in range(len(edges)):
        if edges[at] is not None:
            slot = at
            if first < at:
                slot = first if at <= first + extra else at - extra
            mask |= bit(slot)
    return mask


def record_several(
    op: Declaration, args: tuple[Any, ...], results: tuple[Any, ...], edges: tuple[Edge | None, ...], modes: Modes
) -> None:
    """Record a call with several results; those that the card declares not differentiable stay without history."""
    mask: int = mask_of(op, edges)
    if mask == 0:
        return
    node: OpNode = new_node(op, args, mask, edges, modes, len(results))
    result: Tensor
    for nr in range(len(results)):
        if not op.differentiable or op.differentiable[nr]:
            result = results[nr]
            result._edge_ = new_edge(node, nr, door.shape_of(result._array_), door.dtype_of(result._array_))
            result._flags_ |= flags.REQUIRES_GRAD
    node.saved = save_all(node.plan, args, results, modes)
