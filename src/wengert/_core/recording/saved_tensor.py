"""Saved values of a node as programs see them: `node._saved_*`, and `node._raw_saved_*`, which take hooks."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors, flags
from ..graph.node import Node
from ..leaves.accumulate import gradient_edge
from ..state.modes import current
from ..tensor.base import Tensor, share, wrap
from .recorded import OpNode, unpack_tensor
from .saved import (
    Saved,
    SavedInput,
    SavedOfClass,
    SavedOutput,
    SavedOutputOfClass,
    SavedPacked,
    detached_twin,
    input_of,
    is_as_saved,
    of_class,
    packed_by,
    twin_of_class,
)

NUMBERS = (bool, int, float, complex)


class SavedTensor:
    """A tensor that a node has saved for the backward pass.

    It knows the node and where the node keeps the value: in which attribute, at which place, and as which of several.
    Two of them are equal if they stand for the same saved value.
    """

    __slots__ = ("_at", "_attribute", "_node", "_part")
    __reduce__ = errors.refuse_pickling

    _node: Node
    _attribute: str
    _at: int
    _part: int

    def __init__(self, *args: Any) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @property
    def data(self) -> Any:
        """The stored object: a tensor, or the result of a pack hook; None after it was freed."""
        saved = self._find()
        if isinstance(saved, SavedPacked):
            return saved.packed
        if isinstance(saved, SavedInput):
            tensor = living(saved)
            return placed(saved) if tensor is None else tensor
        return bare(saved) if isinstance(saved, SavedOutput) else None

    @property
    def unpack_hook(self) -> Callable[[Any], Tensor] | None:
        """The hook that turns the stored object back into a tensor, or None."""
        saved = self._find()
        return saved.unpack_hook if isinstance(saved, SavedPacked) else None

    def unpack(self) -> Tensor | None:
        """Return the tensor as it was saved, with its place in the graph; None if this call did not have to save it.

        Raises:
            RuntimeError: if it was freed, or written to since.
        """
        saved = self._find()
        if saved is None and getattr(self._node, self._attribute) is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return None if saved is None else show(saved, self._node)

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Store the result of `pack_hook(tensor)`, and use `unpack_hook` of it in the backward pass.

        The pack hook is called at once, with the tensor outside the graph. If it fails, all is as before.

        Raises:
            TypeError: if a hook cannot be called.
            RuntimeError: if nothing is kept (any more), hooks were set before, or the pack hook wrote to the
                tensor.

        >>> import wengert as wg
        >>> x = wg.tensor([4.0, 9.0], requires_grad=True)
        >>> y = x.sqrt()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t.tolist(), lambda values: wg.tensor(values))
        >>> y.grad_fn._raw_saved_result.data
        [2.0, 3.0]
        """
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise TypeError(errors.uncallable_hook("register_hooks", hook))
        values = getattr(self._node, self._attribute)
        if values is None:
            raise RuntimeError(errors.HOOKS_AFTER_FREE)
        saved = self._find()
        if isinstance(saved, SavedPacked):
            raise RuntimeError(errors.HOOKS_TWICE)
        if saved is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        setattr(
            self._node, self._attribute, replaced(values, self._at, self._part, repacked(saved, pack_hook, unpack_hook))
        )

    def _find(self) -> Saved | None:
        values = getattr(self._node, self._attribute)
        if values is None or self._at < 0:
            return None
        value = values[self._at] if self._part < 0 else values[self._at][self._part]
        return value if isinstance(value, Saved) else None

    def _place(self) -> tuple[int, str, int, int]:
        return id(self._node), self._attribute, self._at, self._part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedTensor) and self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())


def raw(node: Node, attribute: str, at: int, part: int = -1) -> SavedTensor:
    """Return the SavedTensor at a place of `getattr(node, attribute)`; an empty one if `at` is -1."""
    saved: SavedTensor = SavedTensor.__new__(SavedTensor)
    saved._node, saved._attribute, saved._at, saved._part = node, attribute, at, part
    return saved


def read_saved(node: OpNode, name: str) -> Any:
    """Return the value of `node._saved_*`; None if this call did not need it.

    Raises:
        RuntimeError: if it was freed, or written to since.
    """
    if node.saved is None:
        raise RuntimeError(errors.BACKWARD_TWICE)
    names = node.plan.names
    return show(node.saved[names.index(name)], node) if name in names else None


def read_operand(node: OpNode, name: str) -> Any:
    """Return `read_saved` of an input: a number in the place of a tensor as the tensor that torch converts it to."""
    value = read_saved(node, name)
    if type(value) is int:  # which NumPy's arrays hold in 32 bits on some platforms
        return wrap(np.asarray(value, np.int64))
    return wrap(np.asarray(value)) if type(value) in NUMBERS else value


def show(value: Any, node: Node) -> Any:
    """Return a saved value as a program sees it: the tensor itself that was saved, if it is alive and unchanged."""
    if isinstance(value, tuple) and value and (value[0] is None or isinstance(value[0], Saved)):
        return tuple([show(element, node) for element in value])
    if not isinstance(value, Saved):
        return value
    tensor = living(value) if isinstance(value, SavedInput) else None
    if tensor is not None:
        return tensor
    modes = current()
    before = modes.set_grad(modes.grad or isinstance(value, SavedOutput))  # an output comes with its node
    try:
        return unpack_tensor(value, node)
    finally:
        modes.set_grad(before)


def living(saved: SavedInput) -> Tensor | None:
    """Return the tensor that was saved, if it is alive, with the memory and the history that it had; otherwise None.

    The node has no reference to it, which would keep it alive; a weak reference would make every call slower for the
    sake of few programs. So it is searched for among the objects that hold the same array.
    """
    holders = 2 + (saved.storage.array is saved.array)  # the saved value, this call, and perhaps the storage
    if sys.getrefcount(saved.array) <= holders:
        return None
    tensor: Tensor | None = None
    for referrer in gc.get_referrers(saved.array):
        if isinstance(referrer, Tensor) and is_as_saved(referrer, saved):
            tensor = referrer
            if referrer._flags_ & ~flags.VIEW == saved.word:
                break
    return tensor


def read_raw(node: OpNode, name: str) -> Any:
    """Return the value of `node._raw_saved_*`: a SavedTensor, or for several tensors a tuple of them.

    Raises:
        AttributeError: if a number is saved in this place, not a tensor.
    """
    names = node.plan.names
    at = names.index(name) if name in names else -1
    if node.saved is None or at < 0:
        return raw(node, "saved", at)
    kept = node.saved[at]
    if isinstance(kept, tuple):
        return tuple([raw(node, "saved", at, part) for part in range(len(kept))])
    if kept is not None and not isinstance(kept, Saved):
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_raw_saved_{name}'")
    return raw(node, "saved", at)


def placed(saved: SavedInput) -> Tensor:
    """Return an input as it was saved, with its place in the graph, unchecked."""
    return of_class(saved) if isinstance(saved, SavedOfClass) else input_of(saved)


def bare(saved: SavedOutput) -> Tensor:
    """Return an output as it was saved, without its place in the graph."""
    if isinstance(saved, SavedOutputOfClass):
        return twin_of_class(saved.twin)
    return share(saved.array, saved.storage)


def repacked(saved: Saved, pack_hook: Any, unpack_hook: Any) -> SavedPacked:
    """Return the same saved value, stored by hooks from now on."""
    if isinstance(saved, SavedOutput):
        return packed_by(pack_hook, unpack_hook, bare(saved), None, saved.nr)
    assert isinstance(saved, SavedInput)
    tensor = placed(saved)
    edge = gradient_edge(tensor) if tensor._flags_ & flags.REQUIRES_GRAD else None
    return packed_by(pack_hook, unpack_hook, detached_twin(tensor), edge, -1)


def replaced(values: tuple[Any, ...], at: int, part: int, new: Saved) -> tuple[Any, ...]:
    """Return saved values with one of them replaced."""
    if part >= 0:
        return replaced(values, at, -1, replaced(values[at], part, -1, new))  # type: ignore[arg-type]
    return (*values[:at], new, *values[at + 1 :])
