"""Custom Functions forward: the call, and the recording of its outputs."""

from __future__ import annotations

import warnings
from typing import Any

from .. import door, errors, flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..calls import batching, noted
from ..graph.node import set_up
from ..leaves.accumulate import gradient_edge
from ..leaves.hooked import retain_at
from ..profiling import kinds
from ..profiling.events import Event, Log, next_number
from ..recording.saved import SavedInput, save_input
from ..recording.saved_part import save_result
from ..state.modes import NO_OTHER_LEVEL, Modes, current
from ..tensor import slots, tapes
from ..tensor.base import Tensor, share
from ..tensor.meta import AutogradMeta
from ..tensor.storage import count_write
from ..writes.inplace import rebase
from . import function_errors, function_forward
from .function import FunctionNode, ViewWrite, function_edge, in_front


def call(function: Any, args: tuple[Any, ...], keywords: dict[str, Any] | None, split: bool) -> Any:
    """Run a custom Function forward, and record the call.

    Args:
        function: the class.
        keywords: the arguments that `forward` takes by keyword only; never differentiated.
        split: `forward` takes no `ctx`, which `setup_context` takes.
    """
    modes: Modes = current()
    log: Log = modes.profiling() if modes.word & flags.PROFILED else None
    if log is None:
        return carry_out(function, args, keywords, split, modes)
    event: Event = log.begin(kinds.FUNCTION, function.__name__, next_number(modes), args)
    return log.call(event, carry_out, (function, args, keywords, split, modes))


def carry_out(function: Any, args: tuple[Any, ...], keywords: dict[str, Any] | None, split: bool, modes: Modes) -> Any:
    """Run the rest of `call`."""
    word: int = word_of(args)
    if word & modes.mask & flags.VIEW:
        refresh_all(args)
        word = word_of(args)
    if modes.transforms and not split:
        raise RuntimeError(function_errors.NO_SETUP)
    if word & flags.BATCHED:
        if not function.generate_vmap_rule or keywords:
            return function._for_members(args, keywords)
        args = lifted_all(function, args)
    recording: bool = word & modes.mask & flags.REQUIRES_GRAD != 0 and word & flags.VOLATILE == 0
    if keywords and recording:
        check_keywords(function, keywords)
    node: FunctionNode = new_function_node(function, args, recording, modes)
    grad: bool = modes.grad
    mask: int = modes.mask
    forward: int = modes.forward
    transforms: int = modes.transforms
    try:
        modes.set_grad(False)
        modes.forward = NO_OTHER_LEVEL if forward else 0
        modes.transforms = 0  # operators refuse for lack of their own derivative; here the Function defines it
        if split:
            result = function.forward(*args, **(keywords or {}))
            function.setup_context(node, args, result)
        elif keywords:
            result = function.forward(node, *args, **keywords)
        else:
            result = function.forward(node, *args)
    finally:  # stores only, see `modes`
        modes.grad = grad
        modes.mask = mask
        modes.forward = forward
        modes.transforms = transforms
    return finish(node, args, result, recording, word, modes)


def word_of(args: tuple[Any, ...]) -> int:
    """The flags of all tensors among the arguments, ORed."""
    word: int = 0
    tensor: Tensor
    for value in args:
        if isinstance(value, Tensor):
            tensor = value
            word |= tensor._flags_
    return word


def lifted_all(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a Function that runs on batched tensors directly: those that need a gradient have all
    batches.

    Raises:
        RuntimeError: if the Function has a `vmap` of its own, too.
    """
    function._check_one_rule()
    levels: list[Any] = batching.levels_among(list(args))
    return tuple([batching.lift_recorded(value, levels) for value in args])


def refresh_all(args: tuple[Any, ...]) -> None:
    """Bring the history of all views among the arguments up to date."""
    tensor: Tensor
    for value in args:
        if isinstance(value, Tensor):
            tensor = value
            if tensor._flags_ & flags.VIEW:
                views.refresh(tensor)


def check_keywords(function: Any, keywords: dict[str, Any]) -> None:
    """Refuse tensors that require a gradient where none can be returned for them."""
    for name, value in keywords.items():
        if isinstance(value, Tensor) and value.requires_grad:
            raise TypeError(function_errors.keyword_requires_grad(function.__name__, name))


def new_function_node(function: Any, args: tuple[Any, ...], recording: bool, modes: Modes) -> FunctionNode:
    """The node of one call, with its edges."""
    node: FunctionNode = door.new(function._backward_cls)
    if slots.taping:
        tapes.settle_before((), modes)
    edges: list[Any] = []
    numbers: list[Any] = []
    needed: list[Any] = []
    tensor: Tensor
    for value in args:
        if not isinstance(value, Tensor):
            numbers.append(-1)
            needed.append(False)
            continue
        tensor = value
        wants: bool = tensor.requires_grad if tensor._flags_ & flags.VIEW else tensor._flags_ & flags.REQUIRES_GRAD != 0
        needed.append(wants)
        if recording:
            numbers.append(len(edges))
            edges.append(gradient_edge(tensor) if wants else None)
    set_up(node, tuple(edges), modes.sequence, 1)
    modes.sequence += 1
    begin(node, numbers, tuple(needed))
    if recording and modes.noting:
        noted.function(node, args, modes)
    return node


def begin(node: FunctionNode, numbers: list[Any], needed: tuple[Any, ...]) -> None:
    """Set the fields of a node that nodes of other kinds do not have."""
    node.edge_numbers = numbers
    node.needs_input_grad = needed
    node.output_spaces, node.output_recorded = [], []
    node.kept_tensors = ()
    node.kept_origins = None
    node.kept_given = False
    node.materialize_grads = True
    node._materialize_non_diff_grads = True
    node.to_save = None
    node.saved_for_forward = None
    node.dirty_tensors = None
    node.non_differentiable = None


def finish(node: FunctionNode, args: tuple[Any, ...], result: Any, recording: bool, word: int, modes: Modes) -> Any:
    """Record the outputs of `forward` in the graph; save the tensors that are to be saved."""
    outputs: tuple[Any, ...] = tuple(result) if isinstance(result, tuple) else (result,)
    dirty: tuple[Any, ...] = marked(node, node.dirty_tensors, "dirty_tensors", function_errors.MARK_DIRTY)
    fixed: tuple[Any, ...] = marked(node, node.non_differentiable, "non_differentiable", function_errors.MARK_FIXED)
    if dirty:
        count_writes(node, args, outputs, dirty, recording)
    results: list[Any] = []
    recorded: int = 0
    node.output_count = len(outputs)
    tensor: Tensor
    for output in outputs:
        space: Any = None
        differentiable: bool = False
        if isinstance(output, Tensor):
            tensor = output
            if recording:
                space = (door.shape_of(tensor._array_), door.dtype_of(tensor._array_))
                differentiable = door.is_inexact(tensor._array_) and not (fixed and is_among(tensor, fixed))
            output = place(node, tensor, len(results), args, dirty, differentiable, modes)
            if differentiable:
                recorded += 1
            if word & flags.VOLATILE:
                tensor = output
                tensor._flags_ |= flags.VOLATILE
        results.append(output)
        node.output_spaces.append(space)
        node.output_recorded.append(differentiable)
    if recorded > 1:
        mark_several(results)
    if word & flags.DUAL or modes.word & flags.LEVELS:
        function_forward.carry(node, args, results, fixed, modes)
    if modes.debug is not None:
        noted.function_results(
            errors.operation_name(type(node).__name__), args, tuple(results), fixed, recording, modes
        )
    if recording and node.to_save is not None:
        node.kept_tensors = keep_all(node, results, modes)
    node.to_save = node.saved_for_forward = node.dirty_tensors = node.non_differentiable = None
    return tuple(results) if isinstance(result, tuple) else results[0]


def marked(node: FunctionNode, tensors: Any, name: str, only: str) -> tuple[Any, ...]:
    """Check and return the arguments of `ctx.mark_dirty` or `ctx.mark_non_differentiable`."""
    if tensors is None:
        return ()
    if not isinstance(tensors, tuple):
        raise RuntimeError(function_errors.no_tuple(name, tensors))
    for at in range(len(tensors)):
        if not isinstance(tensors[at], Tensor):
            raise RuntimeError(function_errors.no_tensor(only, at, tensors[at]))
    return tensors


def is_among(tensor: Tensor, others: tuple[Any, ...]) -> bool:
    """Return whether a tensor is among other objects."""
    for other in others:
        if other is tensor:
            return True
    return False


def count_writes(
    node: FunctionNode, args: tuple[Any, ...], outputs: tuple[Any, ...], dirty: tuple[Any, ...], recording: bool
) -> None:
    """Count the writes to the tensors that were marked dirty, and refuse those that cannot be recorded."""
    tensor: Tensor
    name = errors.operation_name(type(node).__name__)
    for value in dirty:
        tensor = value
        count_write(tensor._storage_, name)
        if not is_among(tensor, outputs):
            raise RuntimeError(function_errors.DIRTY_NOT_RETURNED)
    if not recording:
        return
    for value in dirty:
        tensor = value
        if not is_among(tensor, args):
            warnings.warn(function_errors.DIRTY_NO_INPUT, UserWarning, stacklevel=2)
        if tensor._flags_ & flags.VIEW:
            check_view_write(tensor, len(outputs))
        elif tensor._flags_ & flags.REQUIRES_GRAD and tensor._edge_ is None:
            raise RuntimeError(function_errors.LEAF_WRITTEN)


def check_view_write(view: Tensor, outputs: int) -> None:
    """Refuse a write to a view that cannot be recorded in the history of its base."""
    info: ViewInfo = view._meta_.view
    if view._edge_ is None and view._flags_ & ~info.base._flags_ & flags.REQUIRES_GRAD:
        raise RuntimeError(function_errors.LEAF_WRITTEN)
    if outputs > 1:
        raise RuntimeError(function_errors.DIRTY_VIEW_SEVERAL)
    if info.kind != views.SINGLE:
        views.refuse(view, True)
    if (view._flags_ | info.base._flags_) & flags.REQUIRES_GRAD and info.base._edge_ is None:
        raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)


def place(
    node: FunctionNode,
    out: Tensor,
    nr: int,
    args: tuple[Any, ...],
    dirty: tuple[Any, ...],
    differentiable: bool,
    modes: Modes,
) -> Tensor:
    """The tensor that stands for output `nr`, with its place in the graph."""
    is_input: bool = is_among(out, args)
    written: bool = bool(dirty) and is_among(out, dirty)
    if not differentiable:
        out = without_history(out, is_input, written, modes)
    elif written:
        rewrite(node, out, nr, args, modes)
        return out
    else:
        if is_input:
            out = alias(out, modes)
        connect(node, out, nr)
    if out._flags_ & flags.VIEW and not written:
        info: ViewInfo = out._meta_.view
        info.kind = views.CUSTOM
        info.version = out._storage_.version
    return out


def without_history(out: Tensor, is_input: bool, written: bool, modes: Modes) -> Tensor:
    """Return an output without history: `out` itself unless that is an input, or has a history to preserve."""
    if not out.requires_grad:
        return alias(out, modes) if is_input and not written else out
    if is_input:
        return share(out._array_, out._storage_)
    if not out._flags_ & flags.VIEW:
        out._edge_ = None
        out._flags_ &= ~flags.REQUIRES_GRAD
    return out


def alias(tensor: Tensor, modes: Modes) -> Tensor:
    """Another tensor on the same memory, a view of the first."""
    grad: bool = modes.grad
    mask: int = modes.mask
    forward: int = modes.forward
    try:
        modes.set_grad(False)
        modes.forward = 0
        return tensor.view(tensor.shape)
    finally:  # stores only, see `modes`
        modes.grad = grad
        modes.mask = mask
        modes.forward = forward


def connect(node: FunctionNode, out: Tensor, nr: int) -> None:
    """Make a tensor output `nr` of a node."""
    out._edge_ = function_edge(node, nr, out)
    out._flags_ |= flags.REQUIRES_GRAD


def rewrite(node: FunctionNode, out: Tensor, nr: int, args: tuple[Any, ...], modes: Modes) -> None:
    """Make the node the history of an input that was written to; of a view, that of its base."""
    if not out._flags_ & flags.VIEW:
        meta: AutogradMeta = out._meta_
        if meta is not None:
            meta.grad = None
            if meta.retains_grad:
                retain_at(out, function_edge(node, nr, out))
        connect(node, out, nr)
        return
    number: int = -1
    for at in range(len(args)):
        if args[at] is out:
            number = node.edge_numbers[at]
    inner: ViewWrite = ViewWrite.__new__(ViewWrite)
    set_up(inner, tuple(in_front(list(node.next_edges), number)), node.sequence_number, 1)
    inner.inner = node
    inner.number = number
    rebase(out, inner, modes)


def mark_several(outputs: list[Any]) -> None:
    """Mark views among several differentiable outputs, which may not be written to for that reason."""
    tensor: Tensor
    for value in outputs:
        if isinstance(value, Tensor):
            tensor = value
            if tensor._flags_ & flags.VIEW:
                info: ViewInfo = tensor._meta_.view
                info.kind = views.MULTIPLE


def keep_all(node: FunctionNode, outputs: list[Any], modes: Modes) -> tuple[Any, ...]:
    """Save the tensors that `forward` has named, outputs as outputs."""
    if not isinstance(node.to_save, tuple):
        raise RuntimeError(function_errors.no_tuple("to_save", node.to_save))
    kept: list[Any] = []
    tensor: Tensor
    for value in node.to_save:
        if value is None:
            kept.append(None)
        elif isinstance(value, Tensor):
            tensor = value
            nr: int = output_number(node, tensor, outputs)
            kept.append(save_input(tensor, modes) if nr < 0 else save_result(tensor, nr, modes))
        else:
            raise TypeError(function_errors.no_tensor(function_errors.SAVE, len(kept), value))
    node.kept_origins = origins(kept, node.to_save)
    return tuple(kept)


def origins(kept: list[Any], saved: tuple[Any, ...]) -> Any:
    """Return weak references to the inputs that were saved, None for other saved values; None if there are none.

    A leaf that requires a gradient is kept itself.
    """
    references: list[Any] = []
    anything: bool = False
    for at in range(len(kept)):
        reference: Any = None
        if isinstance(kept[at], SavedInput) and kept[at].leaf is None:
            reference = door.weak(saved[at])
            anything = True
        references.append(reference)
    return tuple(references) if anything else None


def output_number(node: FunctionNode, tensor: Tensor, outputs: list[Any]) -> int:
    """Return the number of the recorded output that a tensor is, -1 if it is none."""
    if tensor._edge_ is not None and tensor._edge_.node is node:
        return tensor._edge_.nr
    for nr in range(len(outputs)):
        if outputs[nr] is tensor and node.output_recorded[nr]:
            return nr
    return -1
