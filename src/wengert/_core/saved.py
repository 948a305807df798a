"""What a node keeps of tensors for the backward pass, checked when it is read.

An input is kept as the tensor that it is. An output is kept without its node, and given it back when it is read, so
that node and output form no cycle.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from . import door, errors, flags
from .base import Tensor, share
from .modes import Modes, current
from .node import Node, new_edge
from .storage import Storage


@cython.no_gc
@cython.cclass
class Saved:
    """One saved tensor."""

    __slots__ = ()

    def unpack(self, node: Node) -> Tensor:
        """The tensor as it was saved.

        Raises:
            RuntimeError: it was written to in place since.
        """
        raise NotImplementedError


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class SavedInput(Saved):
    """An input, with the version that it had."""

    tensor: Tensor
    version: int

    __slots__ = ("tensor", "version")

    def unpack(self, node: Node) -> Tensor:
        tensor: Tensor = self.tensor
        if tensor.storage.version != self.version:
            origin = ""
            if tensor.edge is not None:
                origin = f"output {tensor.edge.nr} of {errors.operation_name(tensor.edge.node.name())}"
            raise RuntimeError(
                errors.modified_in_place(tensor.array, origin, tensor.storage.version, self.version, node.name())
            )
        return tensor


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class SavedOutput(Saved):
    """An output: its memory and version; its place in the graph is the node that saves it."""

    array: Any
    storage: Storage
    version: int
    nr: int

    __slots__ = ("array", "nr", "storage", "version")

    def unpack(self, node: Node) -> Tensor:
        storage: Storage = self.storage
        if storage.version != self.version:
            origin = f"output {self.nr} of {errors.operation_name(node.name())}"
            raise RuntimeError(errors.modified_in_place(self.array, origin, storage.version, self.version, node.name()))
        return recorded_output(share(self.array, storage), node, self.nr)


@cython.no_gc
@cython.cclass
class SavedPacked(Saved):
    """What a pack hook made of a tensor."""

    packed: Any
    unpack_hook: Any
    nr: int

    __slots__ = ("nr", "packed", "unpack_hook")

    def unpack(self, node: Node) -> Tensor:
        made = self.unpack_hook(self.packed)
        if not isinstance(made, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(made)}"
            )
        if self.nr < 0:
            return made
        return recorded_output(share(made.array, made.storage), node, self.nr)


def recorded_output(tensor: Tensor, node: Node, nr: int) -> Tensor:
    """Give a tensor its place as output `nr` of `node`, where recording is on and the output has a derivative."""
    modes: Modes = current()
    if modes.grad and node.records(nr):
        tensor.edge = new_edge(node, nr, door.shape_of(tensor.array), door.dtype_of(tensor.array))
        tensor.flags = flags.REQUIRES_GRAD
    return tensor


def save_input(tensor: Tensor, modes: Modes) -> Saved:
    """Keep an input."""
    if modes.saved_hooks is not None:
        return pack(tensor, -1, modes)
    saved: SavedInput = SavedInput.__new__(SavedInput)
    if tensor.flags & flags.VIEW and (tensor.edge is not None or tensor.flags & flags.REQUIRES_GRAD == 0):
        # A view holds its base, whose history may come to lead to this node: keep only memory and edge, so no cycle can
        # close. A view that is itself a leaf is kept as it is: a twin would gather gradients of its own.
        twin: Tensor = share(tensor.array, tensor.storage)
        twin.edge = tensor.edge
        twin.flags = tensor.flags & ~flags.VIEW
        tensor = twin
    saved.tensor = tensor
    saved.version = tensor.storage.version
    return saved


def save_output(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """Keep output `nr`."""
    if modes.saved_hooks is not None:
        return pack(share(tensor.array, tensor.storage), nr, modes)
    saved: SavedOutput = SavedOutput.__new__(SavedOutput)
    saved.array = tensor.array
    saved.storage = tensor.storage
    saved.version = tensor.storage.version
    saved.nr = nr
    return saved


def pack(tensor: Tensor, nr: int, modes: Modes) -> Saved:
    """Keep what the innermost pack hook makes of the tensor."""
    pack_hook: Any
    pack_hook, unpack_hook = modes.saved_hooks[-1]
    saved: SavedPacked = SavedPacked.__new__(SavedPacked)
    saved.nr = nr
    saved.unpack_hook = unpack_hook
    version = tensor.storage.version
    saved.packed = pack_hook(tensor)
    if tensor.storage.version != version:
        raise RuntimeError(errors.PACK_HOOK_WRITES)
    return saved
