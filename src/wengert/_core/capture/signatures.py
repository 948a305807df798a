"""Conditions for replaying a list: arguments, tensors and modes."""

from __future__ import annotations

import math
from typing import Any

from .. import door, flags
from ..state.modes import Modes
from ..tensor.base import Tensor
from ..tensor.meta import AutogradMeta
from ..types.devices import device
from ..types.dtypes import dtype
from ..types.sizes import Size
from . import direct
from .lists import layout_of as layout_of
from .recorder import PLAIN

VALUES = (bool, int, str, bytes, type(None), type(...), dtype, device, type)
"""Types whose objects are compared by value or by identity."""


class Guard:
    """The properties of one tensor that a list depends on.

    Attributes:
        layout: an array of its dtype, shape and strides.
        word: its flags.
        cls: its class.
        requires: the tensor requires a gradient; for a view this depends on its base, too, not only on its flags.
    """

    layout: Any
    word: int
    cls: Any
    requires: bool

    __slots__ = ("cls", "layout", "requires", "word")


def guard_of(tensor: Tensor) -> Guard:
    """Return the guard of a tensor."""
    guard: Guard = Guard.__new__(Guard)
    guard.layout = layout_of(tensor._array_)
    guard.word = tensor._flags_
    guard.cls = type(tensor)
    guard.requires = tensor.requires_grad
    return guard


def holds(guard: Guard, tensor: Any) -> bool:
    """Return whether a tensor satisfies a guard."""
    if type(tensor) is not guard.cls:
        return False
    candidate: Tensor = tensor
    if candidate._flags_ != guard.word or (guard.word & flags.VIEW and candidate.requires_grad != guard.requires):
        return False
    return direct.has_layout(candidate._array_, guard.layout)


class External:
    """A tensor that existed before a recorded call.

    Attributes:
        guard: its properties.
        tensor: the tensor; None if calls may have others in its place.
        source: where a call has the other one: its number among the leaves of the arguments, or -2 - n for the `.grad`
            of external tensor n; -1 if it is always the same.
        register: the register of its array.
        bare: it had no `.grad`, and must not have one.
        storage: the storage of a tensor that is always the same, at the latest comparison with the others.
    """

    guard: Guard
    tensor: Any
    source: int
    register: int
    bare: bool
    storage: Any

    __slots__ = ("bare", "guard", "register", "source", "storage", "tensor")

    def __init__(self, tensor: Tensor, source: int, register: int, bare: bool) -> None:
        self.guard = guard_of(tensor)
        self.tensor = tensor if source == -1 else None
        self.source = source
        self.register = register
        self.bare = bare
        self.storage = None


def found(externals: list[Any], leaves: Any, tensors: list[Any]) -> int:
    """Put the external tensors of a call into a list.

    Args:
        externals: what is known of them.
        leaves: the tensors among the arguments, a list or a tuple.
        tensors: as many elements.

    Returns:
        0 if a guard fails; otherwise 1, or `direct.MOVED` if one that is the same in each call has another storage than
        at the latest comparison.
    """
    external: External
    tensor: Tensor
    value: Any
    meta: AutogradMeta
    state: int = 1
    for at in range(len(externals)):
        external = externals[at]
        if external.source == -1:
            value = external.tensor
        elif external.source >= 0:
            value = leaves[external.source]
        else:
            tensor = tensors[-2 - external.source]
            value = None if tensor._meta_ is None else tensor._meta_.grad
        if not holds(external.guard, value):
            return 0
        tensor = value
        if external.bare and tensor._meta_ is not None:
            meta = tensor._meta_
            if meta.grad is not None:
                return 0
        if external.source == -1 and external.storage is not tensor._storage_:
            state = direct.MOVED
        tensors[at] = tensor
    return state


def kinship(tensors: list[Any]) -> tuple[int, ...]:
    """Return for each tensor the index of the first one with the same storage."""
    first: dict[int, int] = {}
    result: list[Any] = []
    tensor: Tensor
    for at in range(len(tensors)):
        tensor = tensors[at]
        result.append(first.setdefault(id(tensor._storage_), at))
    return tuple(result)


def is_plain(modes: Modes) -> bool:
    """Return whether a thread is in no mode that a list would have to reproduce."""
    if modes.word or modes.inference or modes.fresh or modes.anomaly or modes.noting or modes.transforms:
        return False
    return modes.passing is None and modes.saved_hooks is None and modes.no_saved_hooks is None and not modes.batches


def flattened(value: Any, leaves: list[Any]) -> Any:
    """Collect the leaves of nested tuples, lists and dictionaries; return a key of the nesting.

    Equal keys mean the same nesting, with equal numbers and the same objects as other leaves; of tensors the key has
    only the positions.
    """
    kind: Any = type(value)
    if isinstance(value, Tensor):
        leaves.append(value)
        return Tensor
    if kind in VALUES:
        return kind, value
    if kind is float:
        return float, value if value == value else None, math.copysign(1.0, value)
    if kind is complex:
        return complex, flattened(value.real, leaves), flattened(value.imag, leaves)
    if kind is tuple or kind is list or kind is Size:
        return kind, tuple([flattened(element, leaves) for element in value])
    if kind is dict:
        return dict, tuple([(flattened(key, []), flattened(element, leaves)) for key, element in value.items()])
    if kind is slice:
        return slice, flattened((value.start, value.stop, value.step), leaves)
    return Same(value)


class Same:
    """A wrapper that equals only wrappers of the same object; it keeps the object alive."""

    value: Any

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def is_capturable(tensor: Tensor) -> bool:
    """Return whether a list can have a tensor as an argument."""
    return not tensor._flags_ & ~PLAIN and door.is_ndarray(tensor._array_)
