"""Arrays that stand for the conjugates or the negatives of the elements of others, whose memory they share.

`conj`, and the imaginary part of its result, return these: elements are conjugated or negated when they are read, and
before they are written. The step of a call with such tensors is `calls.postponed`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import flags
from .base import Tensor, wrap_flagged
from .standins import Members, StandIn


class Postponed(StandIn):
    """An array whose own elements are those of the memory, not those that it stands for.

    NumPy's functions and the methods that read take the elements that it stands for; indexing, transposing and similar
    methods return a `Postponed` again.

    Attributes:
        conjugated: the elements are conjugates, of complex numbers.
        negated: the elements are negatives.
    """

    flag = flags.POSTPONED
    conjugated: bool = False
    negated: bool = False

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Postponed):
            self.conjugated, self.negated = source.conjugated, source.negated

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in OF_MEMORY:
            return function(*[physical(value) for value in args], **kwargs)
        if function is np.copyto and isinstance(args[0], Postponed):
            args[0][...] = args[1] if len(args) < 3 else np.asarray(args[1]).astype(args[0].dtype, casting=args[2])
            return None
        return function(*map(read, args), **{name: read(value) for name, value in kwargs.items()})

    def __array_ufunc__(self, function: Any, method: str, *args: Any, out: Any = None, **kwargs: Any) -> Any:  # type: ignore[override]
        result = getattr(function, method)(*map(read, args), **{name: read(value) for name, value in kwargs.items()})
        if out is None:
            return result
        out[0][...] = result
        return out[0]

    def __setitem__(self, index: Any, value: Any) -> None:
        physical(self)[index] = standing_for(np.asarray(read(value)), self.conjugated, self.negated)

    def __getitem__(self, index: Any) -> Any:
        result = physical(self)[index]
        if isinstance(result, np.ndarray) and result.base is not None:
            return postponed(result, self.conjugated, self.negated)
        return standing_for(np.asarray(result), self.conjugated, self.negated)[()]

    @property  # type: ignore[misc]
    def real(self) -> Any:
        """The real parts, in memory of their own."""
        return resolved(self).real

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        """The imaginary parts, in memory of their own."""
        return resolved(self).imag

    def fill(self, value: Any) -> None:
        """Set all elements to a number."""
        self[...] = value

    def copy(self, order: Any = "C") -> Any:
        """The elements in memory of their own."""
        return resolved(self).copy(order)

    def __reduce__(self) -> Any:
        return resolved(self).__reduce__()

    def __bool__(self) -> bool:
        return bool(resolved(self))


OF_MEMORY = frozenset({np.may_share_memory, np.shares_memory})
"""NumPy's functions that use the memory, not the elements."""
VIEWS = ("diagonal", "reshape", "squeeze", "swapaxes", "transpose")


def reader(name: str) -> Any:
    """Return a method that reads the elements that the array stands for."""

    def method(self: Postponed, *args: Any, **kwargs: Any) -> Any:
        return getattr(resolved(self), name)(*args, **kwargs)

    method.__name__ = name
    return method


def viewer(name: str) -> Any:
    """Return a method that returns the same elements in another order."""

    def method(self: Postponed, *args: Any, **kwargs: Any) -> Any:
        return postponed(getattr(physical(self), name)(*args, **kwargs), self.conjugated, self.negated)

    method.__name__ = name
    return method


for _name in vars(StandIn):
    if _name not in vars(Postponed) and callable(getattr(np.ndarray, _name, None)) and _name in vars(np.ndarray):
        setattr(Postponed, _name, viewer(_name) if _name in VIEWS else reader(_name))


def physical(value: Any) -> Any:
    """The memory of an array as it is; anything else as it is."""
    return value.view(np.ndarray) if isinstance(value, Postponed) else value


def read(value: Any) -> Any:
    """Return `resolved` of an array, or of those in lists."""
    return type(value)(map(read, value)) if type(value) in (list, tuple) else resolved(value)


def resolved(value: Any) -> Any:
    """The elements that an array stands for, in memory of their own; anything else as it is."""
    return standing_for(physical(value), value.conjugated, value.negated) if isinstance(value, Postponed) else value


def standing_for(array: Any, conjugated: bool, negated: bool) -> Any:
    """Conjugate or negate the elements of an array: into a new one, unless neither is requested."""
    if conjugated and array.dtype.kind == "c":
        array = np.asarray(np.conjugate(array))  # NumPy returns a number for one element
    return np.asarray(np.negative(array)) if negated else array


def postponed(array: Any, conjugated: bool, negated: bool) -> Any:
    """A view of an array that stands for the conjugates or the negatives of its elements."""
    array = physical(array)
    if not conjugated and not negated:
        return array
    result: Postponed = array.view(Postponed)
    result.conjugated, result.negated = conjugated, negated
    return result


def like(array: Any, source: Any) -> Any:
    """A part of the memory of `source`, or several, as elements of the same kind."""
    if not isinstance(source, Postponed):
        return array
    if isinstance(array, (tuple, list)):
        return tuple([like(part, source) for part in array])
    if isinstance(array, Members):  # whose whole is an array yet
        array.whole = like(array.whole, source)
        return array
    conjugated, negated = source.conjugated, source.negated
    if isinstance(array, Postponed):  # the step that was taken conjugates or negates, too
        conjugated, negated = conjugated != array.conjugated, negated != array.negated
    return postponed(array, conjugated, negated)


def is_conjugated(tensor: Tensor) -> bool:
    """Return whether the elements are conjugates of those in memory."""
    array = elements_of(tensor)
    return isinstance(array, Postponed) and array.conjugated


def is_negated(tensor: Tensor) -> bool:
    """Return whether the elements are negatives of those in memory."""
    array = elements_of(tensor)
    return isinstance(array, Postponed) and array.negated


def elements_of(tensor: Tensor) -> Any:
    """The array of a tensor; of a batched one that of all members."""
    array: Any = tensor._array_
    while isinstance(array, Members):
        array = array.whole._array_
    return array


def with_signs_of(value: Any, like: Tensor) -> Any:
    """Return the elements of a tensor in memory that holds their conjugates or negatives if that of `like` does."""
    conjugated, negated = is_conjugated(like), is_negated(like)
    if (is_conjugated(value), is_negated(value)) == (conjugated, negated):
        return value
    memory = value.conj_physical() if conjugated else value.clone()
    if negated:
        memory = memory.neg()
    view = memory.conj() if conjugated else memory
    return view._neg_view() if negated else view


def lay(tensor: Tensor, array: Any) -> None:
    """Set the memory of a tensor."""
    tensor._array_ = array
    tensor._flags_ &= ~flags.POSTPONED
    if isinstance(array, Postponed):
        tensor._flags_ |= flags.POSTPONED


def settled(value: Any) -> Any:
    """Return an argument with the elements that tensors stand for in memory of their own, without history."""
    if isinstance(value, Tensor):
        return wrap_flagged(resolved(value._array_), 0) if value._flags_ & flags.POSTPONED else value
    if type(value) in (tuple, list) and any(isinstance(item, Tensor) for item in value):
        return type(value)([settled(item) for item in value])
    return value
