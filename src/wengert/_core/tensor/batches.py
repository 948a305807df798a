"""Batches: tensors with a dimension that the program does not see.

A batched tensor stands for all members of a batch at once. It has the shape of one member; the values of all are in its
*whole*, a tensor with the batch along its first dimension, which has neither history nor tangents: those are the
batched tensor's own, as for any other. The whole may be batched, too: levels nest, the newest outside.
"""

from __future__ import annotations

from typing import Any

from .. import batch_errors, errors, flags
from .base import Tensor, share
from .standins import Members, members
from .storage import next_serial


class Batch:
    """A level: one batch, of `size` members.

    Attributes:
        number: levels are numbered by age; numbers are not used again, for graphs keep batched tensors.
        randomness: "error", "different" or "same": the behaviour of random operators.
        directions: its members are directions of one derivative: they are in tangents and gradients, while the values
            that a function is run for are the same for all.
        depth: the number of the transform that began it among those under way, from 1; 0 for none.
    """

    number: int
    size: int
    depth: int
    randomness: str
    directions: bool

    __slots__ = ("depth", "directions", "number", "randomness", "size")
    __reduce__ = errors.refuse_pickling

    def __init__(self, size: int, randomness: str = "error", directions: bool = False) -> None:
        self.number = next_serial()
        self.size = size
        self.depth = 0
        self.randomness = randomness
        self.directions = directions

    def __repr__(self) -> str:
        return f"<batch of {self.size}>"


def batched(whole: Tensor, level: Batch) -> Tensor:
    """The tensor that stands for the members of `whole` along its first dimension."""
    if whole._flags_ & flags.VIEW:
        whole = share(whole._array_, whole._storage_)
    result: Tensor = share(members(whole, level), whole._storage_)
    result._flags_ |= whole._flags_ & flags.INFERENCE
    return result


def begin(tensor: Tensor) -> None:
    """Set the whole of the members of a new tensor, on the same storage."""
    array: Members = tensor._array_
    array.whole = share(array.whole, tensor._storage_)


def level_of(value: Any) -> Batch | None:
    """The newest level of a tensor; None if it carries no batch."""
    if isinstance(value, Tensor) and value._flags_ & flags.BATCHED:
        array: Members = value._array_
        return array.level
    return None


def refuse(what: str, *tensors: Tensor) -> None:
    """Refuse batched tensors for a use that needs a single tensor.

    Raises:
        RuntimeError: if a tensor carries a batch.
    """
    for tensor in tensors:
        if tensor._flags_ & flags.BATCHED:
            array: Members = tensor._array_
            raise RuntimeError(batch_errors.read(what, array.shape, array.level.size))


def is_batched(tensor: Tensor) -> bool:
    """Return whether a tensor carries a batch: no decision may depend on its values then."""
    return tensor._flags_ & flags.BATCHED != 0


def levels_of(value: Any) -> list[Batch]:
    """All levels of a tensor, the newest first."""
    levels: list[Batch] = []
    while isinstance(value, Tensor) and value._flags_ & flags.BATCHED:
        array: Members = value._array_
        levels.append(array.level)
        value = array.whole
    return levels


def has(value: Any, level: Batch) -> bool:
    """Return whether a tensor carries a batch."""
    while isinstance(value, Tensor) and value._flags_ & flags.BATCHED:
        array: Members = value._array_
        if array.level is level:
            return True
        value = array.whole
    return False


def is_apart(tensor: Tensor, levels: list[Batch]) -> bool:
    """Return whether a tensor has memory of its own for each member of some levels."""
    value: Any = tensor
    missing = list(levels)
    while isinstance(value, Tensor) and value._flags_ & flags.BATCHED:
        array: Members = value._array_
        if array.level in missing:
            if is_constant(array.whole):
                return False
            missing.remove(array.level)
        value = array.whole
    return not missing


def bare(tensor: Tensor) -> Tensor:
    """The values of a tensor, without history and tangents: the tensor itself if it has neither."""
    if tensor._flags_ & ~(flags.BATCHED | flags.INFERENCE) == 0:
        return tensor
    return twin(tensor)


def twin(tensor: Tensor) -> Tensor:
    """Return another tensor on the same memory, without history and tangents."""
    result: Tensor = share(tensor._array_, tensor._storage_)
    result._flags_ |= tensor._flags_ & flags.INFERENCE
    return result


def whole_of(value: Any, level: Batch) -> Any:
    """Return the whole of a tensor if its newest level is `level`; otherwise its values."""
    if not isinstance(value, Tensor):
        return value
    if value._flags_ & flags.BATCHED:
        array: Members = value._array_
        if array.level is level:
            return array.whole
    return bare(value)


def is_constant(whole: Tensor) -> bool:
    """Return whether all members of a batch share memory."""
    array: Any = whole._array_
    return array.strides[0] == 0 and array.shape[0] > 1 and array.size > 0
