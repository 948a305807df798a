"""Saved tensors that may be written to: they are copied just before."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

import numpy as np

from .._core import door, flags
from .._core.state.modes import Modes
from .._core.state.regions import Region
from .._core.tensor.base import Tensor, wrap


class Handle:
    """Stands in the graph for a saved tensor, for all nodes that saved it.

    Attributes:
        key: tells which array was saved, and in which version.
        neighbours: the handles of all tensors that were saved from the same memory, this one among them.
    """

    __slots__ = ("__weakref__", "key", "neighbours")

    def __init__(self, key: tuple[int, int], neighbours: Neighbours) -> None:
        self.key = key
        self.neighbours = neighbours
        neighbours.add(self)


class Neighbours(weakref.WeakSet[Handle]):
    """Handles of tensors saved from one piece of memory; lives as long as one of them."""


class AllowMutation:
    """What one `allow_mutation_on_saved_tensors` context knows; all is forgotten when it is left.

    Attributes:
        original: the saved tensors that have not been written to, by their handles.
        cloned: copies of those that have.
        handles: those of `original`, by their keys.
        places: the handles of one piece of memory, by the identity of the array that owns it.
    """

    def __init__(self) -> None:
        self.original: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.handles: weakref.WeakValueDictionary[tuple[int, int], Handle] = weakref.WeakValueDictionary()
        self.places: weakref.WeakValueDictionary[int, Neighbours] = weakref.WeakValueDictionary()

    def pack(self, tensor: Tensor) -> Handle:
        """Put a handle into the graph for a saved tensor; one for each that has not been written to meanwhile."""
        key = id(tensor._array_), tensor._version
        handle = self.handles.get(key)
        if handle is not None:
            return handle
        place = id(owner(tensor._array_))
        neighbours = self.places.get(place)
        if neighbours is None:
            neighbours = self.places[place] = Neighbours()
        handle = self.handles[key] = Handle(key, neighbours)
        self.original[handle] = kept = tensor.detach()
        kept._array_ = tensor._array_  # the very array: as long as it lives, the key is its own
        return handle

    def unpack(self, handle: Handle) -> Tensor:
        """The saved tensor as it was.

        Raises:
            AssertionError: the context has been left.
        """
        value = self.cloned.get(handle)
        if value is None:
            value = self.original.get(handle)
        if value is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                "originally recorded."
            )
        return value

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See each call of an operator; keep copies of what it is about to overwrite."""
        target = op.written(args)
        if target is not None:
            self.keep(target._array_)
        return proceed()

    def keep(self, target: Any) -> None:
        """Copy the saved tensors that share memory with an array; those that are alike share one copy."""
        neighbours = self.places.get(id(owner(target)))
        copies: dict[Any, Tensor] = {}
        for handle in tuple(neighbours or ()):
            saved = self.original.get(handle)
            if saved is None or not np.may_share_memory(target, saved._array_):
                continue
            array = saved._array_
            alike = door.address_of(array), array.shape, array.strides, array.dtype
            if alike not in copies:
                copies[alike] = wrap(array.copy(order="K"))
            self.cloned[handle] = copies[alike]
            del self.original[handle], self.handles[handle.key]

    def clear(self) -> None:
        """Forget all saved tensors."""
        self.original.clear()
        self.cloned.clear()
        self.handles.clear()
        self.places.clear()


def owner(array: Any) -> Any:
    """The array whose memory a view shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class allow_mutation_on_saved_tensors(Region, ContextDecorator):  # noqa: N801 - torch's name
    """Inside this context tensors that were saved for the backward pass may be written to in place.

    The saved value is copied just before the first write, so the backward pass, which must run inside the same context,
    sees what was saved. Writes that no operator makes (through NumPy, or by an optimiser's fused step) are not seen.

    Yields:
        What the context knows, for debugging; it is cleared on exit.

    Raises:
        RuntimeError: on entry: inside another such context, or where hooks for saved tensors are forbidden.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> with wg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     loss = (y * y).sum()
    ...     _ = y.zero_()
    ...     loss.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def _before_(self, modes: Modes) -> Any:
        for observer in modes.observers:
            if isinstance(getattr(observer, "__self__", None), AllowMutation):
                raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        if modes.no_saved_hooks is not None:
            raise RuntimeError(modes.no_saved_hooks)
        return AllowMutation(), modes.saved_hooks, modes.observers, modes.word

    def _begin_(self, modes: Modes, before: Any) -> AllowMutation:
        context: AllowMutation = before[0]
        modes.saved_hooks = (*(modes.saved_hooks or ()), (context.pack, context.unpack))
        modes.observe([*modes.observers, context.observe])
        return context

    def _end_(self, modes: Modes, before: Any) -> None:
        context, modes.saved_hooks, modes.observers, word = before
        modes.word = word & ~flags.PROFILED | modes.profiled
        context.clear()
