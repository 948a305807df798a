"""Tensors that a node saves for the backward pass, checked when they are read.

An input is kept as the tensor that it is. An output is kept without its node, which is attached when it is
read, so that node and output form no cycle. A pair of hooks may store something else for either.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..graph import anomaly
from ..graph.node import Edge, Node, new_edge, title
from ..leaves.accumulate import AccumulateGrad, gradient_edge
from ..state.modes import Modes, current
from ..tensor import tangents
from ..tensor.base import Tensor, meta_of, share
from ..tensor.meta import AutogradMeta
from ..tensor.storage import Storage
from . import written


def twin_of_class(tensor: Any) -> Any:
    """Return another tensor of the same class, which has a `__torch_dispatch__`, without history."""
    from ..tensor import wrappers  # few programs have such classes

    return wrappers.twin(tensor)


@cython.no_gc
@cython.cclass
class Saved:
    """One saved tensor."""

    __slots__ = ()
    __reduce__ = errors.refuse_pickling

    def unpack(self, node: Node) -> Tensor:
        """Return the tensor as it was saved.

        Raises:
            RuntimeError: if it was written to in place since.
        """
        raise NotImplementedError

    def plain(self, node: Node) -> Any:
        """Return the array of `unpack`, with the same checks, or NotImplemented if the array alone is not enough."""
        return NotImplemented


@cython.no_gc
@cython.cclass
class SavedInput(Saved):
    """An input, with the version that it had: its memory and its place in the graph.

    Not the tensor: a later write to it, or to the base of a view, may let its history lead to the node that keeps it,
    and no cycle must close. A leaf that requires a gradient is kept itself (`leaf`): another tensor would accumulate
    gradients of its own.
    """

    leaf: Tensor
    array: Any
    storage: Storage
    edge: Edge
    word: int
    version: int

    __slots__ = ("array", "edge", "leaf", "storage", "version", "word")

    def unpack(self, node: Node) -> Tensor:
        self.check(node)
        return input_of(self)

    def plain(self, node: Node) -> Any:
        self.check(node)
        leaf: Tensor = self.leaf
        if leaf is None:
            return NotImplemented if self.word & flags.UNUSUAL else self.array
        return NotImplemented if leaf._flags_ & flags.UNUSUAL else leaf._array_

    def check(self, node: Node) -> None:
        """Refuse a tensor that was written to, or lost its history, since."""
        storage: Storage = self.storage
        if storage.version != self.version:
            origin: str = written.origin(self.array, self.edge, self.word)
            raise RuntimeError(anomaly.stale(self.array, storage, origin, self.version, title(node)))
        if storage.detached > node.sequence_number and self.edge is not None and not self.word & flags.VIEW:
            raise RuntimeError(errors.DETACHED_SINCE_SAVED)


@cython.no_gc
@cython.cclass
class SavedOutput(Saved):
    """An output: its memory and version; its place in the graph is the node that saves it."""

    array: Any
    storage: Storage
    version: int
    nr: int

    __slots__ = ("array", "nr", "storage", "version")

    def unpack(self, node: Node) -> Tensor:
        self.check(node)
        output: Tensor = share(self.array, self.storage)
        modes: Modes = current()
        return recorded_output(output, node, self.nr) if modes.grad else output

    def plain(self, node: Node) -> Any:
        self.check(node)
        return self.array if door.is_ndarray(self.array) else NotImplemented

    def check(self, node: Node) -> None:
        """Refuse a tensor that was written to since."""
        storage: Storage = self.storage
        if storage.version != self.version:
            origin = f"output {self.nr} of {errors.operation_name(title(node))}"
            raise RuntimeError(anomaly.stale(self.array, storage, origin, self.version, title(node)))


@cython.no_gc
@cython.cclass
class SavedDualInput(SavedInput):
    """An input with its tangents."""

    tangent: Any

    __slots__ = ("tangent",)

    def unpack(self, node: Node) -> Tensor:
        return dual_again(SavedInput.unpack(self, node), self.tangent)


@cython.no_gc
@cython.cclass
class SavedDualOutput(SavedOutput):
    """An output with its tangents, which may be computed after it is saved."""

    tangent: Any

    __slots__ = ("tangent",)

    def unpack(self, node: Node) -> Tensor:
        return dual_again(SavedOutput.unpack(self, node), self.tangent)

    def plain(self, node: Node) -> Any:
        return NotImplemented


@cython.no_gc
@cython.cclass
class SavedOfClass(SavedInput):
    """An input of a class that has a `__torch_dispatch__`: a tensor of that class, without history, takes its place.

    `word` has a bit that keeps its array from being read.
    """

    twin: Any

    __slots__ = ("twin",)

    def unpack(self, node: Node) -> Tensor:
        self.check(node)
        return of_class(self)


@cython.no_gc
@cython.cclass
class SavedOutputOfClass(SavedOutput):
    """Output of a class with a `__torch_dispatch__`, saved as a tensor of that class."""

    twin: Any

    __slots__ = ("twin",)

    def unpack(self, node: Node) -> Tensor:
        self.check(node)
        tensor: Tensor = twin_of_class(self.twin)
        modes: Modes = current()
        return recorded_output(tensor, node, self.nr) if modes.grad else tensor

    def plain(self, node: Node) -> Any:
        return NotImplemented


@cython.no_gc
@cython.cclass
class SavedPacked(Saved):
    """The object that a pack hook returned for a tensor.

    The result of the unpack hook takes the tensor's place in the graph: of output `nr` of the node, or (`nr` is -1) of
    an input whose gradient goes to `edge`. Versions are not checked: the hooks may have kept other memory.
    """

    packed: Any
    unpack_hook: Any
    edge: Edge
    nr: int
    tangent: Any

    __slots__ = ("edge", "nr", "packed", "tangent", "unpack_hook")

    def unpack(self, node: Node) -> Tensor:
        tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise TypeError(errors.not_unpacked(tensor))
        if self.nr >= 0:
            return dual_again(recorded_output(detached_twin(tensor), node, self.nr), self.tangent)
        if self.edge is None and self.tangent is None and not tensor.requires_grad:
            return tensor
        return dual_again(placed_input(detached_twin(tensor), self.edge), self.tangent)


def dual_again(tensor: Tensor, tangent: Any) -> Tensor:
    """Restore the tangents of a saved tensor whose levels have not ended."""
    while tangent is not None and tangent.tensor is None:
        tangent = tangent.outer
    if tensor._flags_ & flags.DUAL == 0 or tensor._meta_ is None:  # otherwise it is the leaf itself
        tangents.put(tensor, tangent)
    return tensor


def recorded_output(tensor: Tensor, node: Node, nr: int) -> Tensor:
    """Make a tensor output `nr` of `node`, if the output has a derivative."""
    if node.records(nr):
        tensor._edge_ = new_edge(node, nr, door.shape_of(tensor._array_), door.dtype_of(tensor._array_))
        tensor._flags_ |= flags.REQUIRES_GRAD
    return tensor


def placed_input(tensor: Tensor, edge: Edge | None) -> Tensor:
    """Attach the edge of a tensor's gradient: to an accumulator (a leaf), or to another node."""
    if edge is None:
        return tensor
    tensor._flags_ |= flags.REQUIRES_GRAD
    if isinstance(edge.node, AccumulateGrad):
        meta: AutogradMeta = meta_of(tensor)
        edge.node.keep(edge.leaf)
        meta.accumulator = door.weak(edge.node)
    else:
        tensor._edge_ = edge
    return tensor


def save_input(tensor: Tensor, modes: Modes) -> Saved:
    """Keep an input.

    Raises:
        RuntimeError: if it is an inference tensor.
    """
    if tensor._flags_ & flags.INFERENCE:
        raise RuntimeError(errors.INFERENCE_SAVED)
    if modes.saved_hooks is not None:
        return pack(twin_of(tensor) if tensor._flags_ & flags.VIEW else tensor, -1, modes)
    saved: SavedInput
    if tensor._flags_ & (flags.DUAL | flags.OBSERVED):
        saved = dual_input(tensor) if tensor._flags_ & flags.DUAL else input_of_class(tensor)
    else:
        saved = SavedInput.__new__(SavedInput)
    saved.array = tensor._array_
    saved.storage = tensor._storage_
    saved.version = saved.storage.version
    saved.edge = tensor._edge_
    saved.word = tensor._flags_
    saved.leaf = tensor if tensor._edge_ is None and tensor._flags_ & flags.REQUIRES_GRAD else None
    return saved


def dual_input(tensor: Tensor) -> SavedInput:
    """Return a record of a dual input that has only its tangents."""
    saved: SavedDualInput = SavedDualInput.__new__(SavedDualInput)
    saved.tangent = tensor._meta_.tangent
    return saved


def input_of_class(tensor: Tensor) -> SavedInput:
    """Return a record of an input of a class with a `__torch_dispatch__` that has only a tensor of that class."""
    saved: SavedOfClass = SavedOfClass.__new__(SavedOfClass)
    saved.twin = twin_of_class(tensor)
    return saved


def output_of_class(tensor: Tensor) -> SavedOutput:
    """Return a record of an output of a class with a `__torch_dispatch__` that has only a tensor of that class."""
    saved: SavedOutputOfClass = SavedOutputOfClass.__new__(SavedOutputOfClass)
    saved.twin = twin_of_class(tensor)
    return saved


def dual_output(tensor: Tensor) -> SavedOutput:
    """Return a record of a dual output that has only its tangents."""
    saved: SavedDualOutput = SavedDualOutput.__new__(SavedDualOutput)
    saved.tangent = tensor._meta_.tangent
    return saved


def input_of(saved: SavedInput) -> Tensor:
    """Return the tensor that was saved, or one that stands for it, unchecked."""
    if saved.leaf is not None:
        return saved.leaf
    twin: Tensor = share(saved.array, saved.storage)
    twin._edge_ = saved.edge
    twin._flags_ = saved.word & ~flags.VIEW
    return twin


def of_class(saved: SavedOfClass) -> Tensor:
    """Return `input_of` an input whose class has a `__torch_dispatch__`."""
    if saved.leaf is not None:
        return saved.leaf
    tensor: Tensor = twin_of_class(saved.twin)
    tensor._edge_ = saved.edge
    tensor._flags_ = saved.word & ~flags.VIEW
    return tensor


def is_as_saved(tensor: Tensor, saved: SavedInput) -> bool:
    """Return whether a tensor has the values and the place in the graph that were saved."""
    storage: Storage = tensor._storage_
    if storage is not saved.storage or storage.version != saved.version:
        return False
    return tensor._array_ is saved.array and tensor._edge_ is saved.edge


def twin_of(view: Tensor) -> Tensor:
    """Return another tensor on the memory of a view, with its place in the graph; a view that is a leaf itself."""
    if view._edge_ is None and view._flags_ & flags.REQUIRES_GRAD:
        return view
    twin: Tensor = detached_twin(view)
    twin._edge_ = view._edge_
    twin._flags_ = view._flags_ & ~flags.VIEW
    tangents.share_tangents(twin, view)
    return twin


def detached_twin(tensor: Tensor) -> Tensor:
    """Return another tensor on the same memory, without history; of the class if that has a `__torch_dispatch__`."""
    if tensor._flags_ & flags.OBSERVED:
        return twin_of_class(tensor)
    return share(tensor._array_, tensor._storage_)


def save_output(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """Keep output `nr`."""
    if modes.saved_hooks is not None:
        return pack_output(tensor, nr, modes)
    saved: SavedOutput
    if tensor._flags_ & (flags.DUAL | flags.OBSERVED):
        saved = dual_output(tensor) if tensor._flags_ & flags.DUAL else output_of_class(tensor)
    else:
        saved = SavedOutput.__new__(SavedOutput)
    saved.array = tensor._array_
    saved.storage = tensor._storage_
    saved.version = tensor._storage_.version
    saved.nr = nr
    return saved


def pack_output(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """Save the result of the innermost pack hook for output `nr`.

    The hook receives a tensor with the output's history. The tensor loses the history when the hook returns: otherwise
    a hook that stores it would let the node keep itself alive.
    """
    twin: Tensor = detached_twin(tensor)
    if tensor._edge_ is not None and tensor._flags_ & flags.VIEW == 0:
        twin._edge_ = tensor._edge_
        twin._flags_ |= flags.REQUIRES_GRAD
    tangents.share_tangents(twin, tensor)
    try:
        return pack(twin, nr, modes)
    finally:
        twin._edge_ = None
        twin._flags_ &= flags.ELSEWHERE


def pack(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """Save the result of the innermost pack hook for a tensor: an input if `nr` is -1, otherwise output `nr`."""
    pack_hook, unpack_hook = modes.saved_hooks[-1]
    edge: Edge = gradient_edge(tensor) if nr < 0 and tensor._flags_ & flags.REQUIRES_GRAD else None
    return packed_by(pack_hook, unpack_hook, tensor, edge, nr)


def packed_by(pack_hook: Any, unpack_hook: Any, tensor: Tensor, edge: Edge | None, nr: int) -> SavedPacked:
    """Save the result of `pack_hook`, called with recording off, for a tensor.

    Raises:
        RuntimeError: if the hook wrote to the tensor.
    """
    saved: SavedPacked = SavedPacked.__new__(SavedPacked)
    saved.nr = nr
    saved.edge = edge
    saved.unpack_hook = unpack_hook
    saved.tangent = tensor._meta_.tangent if tensor._flags_ & flags.DUAL else None
    modes: Modes = current()
    version: int = tensor._storage_.version
    grad: bool = modes.grad
    mask: int = modes.mask
    try:
        modes.set_grad(False)
        saved.packed = pack_hook(tensor)
    finally:  # stores only, see `modes`
        modes.grad = grad
        modes.mask = mask
    if tensor._storage_.version != version:
        raise RuntimeError(errors.PACK_HOOK_WRITES)
    return saved
