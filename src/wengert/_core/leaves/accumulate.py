"""The end of every path in the graph: gradients of leaves, kept in `.grad`."""

from __future__ import annotations

import _thread
from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..forks import forks
from ..graph import anomaly, facts, hooks
from ..graph.node import Edge, Node, expandable, new_edge, set_up
from ..operators.layouts import is_dense
from ..operators.overlap import is_seen_twice, overlaps
from ..profiling import kinds
from ..profiling.events import Log, on_arrays
from ..state.modes import Modes, current
from ..tensor import slots, tapes
from ..tensor.base import Tensor, meta_of, share, wrap
from ..tensor.meta import AutogradMeta
from ..tensor.standins import plain
from ..tensor.storage import count_write
from ..types.dtypes import from_numpy
from . import contract

FEW = 4096
"""Number of elements up to which NumPy copies an array faster than the copy of large arrays begins."""

LAST = (1 << 62) - 1
"""Sequence number of all accumulators: they run before any other node that is ready."""


@cython.no_gc
@cython.cclass
class AccumulateGrad(Node):
    """Node that adds the gradients that arrive to `variable.grad`.

    The leaf owns it, and edges to here own the leaf, until a program reads the node. From then on the node owns the
    leaf, which has only a weak reference to it, so that it lives as long as the program or some graph leads to it.

    Attributes:
        owned: the leaf, if it does not own the node; or None.
        reference: a weak reference to the leaf.
        edge_shape, edge_dtype: shape and dtype for edges to here, as the leaf had them last.
    """

    owned: Tensor
    reference: Any
    edge_dtype: Any
    edge_shape: tuple[Any, ...]

    __slots__ = ("edge_dtype", "edge_shape", "owned", "reference")

    @property
    def variable(self) -> Tensor:
        """The leaf."""
        return self.owned if self.owned is not None else door.referent(self.reference)

    def keep(self, leaf: Any) -> None:
        if self.owned is None:
            self.owned = leaf
            meta: AutogradMeta = meta_of(leaf)
            if meta.accumulator is self:
                meta.accumulator = door.weak(self)

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        return facts.FIRST

    def apply(self, grads: list[Any]) -> Any:
        accumulate(self.variable, grads[0], False)
        return ()


def accumulator(tensor: Tensor) -> AccumulateGrad:
    """Return the `AccumulateGrad` of a leaf, created on first use."""
    meta: AutogradMeta = tensor._meta_
    if meta is None:
        meta = meta_of(tensor)
    node: AccumulateGrad = noted(meta)
    if node is not None:
        return node
    node = AccumulateGrad.__new__(AccumulateGrad)
    set_up(node, (), LAST, 1)
    node.owned = None
    node.reference = door.weak(tensor)
    node.edge_shape = None
    node.edge_dtype = None
    while True:
        before = meta.accumulator
        other: AccumulateGrad = noted(meta)
        if other is not None:
            return other
        if meta.accumulator is before:  # no call between look and note, see `base.meta_of`
            meta.accumulator = node
            return node


def leaf_of(node: AccumulateGrad) -> Tensor:
    """Return the leaf of an accumulator."""
    return node.owned if node.owned is not None else door.referent(node.reference)


def noted(meta: AutogradMeta) -> AccumulateGrad:
    """Return the accumulator that a leaf owns, or refers to weakly; None if there is none."""
    known = meta.accumulator
    if known is None or isinstance(known, AccumulateGrad):
        return known
    return door.referent(known)


def lock_of(meta: AutogradMeta) -> Any:
    """Return the lock that is held while a gradient is added to `.grad`; created on first use, and after a fork."""
    process: int = forks()
    if meta.lock is None or meta.process != process:
        lock = _thread.RLock()
        if meta.lock is None or meta.process != process:  # see `base.meta_of`
            meta.lock = lock
            meta.process = process
    return meta.lock


def gradient_edge(tensor: Tensor) -> Edge:
    """Return the edge of a tensor that requires a gradient, for a look at its node."""
    edge: Edge = tensor._edge_
    if edge is None:
        return edge_in(tensor, current())
    if tapes.is_taped(edge):
        tapes.settle_edge(edge)
        return tensor._edge_
    return edge


def edge_in(tensor: Tensor, modes: Modes) -> Edge:
    """Return the edge of a tensor that requires a gradient; its node may not exist yet, see `tapes`."""
    if tensor._edge_ is not None:
        return tensor._edge_
    meta: AutogradMeta = tensor._meta_
    known: Any = None if meta is None else meta.accumulator
    node: AccumulateGrad = known if isinstance(known, AccumulateGrad) else accumulator(tensor)
    shape: tuple[Any, ...] = node.edge_shape
    dtype: Any = node.edge_dtype
    if shape is None or not door.in_space(tensor._array_, shape, dtype):
        shape = door.shape_of(tensor._array_)
        dtype = dtype_for(tensor)
        node.edge_dtype = dtype
        node.edge_shape = shape
    if modes.anomaly and node.owned is None:  # notes belong to this graph, and are freed with it
        node.keep(tensor)
        anomaly.remember(node, modes)
    edge: Edge = new_edge(node, 0, shape, dtype)
    edge.leaf = tensor
    return edge


def dtype_for(leaf: Tensor) -> Any:
    """Return the NumPy dtype that a leaf's gradients are to have; None for any."""
    meta: AutogradMeta = leaf._meta_
    wanted: Any = None if meta is None else meta.grad_dtype
    if wanted is None:
        return door.dtype_of(leaf._array_)
    return None if wanted is ... else wanted


def forget_space(meta: AutogradMeta) -> None:
    """Let new edges to a leaf determine again which dtype its gradients are to have."""
    node: AccumulateGrad = noted(meta)
    if node is not None:
        node.edge_shape = None


def in_dtype(grad: Any, dtype: Any) -> Any:
    """Return a gradient in a NumPy dtype: the real part if that dtype is real."""
    grad_dtype: Any = grad._array_.dtype
    if grad_dtype is dtype or grad_dtype == dtype:
        return grad
    if grad_dtype.kind == "c" and dtype.kind != "c":
        grad = grad.real
    return grad.to(dtype=from_numpy(dtype))


def accumulate(leaf: Tensor, grad: Any, owned: bool) -> None:
    """Add `grad` to `leaf.grad`.

    The dtype stays. Layout (torch's "default gradient layouts"): a first gradient gets the strides of a dense leaf,
    row-major otherwise; a later one is added in place, or, while the backward pass is itself recorded, replaces `.grad`
    by the sum.
    Passes of several threads add one after the other, so that no gradient is lost, nor is one of a pass that a signal
    handler or finaliser runs in the middle of this. A first gradient needs no lock: `added` looks before it notes it.

    Args:
        owned: nothing else uses the gradient's memory, so it may become `.grad` without a copy.

    Raises:
        RuntimeError: if the leaf has become the result of an operation since the graph was built; or elements of a
            `.grad` that the program assigned share memory with each other.
    """
    if leaf._edge_ is not None:
        raise RuntimeError(errors.LEAF_MOVED)
    meta: AutogradMeta = meta_of(leaf)
    modes: Modes = current()
    while leaf._flags_ & flags.REQUIRES_GRAD:  # it may have been switched off after the graph was built
        if meta.grad is None:  # nothing is written to
            if added(leaf, meta, grad, owned, modes):
                break
        elif locked(leaf, meta, grad, owned, modes):
            break
    if meta.after_accumulate:
        run_after_accumulate(leaf)


def locked(leaf: Tensor, meta: AutogradMeta, grad: Tensor, owned: bool, modes: Modes) -> bool:
    """Run `added` while the lock of the leaf is held."""
    lock: Any = lock_of(meta)
    if not cython.compiled:
        with lock:
            return added(leaf, meta, grad, owned, modes)
    lock.acquire()  # compiled, no handler of a signal runs before `try`
    try:
        return added(leaf, meta, grad, owned, modes)
    finally:
        lock.release()


def added(leaf: Tensor, meta: AutogradMeta, grad: Tensor, owned: bool, modes: Modes) -> bool:
    """Add `grad` to `.grad`; return False if another gradient was assigned there while the sum was computed."""
    if modes.log is not None:
        slots.table.tracing.told_leaf(leaf)
        modes.log.see(grad)
    known: Tensor = meta.grad
    if known is None:
        total = first_gradient(leaf, grad, owned, modes)
    elif modes.grad or (known._flags_ | grad._flags_) & (flags.BATCHED | flags.SPARSE | flags.OBSERVED):
        total = summed(known, grad, modes)
        if not total._flags_ & flags.SPARSE and not (door.has_rows(total._array_) and door.has_rows(leaf._array_)):
            contract.look(leaf, total, "new memory")
    else:
        if known._flags_ & flags.INFERENCE and not modes.inference:
            raise RuntimeError(errors.INFERENCE_IN_PLACE)
        if not door.has_rows(known._array_) and overlaps(known._array_) and is_seen_twice(known._array_):
            raise RuntimeError(errors.OVERLAP_IN_PLACE)
        add_into(known._array_, grad._array_, modes)
        count_write(known._storage_, "the accumulation of a gradient")
        if not (door.has_rows(known._array_) and door.has_rows(leaf._array_)):
            contract.look(leaf, known, "in place")
        return True
    if meta.grad is not known:
        return False
    meta.grad = total
    return True


def summed(known: Tensor, grad: Tensor, modes: Modes) -> Any:
    """The sum of two gradients by operators: in the memory of the first if one is sparse and nothing is recorded."""
    if (known._flags_ | grad._flags_) & flags.OBSERVED and not modes.grad:
        return slots.table.iadd.call2(known, grad)
    if not (known._flags_ | grad._flags_) & flags.SPARSE:
        return laid_out(slots.table.add.call2(known, grad), known)
    if known._flags_ & flags.SPARSE and not grad._flags_ & flags.SPARSE:
        return slots.table.add.call2(grad, known)
    return slots.table.add.call2(known, grad) if modes.grad else slots.table.iadd.call2(known, grad)


def add_into(array: Any, other: Any, modes: Modes) -> None:
    """Add an array to another one, in the memory of the first."""
    log: Log = modes.profiling() if modes.word & flags.PROFILED else None
    if log is None:
        add_quietly(array, other, modes)
    else:
        log.call(log.begin(kinds.OPERATOR, "add_", -1, None), add_quietly, (array, other, modes))


def add_quietly(array: Any, other: Any, modes: Modes) -> None:
    """Add without NumPy's warnings."""
    kernel: Any = slots.table.add_into
    try:
        modes.quiet(kernel, array, other, array)
        return
    except RuntimeError:
        if not modes.is_entered():
            raise
    modes.quietly_again(kernel, (array, other, array), None)


def run_after_accumulate(leaf: Tensor) -> None:
    """Call the hooks that receive the leaf itself once its gradient is complete.

    Raises:
        RuntimeError: if a hook returns another tensor.
        TypeError: if a hook returns something else, which could not even replace the leaf.
    """
    for hook in tuple(leaf._meta_.after_accumulate.values()):
        returned = hook(leaf)
        if returned is not None and returned is not leaf:
            hooks.check_replacement(hook, returned, leaf)
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def first_gradient(leaf: Tensor, grad: Tensor, owned: bool, modes: Modes) -> Tensor:
    """Return the tensor that becomes `.grad` if that is None."""
    array: Any = grad._array_
    whole: Any = grad._storage_.array
    if grad._flags_ & flags.BATCHED:
        return grad
    if grad._flags_ & flags.OBSERVED:
        return grad.clone() if modes.grad or not owned else grad.detach()
    if grad._flags_ & flags.SPARSE:
        plain: bool = owned and grad._edge_ is None and not grad._flags_ & flags.DUAL
        return grad if plain and not modes.grad else grad.clone()
    if modes.grad:
        return wrap(empty_for(leaf, array)).copy_(grad)
    if owned and door.is_laid_like(array, leaf._array_) and fills(array, whole):
        return grad if grad._edge_ is None and not grad._flags_ & flags.DUAL else share(array, grad._storage_)
    result: Tensor = wrap(
        copied_for(leaf._array_, array) if modes.log is None else on_arrays(modes, copied_for, leaf._array_, array)
    )
    if is_dense(leaf._array_):
        result._storage_.version = 1  # torch writes into the memory that it allocated, and counts that
    return result


def copied_for(leaf: Any, array: Any) -> Any:
    """Copy the array of a gradient into the layout of one of a leaf with the array `leaf`."""
    if door.has_rows(leaf) and door.has_rows(array) and door.share_space(array, leaf) and door.size_of(array) <= FEW:
        return array.copy()
    copied = empty_beside(leaf, array)
    if not expandable(array.shape, copied.shape):  # the memory of the leaf was replaced since
        copied = np.empty_like(array)
    slots.table.copy_into(copied, array)
    return copied


def fills(array: Any, whole: Any) -> bool:
    """Return whether an array spans all of its memory, without two elements that overlap."""
    return array is whole or (array.nbytes == whole.nbytes and not overlaps(array))


def empty_for(leaf: Tensor, grad: Any) -> Any:
    """Allocate memory for a gradient: with the strides of a dense leaf, else row-major; of the dtype of `grad`."""
    return empty_beside(leaf._array_, grad)


def empty_beside(array: Any, grad: Any) -> Any:
    """Run `empty_for` for a leaf with the array `array`."""
    if not is_dense(array):
        return np.empty(door.shape_of(array), door.dtype_of(grad))
    if door.dtype_of(array) is door.dtype_of(grad):
        return np.empty_like(array)
    return np.empty_like(array, door.dtype_of(grad))


def laid_out(grad: Any, model: Tensor) -> Any:
    """Return a recorded gradient in the layout of a gradient of `model`: itself, or a recorded copy."""
    array = empty_for(model, grad._array_)
    return grad if array.strides == grad._array_.strides else wrap(array).copy_(grad)


def run_leaf_hooks(leaf: Tensor, grad: Any) -> Any:
    """Run the hooks of the leaf's present value, before anything is accumulated: it may be a result by now."""
    edge: Edge = None if leaf._edge_ is None else gradient_edge(leaf)
    meta: AutogradMeta = leaf._meta_
    known: Any = None
    if edge is None:
        known = None if meta is None else meta.hooks
    elif edge.node.node_hooks is not None:
        known = edge.node.node_hooks.tensor.get(edge.nr)
    if not known:
        return grad
    grad = hooks.run_tensor_hooks(known, grad)
    return None if grad is None else plain(grad)
