"""Saved tensors that may be written to: they are copied before the write."""

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
    """Placeholder in the graph for a saved tensor, shared by all nodes that saved it.

    Attributes:
        key: identity and version of the saved array.
        neighbours: the handles of all tensors saved from the same memory, including this one.
    """

    __slots__ = ("__weakref__", "key", "neighbours")

    def __init__(self, key: tuple[int, int], neighbours: Neighbours) -> None:
        self.key = key
        self.neighbours = neighbours
        neighbours.add(self)


class Neighbours(weakref.WeakSet[Handle]):
    """Handles of tensors saved from the same memory; lives as long as one of them."""


class AllowMutation:
    """State of an `allow_mutation_on_saved_tensors` context, cleared when it is left.

    Attributes:
        original: the saved tensors that have not been written to, by their handles.
        cloned: copies of the saved tensors that have been written to.
        handles: the handles of `original`, by their keys.
        places: the handles on the same memory, by the identity of the array that owns it.
    """

    def __init__(self) -> None:
        self.original: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.handles: weakref.WeakValueDictionary[tuple[int, int], Handle] = weakref.WeakValueDictionary()
        self.places: weakref.WeakValueDictionary[int, Neighbours] = weakref.WeakValueDictionary()

    def pack(self, tensor: Tensor) -> Handle:
        """Return the handle of a saved tensor for the graph; the same one until the tensor is written to."""
        key = id(tensor._array_), tensor._version
        handle = self.handles.get(key)
        if handle is not None:
            return handle
        place = id(owner(tensor._array_))
        neighbours = self.places.get(place)
        if neighbours is None:
            neighbours = self.places[place] = Neighbours()
        handle = self.handles[key] = Handle(key, neighbours)
        self.original[handle] = saved = tensor.detach()
        saved._array_ = tensor._array_  # the same array: the key is unique while it lives
        return handle

    def unpack(self, handle: Handle) -> Tensor:
        """Return the saved tensor as it was.

        Raises:
            AssertionError: if the context has been left.
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
        """Observe each call of an operator; copy saved tensors that it is about to overwrite."""
        target = op.written(args)
        if target is not None:
            self.keep(target._array_)
        return proceed()

    def keep(self, target: Any) -> None:
        """Copy the saved tensors that share memory with an array; equal ones share one copy."""
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
    """Return the array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class allow_mutation_on_saved_tensors(Region, ContextDecorator):  # noqa: N801 - torch's name
    """Allow in-place writes to saved tensors inside this context.

    The saved value is copied before the first write, so that the backward pass, which must run inside the same context,
    uses the value that was saved. Writes that are not made by an operator (through NumPy, or by an optimiser's fused
    step) are not noticed.

    Yields:
        The state of the context, for debugging; it is cleared on exit.

    Raises:
        RuntimeError: if another such context is open, or hooks for saved tensors are forbidden (on entry).

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
