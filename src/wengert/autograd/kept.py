"""Tensors that the nodes of a graph keep in memory for the backward pass, without unpacking them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._core import door
from .._core.functions.function import FunctionNode, ViewWrite
from .._core.graph.node import Node
from .._core.recording.recorded import OpNode
from .._core.recording.saved import SavedInput, SavedOutput, SavedPacked
from .._core.recording.saved_part import SavedPart
from .._core.tensor.base import Tensor
from .._core.tensor.storage import Storage
from .._core.writes.slices import CopySlices


class Kept(NamedTuple):
    """A saved tensor as a node keeps it.

    Attributes:
        name: the name of the `_saved_*` attribute without that prefix, with the position if there are several.
        shape: the shape of the tensor.
        dtype: the name of its dtype; empty for a packed tensor whose memory cannot be measured.
        address: the address of the storage; equal for tensors that share it.
        nbytes: the size of the storage in bytes.
        packed: whether a hook packed it; then shape, dtype and memory are those of the hook's result.
        storage: the identity of the tensor's storage; 0 of a packed array that has none.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    address: int
    nbytes: int
    packed: bool
    storage: int


def innermost(node: Node) -> Node:
    """Return the node of the call itself, which is wrapped in another node for an in-place write to a view."""
    while isinstance(node, CopySlices | ViewWrite):
        node = node.inner
    return node


def kept_by(node: Node) -> list[Kept] | None:
    """Return the tensors that a node keeps for the backward pass.

    Reads no saved tensor: versions are not checked, and no unpack hook is called.

    Returns:
        One entry for each tensor, sorted by name; None if the node was freed.

    >>> import wengert as wg
    >>> x = wg.ones(3, requires_grad=True)
    >>> [(one.name, one.nbytes) for one in kept_by(x.exp().grad_fn)]
    [('result', 12)]
    """
    node = innermost(node)
    values: dict[str, Any] = {}
    if isinstance(node, OpNode):
        if node.saved is None:
            return None
        # "out" is the name of the only output in rules.
        names = ["result" if name == "out" else name for name in node.plan.names]
        values = dict(zip(names, node.saved))
    elif isinstance(node, FunctionNode):
        if node.kept_tensors is None:
            return None
        values = {"saved_tensors": tuple(node.kept_tensors)}
    return [entry_ for name in sorted(values) for entry_ in described(name, values[name])]


def saved_arrays(node: Node) -> Iterator[Any]:
    """Return the arrays of the tensors that a node has saved, except those packed by a hook."""
    node = innermost(node)
    values: Any = node.saved if isinstance(node, OpNode) else getattr(node, "kept_tensors", None)
    waiting = list(values or ())
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, SavedPart):
            waiting.append(value.kept)
        elif isinstance(value, (SavedInput, SavedOutput)) and isinstance(value.array, np.ndarray):
            yield value.array


PACKED = "packed by a hook"
"""What stands for a saved value that a hook has packed."""


def values_saved(node: Node) -> list[tuple[str, Any]] | None:
    """Return what a node has saved for its rules, by the names that these use: tensors as arrays, the rest as it is.

    Reads no saved tensor, as `kept_by`; `PACKED` stands for those that hooks have packed.

    Returns:
        Pairs of names and values, in the order in which they were saved; None if the node was freed.
    """
    node = innermost(node)
    if isinstance(node, OpNode):
        return (
            None
            if node.saved is None
            else [(name, as_array(value)) for name, value in zip(node.plan.names, node.saved)]
        )
    if isinstance(node, FunctionNode):
        kept = node.kept_tensors
        return None if kept is None else [(f"saved_tensors[{at}]", as_array(value)) for at, value in enumerate(kept)]
    return []


def as_array(value: Any) -> Any:
    """Return the array of a saved tensor, a tuple for several, `PACKED`, or a value that is not a tensor."""
    if isinstance(value, tuple):
        return tuple(as_array(item) for item in value)
    if isinstance(value, SavedPart):
        return as_array(value.kept)
    if isinstance(value, (SavedInput, SavedOutput)):
        return value.array
    if isinstance(value, Tensor):
        return value._array_
    return PACKED if isinstance(value, SavedPacked) else value


def described(name: str, value: Any) -> Iterator[Kept]:
    """Yield the entries of one saved value: a tensor, several, or none."""
    if isinstance(value, tuple):
        for at, item in enumerate(value):
            yield from described(f"{name}[{at}]", item)
    elif isinstance(value, (SavedInput, SavedOutput)):
        yield entry(name, value.array, value.storage)
    elif isinstance(value, SavedPart):
        yield from described(name, value.kept)
    elif isinstance(value, SavedPacked):
        arrays = list(arrays_in(value.packed))
        for at, (array, storage) in enumerate(arrays):
            yield entry(name if len(arrays) == 1 else f"{name}[{at}]", array, storage)._replace(packed=True)
        if not arrays:
            yield Kept(name, (), "", 0, 0, True, 0)


def entry(name: str, array: Any, storage: Storage | None) -> Kept:
    """Return the entry of an array in a storage."""
    memory = array if storage is None else storage.array
    identity = 0 if storage is None else id(storage)
    return Kept(name, tuple(array.shape), str(array.dtype), door.address_of(memory), memory.nbytes, False, identity)


def arrays_in(packed: Any) -> Iterator[tuple[Any, Storage | None]]:
    """Yield the tensors and arrays in the result of a pack hook, also within tuples, lists and dictionaries."""
    open_values = [packed]
    seen: set[int] = set()  # containers may contain themselves
    while open_values:
        value = open_values.pop()
        if isinstance(value, Tensor):
            yield value._array_, value._storage_
        elif isinstance(value, np.ndarray):
            yield value, None
        elif isinstance(value, tuple | list | Mapping) and id(value) not in seen:
            seen.add(id(value))
            open_values.extend(reversed(list(value.values() if isinstance(value, Mapping) else value)))
