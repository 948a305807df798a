"""In-place operators: refused before anything is written, or written, counted and put into the history."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from . import dispatch, door, dtypes, errors, flags, promotion, sizes, views
from .accumulate import gradient_edge, is_dense
from .base import Tensor, share
from .dispatch import Op
from .modes import Modes, current
from .node import Node, new_edge, set_up
from .recorded import OpNode, save_all, save_outputs
from .views import ViewInfo


class InPlaceOp(Op):
    """`op_`: writes the result of `functional` into its first argument."""

    functional: Op

    __slots__ = ("functional",)

    def run(self, args: tuple[Any, ...]) -> Any:
        """Write into the first argument and return it."""
        return call(self, args)


@cython.no_gc
@cython.cclass
class CopySlices(Node):
    """The history of a base after an in-place write to a view of it.

    Routes the part of the gradient that belongs to the view through `inner`, the node of the write, and leaves the
    rest. It knows how the view is taken (and the strides of the base, in elements), not the tensors, so that it forms
    no cycle with them.
    """

    inner: Node
    strides: tuple[int, ...]
    view: ViewInfo

    __slots__ = ("inner", "strides", "view")

    def allows_larger(self) -> bool:
        return self.inner.allows_larger()

    def release(self) -> None:
        self.inner.release()

    def apply(self, grads: list[Any]) -> Any:
        result = grads[0]._restrided(self.strides)
        part = self.view.replay(result)
        outgoing = self.inner.apply([part.clone()])
        if outgoing[0] is None:
            part.zero_()
        else:
            part.copy_(outgoing[0])
        return [result, *outgoing[1:]]


def call(op: InPlaceOp, args: tuple[Any, ...]) -> Any:
    """Run `op.functional` on `args` and write the result into the first of them.

    Raises:
        RuntimeError: the write is refused (a leaf, an overlapping or multi-output view, shape or dtype that do not
            fit); nothing has been written.
    """
    functional: Op = op.functional
    if not isinstance(args[0], Tensor):
        raise TypeError(errors.wrong_type(op.name, functional.names[0], 1, "Tensor", args[0]))
    target: Tensor = args[0]
    modes: Modes = current()
    if dispatch.input_word(functional, args) & flags.VIEW and modes.grad:
        refuse_unwritable(functional, args, target, modes)
        dispatch.refresh_views(functional, args)
    word: int = (dispatch.input_word(functional, args) | modes.word) & modes.mask
    recorded: bool = word & flags.REQUIRES_GRAD != 0 and target.array.dtype.kind in "fcV"
    mask: int = dispatch.grad_mask(functional, args) if recorded else 0
    check_target(target, mask != 0, modes)
    values: list[Any] = dispatch.unwrap(functional, args)
    check_overlap(functional, target, args)
    check_result(functional, target, values)
    if not mask:
        write(functional, target, values, modes)
        return target
    node: OpNode = dispatch.new_node(functional, args, mask, dispatch.gather_edges(functional, args), modes, 1)
    kept = args
    if functional.names[0] in node.plan.names:
        kept = (old_value(target), *args[1:])
    if is_among(target, args[1:]):
        # The node would keep the tensor whose history it becomes, a cycle. A twin on the same memory is refused alike.
        kept = (kept[0], *[twin_of(target) if each is target else each for each in args[1:]])
    node.saved = save_all(node.plan, kept, None, modes)
    write(functional, target, values, modes)
    rebase(target, node, modes)
    node.saved = save_outputs(node.plan, node.saved, (target,), modes)
    return target


def refuse_unwritable(functional: Op, args: tuple[Any, ...], target: Tensor, modes: Modes) -> None:
    """Refuse a recorded write to a leaf, to one of several outputs of a call, or to a view made with recording off.

    The target is looked at before other views among the arguments, which may be refused on their own account.
    """
    for position in functional.tensor_slots:
        if isinstance(args[position], Tensor) and dispatch.flags_of(args[position]) & flags.VIEW:
            views.inherit(args[position])
    recording: bool = dispatch.grad_mask(functional, args) != 0
    if target.flags & flags.VIEW:
        info: ViewInfo = target.meta.view
        if info.made != views.SINGLE and recording:
            views.refuse(target, True)
        views.refresh(target)
    check_target(target, recording, modes)


def check_target(target: Tensor, recording: bool, modes: Modes) -> None:
    """Refuse targets that may not be written to."""
    if recording:
        if target.flags & flags.VIEW:
            info: ViewInfo = target.meta.view
            if target.flags & flags.REQUIRES_GRAD and info.base.edge is None:
                raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
        if target.flags & flags.REQUIRES_GRAD and target.edge is None:
            raise RuntimeError(errors.LEAF_IN_PLACE)
    if target.flags & flags.INFERENCE and not modes.inference:
        raise RuntimeError(errors.INFERENCE_IN_PLACE)
    if 0 in target.array.strides and overlaps_itself(target.array):
        raise RuntimeError(errors.OVERLAP_IN_PLACE)


def overlaps_itself(array: Any) -> bool:
    """Whether two elements share memory by a stride of zero (as `expand` makes)."""
    return array.size > 1 and any(stride == 0 and length > 1 for stride, length in zip(array.strides, array.shape))


def check_result(functional: Op, target: Tensor, values: list[Any]) -> None:
    """Refuse a pointwise result that does not fit into the target."""
    if functional.promotion is None:
        return
    given = promotion.of_operands(functional, values)
    if given is not None and given != target.array.dtype:
        result, wanted = dtypes.from_numpy(given), target.dtype
        if not dtypes.can_cast(result, wanted):
            raise RuntimeError(errors.uncastable(result, wanted))
    shape = target.array.shape
    for position in functional.tensor_slots:
        other = values[position]
        if isinstance(other, np.ndarray) and other.shape != shape:
            common = sizes.broadcast(shape, other.shape)
            if common != shape:
                raise RuntimeError(errors.target_shape(shape, common))


def check_overlap(functional: Op, target: Tensor, args: tuple[Any, ...]) -> None:
    """Refuse other inputs that share a part of the target's memory; the same memory in the same order is no harm.

    Raises:
        RuntimeError: two dense tensors overlap in part. (Of others torch does not know either; they are read first.)
    """
    other: Tensor
    mine = target.array
    for position in functional.tensor_slots[1:]:
        if not isinstance(args[position], Tensor):
            continue
        other = args[position]
        if other.storage is target.storage and mine.size and other.array.size:
            theirs = other.array
            if (
                is_dense(mine)
                and is_dense(theirs)
                and np.may_share_memory(mine, theirs)
                and layout(mine) != layout(theirs)
            ):
                raise RuntimeError(errors.PARTIAL_OVERLAP)


def layout(array: Any) -> tuple[Any, ...]:
    """Where an array starts, how many dimensions it has, and their lengths and strides, without those of length 1."""
    steps = [(length, stride) for length, stride in zip(array.shape, array.strides) if length != 1]
    return array.__array_interface__["data"], array.ndim, steps


def is_among(target: Tensor, others: tuple[Any, ...]) -> bool:
    """Whether the target is also another argument."""
    for each in others:
        if each is target:
            return True
    return False


def twin_of(target: Tensor) -> Tensor:
    """Another tensor on the target's memory, with its place in the graph."""
    twin: Tensor = share(target.array, target.storage)
    twin.edge = gradient_edge(target) if target.flags & flags.REQUIRES_GRAD else None
    twin.flags = target.flags & ~flags.VIEW
    return twin


def old_value(target: Tensor) -> Tensor:
    """The target as it was before the write, with its place in the graph."""
    old: Tensor = dispatch.wrap(target.array.copy())
    old.edge = gradient_edge(target) if target.flags & flags.REQUIRES_GRAD else None
    old.flags = target.flags & ~flags.VIEW
    return old


def write(functional: Op, target: Tensor, values: list[Any], modes: Modes) -> None:
    """Compute into the target's memory and count the write."""
    array = target.array
    if functional.writer is not None:
        modes.quiet(functional.writer, *values)
    elif (
        functional.takes_out
        and functional.promotion is not None
        and promotion.of_operands(functional, values) == array.dtype
    ):
        plain = dispatch.keywords(functional, values)
        modes.quiet(functional.body, *values[: functional.positional], out=array, **plain)
    else:
        made = dispatch.run_kernel(functional, values, modes)
        if made.shape != array.shape:
            raise RuntimeError(errors.target_shape(array.shape, made.shape))
        modes.quiet(np.copyto, array, made, "unsafe")
    target.storage.version += 1


def rebase(target: Tensor, node: Node, modes: Modes) -> None:
    """Make `node` the history of the target; for a view, of its base."""
    target.flags |= flags.REQUIRES_GRAD
    if not target.flags & flags.VIEW:
        if target.edge is not None and target.meta is not None and target.meta.retains_grad:
            node.own_hooks().retain[0] = target.edge.node.hooks.retain.pop(target.edge.nr)
        target.edge = new_edge(node, 0, door.shape_of(target.array), door.dtype_of(target.array))
        return
    info: ViewInfo = target.meta.view
    base: Tensor = info.base
    slices: CopySlices = CopySlices.__new__(CopySlices)
    before = gradient_edge(base) if base.flags & flags.REQUIRES_GRAD else None
    set_up(slices, (before, *node.edges[1:]), modes.sequence, 1)
    modes.sequence += 1
    slices.inner = node
    slices.view = views.way(info)
    size: int = base.array.itemsize
    slices.strides = tuple([stride // size for stride in base.array.strides])
    base.edge = new_edge(slices, 0, door.shape_of(base.array), door.dtype_of(base.array))
    base.flags |= flags.REQUIRES_GRAD
    info.version = STALE


STALE = -1
