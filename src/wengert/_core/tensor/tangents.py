"""Tangents of forward mode: a tensor has one for each level at which it is dual.

A level is one differentiation that is under way. The tangent of an inner level may itself be dual at an outer one, so
that perturbations are not confused. When a level ends, all tensors that are still dual at it drop their tangents:
a tensor that the program keeps holds nothing alive, and no cycle remains from a node over a saved output's tangent back
to the node.
"""

from __future__ import annotations

from typing import Any

from .. import door, errors, flags
from .base import Tensor, meta_of
from .meta import AutogradMeta

FORGOTTEN = 64
"""Number of tangents from which a level checks now and then which of them are alive."""


class Level:
    """One differentiation in forward mode.

    Attributes:
        number: larger than those of the levels around this one, see `Modes.next_level`.
        alive: whether it has not ended.
        members, room: weak references to its tangents; their number at which the dead ones are dropped.
        replaced: the storages of tangents that others have replaced (see `dual_memory.widen`), or None: views whose
            tangents are on these storages take theirs from their base again.
        depth: the number of the transform that began it among those under way, from 1; 0 for none.
    """

    number: int
    alive: bool
    depth: int
    members: list[Any]
    replaced: list[Any] | None
    room: int

    __slots__ = ("alive", "depth", "members", "number", "replaced", "room")
    __reduce__ = errors.refuse_pickling

    def __init__(self, number: int) -> None:
        self.number = number
        self.alive = True
        self.depth = 0
        self.members = []
        self.replaced = None
        self.room = FORGOTTEN

    def note(self, tangent: Tangent) -> None:
        """Add a tangent to the members."""
        if len(self.members) >= self.room:
            self.members = [reference for reference in self.members if reference() is not None]
            self.room = 2 * len(self.members) + FORGOTTEN
        self.members.append(door.weak(tangent))

    def end(self) -> None:
        """Remove the tangents of all tensors at this level."""
        self.alive = False
        members = self.members
        self.members = []
        self.replaced = None
        for reference in members:
            tangent: Tangent | None = reference()
            if tangent is not None:
                tangent.tensor = None


class Tangent:
    """The tangent of a tensor at one level.

    Attributes:
        level: the level.
        tensor: the tangent, of the tensor's shape; None when the level has ended.
        outer: the tangent of the same tensor at the next level outward, or None.
    """

    level: Level
    tensor: Any
    outer: Tangent | None

    __slots__ = ("__weakref__", "level", "outer", "tensor")
    __reduce__ = errors.refuse_pickling


def first_of(tensor: Tensor) -> Tangent | None:
    """The tangent of a tensor at the innermost level that has not ended; None if it has none."""
    meta: AutogradMeta = tensor._meta_
    tangent: Tangent | None = None if meta is None else meta.tangent
    while tangent is not None and tangent.tensor is None:
        tangent = tangent.outer
    return tangent


def is_dual(tensor: Tensor) -> bool:
    """Return whether a tensor has a tangent at a level that has not ended."""
    return tensor._flags_ & flags.DUAL != 0 and first_of(tensor) is not None


def tangent_at(tensor: Tensor, level: Level) -> Any:
    """The tangent of a tensor at one level, or None."""
    tangent: Tangent | None = first_of(tensor)
    while tangent is not None:
        if tangent.level is level:
            return tangent.tensor
        tangent = tangent.outer
    return None


def give(tensor: Tensor, level: Level, value: Tensor) -> None:
    """Make a tensor dual at a level that is inside of all those at which it is dual."""
    put(tensor, linked(level, value, first_of(tensor)))


def linked(level: Level, value: Any, outer: Tangent | None) -> Tangent:
    """Return a tangent in front of those at the outer levels."""
    tangent: Tangent = Tangent.__new__(Tangent)
    tangent.level = level
    tangent.tensor = value
    tangent.outer = outer
    level.note(tangent)
    return tangent


def put(tensor: Tensor, tangent: Tangent | None) -> None:
    """Set the tangents of a tensor."""
    if tangent is None:
        if tensor._meta_ is not None:
            tensor._meta_.tangent = None
        tensor._flags_ &= ~flags.DUAL
        return
    meta_of(tensor).tangent = tangent
    tensor._flags_ |= flags.DUAL


def insert(tensor: Tensor, level: Level, value: Tensor) -> None:
    """Set the tangent of a tensor at a level, at its place among the levels at which it is dual."""
    inner: list[Tangent] = []
    tangent: Tangent | None = first_of(tensor)
    while tangent is not None and tangent.level.number > level.number:
        inner.append(tangent)
        tangent = tangent.outer
    if tangent is not None and tangent.level is level:
        tangent = tangent.outer
    tangent = linked(level, value, tangent)
    while inner:
        inner_tangent: Tangent = inner.pop()
        tangent = linked(inner_tangent.level, inner_tangent.tensor, tangent)
    put(tensor, tangent)


def share_tangents(twin: Tensor, tensor: Tensor) -> None:
    """Share the tangents of a tensor with another one that stands for it, also those yet to be computed."""
    if tensor._flags_ & flags.DUAL:
        put(twin, tensor._meta_.tangent)
