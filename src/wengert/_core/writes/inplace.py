"""In-place operators: a call is refused before anything is written, or written, counted and recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, errors, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..calls import batching, dispatch, dual_memory, unusual, volatile
from ..calls.op import DOCSTRING, SIGNATURE, Op
from ..graph import anomaly
from ..graph.node import Edge, Node, new_edge
from ..graph.refused import new_refusal
from ..leaves import hooked
from ..leaves.accumulate import gradient_edge
from ..operators import halves, overlap, promotion, sources
from ..recording.recorded import OpNode, save_all, save_outputs
from ..recording.saved import twin_of
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor, wrap
from ..tensor.storage import count
from ..types import dtypes, sizes
from .slices import copy_slices


class InPlaceOp(Op):
    # In-place form of an operator: `x.op_(...)` writes the result of `x.op(...)` into `x`, and returns `x`. Each has a
    # docstring of its own, put together from the operator's.

    __doc__ = DOCSTRING
    __signature__ = SIGNATURE

    # `native` is the native form of `functional.writer`, or what writes the result over many elements where there is no
    # such, or None: it writes and returns None, or returns NotImplemented before it has written anything. With
    # `by_result` the result of the native form of `functional` is copied into the target, however large that is.
    functional: Op
    by_result: bool

    __slots__ = ("by_result", "functional")

    def __getattr__(self, name: str) -> Any:
        if name != "__name__":  # Cython lets no class define it
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return self.name

    def run(self, args: tuple[Any, ...]) -> Any:
        """Write into the first argument and return it."""
        return call(self, args)

    def written(self, args: tuple[Any, ...]) -> Any:
        """Return the first argument."""
        return args[0]

    def complete(self, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
        """Check, write and record."""
        return complete_write(self, args, dispatch.input_word(self.functional, args), modes)


def call(op: InPlaceOp, args: tuple[Any, ...]) -> Any:
    """Run `op.functional` on `args` and write the result into the first of them.

    Raises:
        RuntimeError: if the write is refused (a leaf, an overlapping or multi-output view, shape or dtype that do not
            fit); nothing has been written.
    """
    functional: Op = op.functional
    check_is_tensor(op, args)
    modes: Modes = current()
    word: int = dispatch.input_word(functional, args)
    if (word | modes.word) & modes.mask & flags.UNUSUAL:
        return unusual.call(op, args, (word | modes.word) & modes.mask, modes)
    return complete_write(op, args, word, modes)


def check_is_tensor(op: InPlaceOp, args: tuple[Any, ...]) -> None:
    """Refuse a first argument that is not a tensor.

    Raises:
        TypeError: if the first argument is not a tensor.
    """
    if not isinstance(args[0], Tensor):
        raise TypeError(errors.wrong_type(op.name, op.functional.names[0], 1, "Tensor", args[0]))


def complete_write(op: InPlaceOp, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run the rest of `call`, after the steps of `unusual`; `word` are the flags of all inputs."""
    functional: Op = op.functional
    target: Tensor = args[0]
    if word & modes.mask & flags.VIEW:
        refuse_unwritable(functional, args, target, modes)
        dispatch.refresh_views(functional, args)
        word = dispatch.input_word(functional, args)
    word &= modes.mask
    recorded: bool = word & flags.REQUIRES_GRAD != 0 and door.is_inexact(target._array_)
    mask: int = dispatch.grad_mask(functional, args) if recorded else 0
    check_target(target, mask != 0, modes)
    values: list[Any] | None = None
    together: bool = word & flags.ELSEWHERE != 0
    if word & flags.BATCHED and mask:
        args = (target, *batching.lifted(functional, args)[1:])
    if not together and not mask and not word & flags.VOLATILE and write_at_once(op, target, args):
        counted(op, target, modes)
        return target
    result: Any = None if together or functional.writer is not None else computed(op, target, args)
    if result is None and not together:
        values = dispatch.unwrap(functional, args)
        overlap.check(functional, target, args)
        check_result(functional, target, values)
    if not mask or word & flags.VOLATILE:
        write(op, args, values, result, modes)
        if word & flags.VOLATILE:
            volatile.spread_by_write(target, modes)
        return target
    node: OpNode = dispatch.new_node(op, args, mask, dispatch.gather_edges(functional, args, modes), modes, 1)
    kept = args
    if functional.names[0] in node.plan.names:
        kept = (old_value(target), *args[1:])
    if is_among(target, args[1:]):
        # The node would keep the tensor whose history it becomes, a cycle. A twin on the same memory is refused alike.
        kept = (kept[0], *[twin_of(target) if argument is target else argument for argument in args[1:]])
    node.saved = save_all(node.plan, kept, None, modes)
    write(op, args, values, result, modes)
    rebase(target, node, modes)
    node.saved = save_outputs(node.plan, node.saved, (target,), modes)
    return target


def write_at_once(op: InPlaceOp, target: Tensor, args: tuple[Any, ...]) -> bool:
    """Write a plain case by the native in-place function; return False, with nothing written, if it is not plain."""
    functional: Op = op.functional
    if op.native is None or functional.writer is not None or shares_memory(functional, target, args):
        return False
    answer: Any = door.on_arrays(op.native, args, Tensor)
    return answer is None


def computed(op: InPlaceOp, target: Tensor, args: tuple[Any, ...]) -> Any:
    """Return the result of a plain case by the native kernel; None if it is not plain, or NumPy would be faster.

    Kernel and copy take less time than promoting the operands, checking the result, and calling NumPy with `out`.
    """
    functional: Op = op.functional
    array: Any = target._array_
    if functional.native is None or functional.several or door.has_zero_stride(array):
        return None
    if door.size_of(array) > (SMALL if door.has_rows(array) else FEW) and (op.native is not None or not op.by_result):
        return None
    if shares_memory(functional, target, args):
        overlap.check(functional, target, args)
    result: Any = door.on_arrays(functional.native, args, Tensor)
    if result is NotImplemented or not door.share_space(result, array):
        return None
    return result


def shares_memory(op: Op, target: Tensor, args: tuple[Any, ...]) -> bool:
    """Return whether another argument than the first one, the target, is a tensor on its memory.

    The target itself counts only for operators that refuse the same elements, too.
    """
    other: Tensor
    for at in range(1, len(args)):
        value: Any = args[at]
        if isinstance(value, Tensor):
            other = value
            if other is target and op.apart != sources.APART_WHOLLY:
                continue
            if other._storage_.array is target._storage_.array:
                return True
    return False


SMALL = 1024
"""Number of elements up to which a new result costs less than avoiding it, for any operator."""
FEW = 1 << 14
"""This number for a target that is not row-major, which native in-place functions do not support."""


def refuse_unwritable(functional: Op, args: tuple[Any, ...], target: Tensor, modes: Modes) -> None:
    """Refuse a recorded write to a leaf, to one of several outputs of a call, or to a view made with recording off.

    The target is checked before other views among the arguments, which may be refused for other reasons.
    """
    for position in functional.tensor_slots:
        if isinstance(args[position], Tensor) and dispatch.flags_of(args[position]) & flags.VIEW:
            views.inherit(args[position])
    recording: bool = dispatch.grad_mask(functional, args) != 0
    if target._flags_ & flags.VIEW:
        info: ViewInfo = target._meta_.view
        if info.kind != views.SINGLE and recording:
            views.refuse(target, True)
        views.refresh(target)
    check_target(target, recording, modes)


def check_target(target: Tensor, recording: bool, modes: Modes) -> None:
    """Refuse targets that may not be written to."""
    if recording:
        if target._flags_ & flags.VIEW:
            info: ViewInfo = target._meta_.view
            if target._flags_ & flags.REQUIRES_GRAD and info.base._edge_ is None:
                raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
        if target._flags_ & flags.REQUIRES_GRAD and target._edge_ is None:
            raise RuntimeError(errors.LEAF_IN_PLACE)
    if target._flags_ & flags.INFERENCE and not modes.inference:
        raise RuntimeError(errors.INFERENCE_IN_PLACE)


def check_result(functional: Op, target: Tensor, values: list[Any]) -> None:
    """Refuse a pointwise result that does not fit into the target."""
    if functional.promotion is None:
        return
    dtype = promotion.of_operands(functional, values)
    if dtype is not None and dtype != target._array_.dtype:
        result, wanted = dtypes.from_numpy(dtype), target.dtype
        if not dtypes.can_cast(result, wanted):
            raise RuntimeError(errors.uncastable(result, wanted))
    shape = target._array_.shape
    for position in functional.tensor_slots:
        other = values[position]
        if isinstance(other, np.ndarray) and other.shape != shape:
            common = sizes.broadcast(shape, other.shape)
            if common != shape:
                raise RuntimeError(errors.target_shape(shape, common))


def is_among(target: Tensor, others: tuple[Any, ...]) -> bool:
    """Return whether the target is also another argument."""
    for other in others:
        if other is target:
            return True
    return False


def old_value(target: Tensor) -> Tensor:
    """Return the target as it was before the write, with its place in the graph."""
    old: Tensor = copied(target)
    old._edge_ = gradient_edge(target) if target._flags_ & flags.REQUIRES_GRAD else None
    old._flags_ = target._flags_ & ~flags.VIEW
    dual_memory.copy_tangents(old, target)
    return old


def copied(tensor: Tensor) -> Tensor:
    """Copy the values of a tensor, without history."""
    if tensor._flags_ & flags.BATCHED:
        return batching.copied(tensor)
    if tensor._flags_ & (flags.SPARSE | flags.OBSERVED):
        return twin_of(tensor).clone()
    log: Any = current().log
    return wrap(tensor._array_.copy()) if log is None else log.copied(tensor)


def write(op: InPlaceOp, args: tuple[Any, ...], values: list[Any] | None, result: Any, modes: Modes) -> None:
    """Compute into the target's memory, or copy the result of `computed` (`result`) there, and count the write.

    `values` are the operands. If both are None, the write is for all members of a batch, or with tensors whose elements
    are not in their arrays.
    """
    functional: Op = op.functional
    target: Tensor = args[0]
    array: Any = target._array_
    if values is None and result is None:
        write_unusual(op, args, modes)
        return
    if result is not None:
        store(array, result)
    elif functional.writer is not None:
        if op.native is None or op.native(*values) is NotImplemented:
            if dispatch.holds_half(functional, values):
                halves.write(functional, values, modes)
            else:
                modes.quietly(functional.writer, values)
    elif op.native is not None and values[0] is array and op.native(*values) is not NotImplemented:
        pass  # with several dtypes the first value is a promoted copy of the target
    elif (
        functional.takes_out
        and functional.promotion is not None
        and not door.is_half(array)
        and promotion.of_operands(functional, values) == array.dtype
    ):
        plain = dispatch.keywords(functional, values)
        plain["out"] = array
        modes.quietly(functional.body, values[: functional.positional], plain)
    else:
        result = dispatch.run_kernel(functional, values, modes)
        if result.shape != array.shape:
            raise RuntimeError(errors.target_shape(array.shape, result.shape))
        modes.quietly(np.copyto, (array, result, "unsafe"))
    counted(op, target, modes)


def counted(op: InPlaceOp, target: Tensor, modes: Modes) -> None:
    """Note that the target was written to."""
    count(target._storage_)
    if modes.noting:
        anomaly.note_write(target._storage_, f"{op.functional.name}_")


def write_unusual(op: InPlaceOp, args: tuple[Any, ...], modes: Modes) -> None:
    """Write for all members of a batch at once, or with tensors whose elements are not in their arrays."""
    word: int = dispatch.input_word(op.functional, args)
    if word & flags.OBSERVED:
        write_of_class(op, args, word, modes)
    elif word & flags.SPARSE:
        from ..calls import sparse

        sparse.write(op, args, modes)
    elif word & flags.BATCHED:
        batching.write(op, args)
    else:
        from ..calls import postponed

        postponed.write(op, args, modes)


def write_of_class(op: InPlaceOp, args: tuple[Any, ...], word: int, modes: Modes) -> None:
    """Write with a tensor of a class that has a `__torch_dispatch__`: by that, or in memory if none is asked now."""
    from ..calls import dispatched

    target: Tensor = args[0]
    version: int = target._storage_.version
    if dispatched.write(op, args, modes):
        if target._storage_.version == version:  # otherwise the class has written to the same memory
            counted(op, target, modes)
    else:
        write(op, args, dispatch.unwrap(op.functional, args), None, modes)


def store(array: Any, value: Any) -> None:
    """Copy an array, which broadcasts to the first one, into its memory."""
    copy: InPlaceOp = slots.table.copy_
    if copy.native is None or copy.native(array, value, False) is NotImplemented:
        np.copyto(array, value, "unsafe")


def rebase(target: Tensor, node: Node, modes: Modes) -> None:
    """Make `node` the history of the target; for a view, of its base."""
    if not target._flags_ & flags.VIEW:
        replace_history(target, node)
        return
    target._flags_ |= flags.REQUIRES_GRAD
    info: ViewInfo = target._meta_.view
    base: Tensor = info.base
    if target._meta_.retains_grad:
        hooked.retain_at(target, None)
    before = gradient_edge(base) if base._flags_ & flags.REQUIRES_GRAD else None
    if views.has_left(target, info):
        edges = (before, *node.next_edges[1:])
        replace_history(base, new_refusal("torch::autograd::CopySlices", errors.MEMORY_REPLACED, edges, 1))
    else:
        replace_history(base, copy_slices(node, info, before, modes))
    info.version = views.STALE
    info.written = (base._edge_, target._storage_.version)


def replace_history(tensor: Tensor, node: Node) -> None:
    """Make a tensor the output of `node`; if its gradient is retained, it is that of its new value."""
    edge: Edge = new_edge(node, 0, door.shape_of(tensor._array_), door.dtype_of(tensor._array_))
    if tensor._meta_ is not None and tensor._meta_.retains_grad:
        hooked.retain_at(tensor, edge)
    tensor._edge_ = edge
    tensor._flags_ |= flags.REQUIRES_GRAD


slots.table.rebase = rebase
