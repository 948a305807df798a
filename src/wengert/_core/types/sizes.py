"""`Size`: the shape of a tensor, a tuple that prints as torch's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..._start.boundary import shorten

LARGEST = (1 << 63) - 1
"""The largest possible size, stride or offset."""


class Size(tuple[int, ...]):
    """The lengths of a tensor's dimensions; slices and sums of sizes are sizes."""

    __slots__ = ()

    def __new__(cls, lengths: Iterable[Any] = ()) -> Size:
        """Create a size from lengths: integers, or objects that stand for one.

        Raises:
            TypeError: if a length is not an integer.
        """
        try:
            return tuple.__new__(
                cls, [length if type(length) is int else whole(at, length) for at, length in enumerate(lengths)]
            )
        except Exception as error:
            shorten(error)
            raise

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        result = tuple.__getitem__(self, index)
        return tuple.__new__(Size, result) if type(result) is tuple else result

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        result = tuple.__add__(self, other)
        return tuple.__new__(Size, result) if type(other) is Size else Size(result)

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, count: Any) -> Size:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self) -> tuple[Any, ...]:
        return (Size, (tuple(self),))


def whole(at: int, length: Any) -> int:
    """Return a length as a Python integer.

    Raises:
        TypeError: if `length` is not an integer.
    """
    if not hasattr(length, "__index__"):
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {at} is '{type(length).__name__}')")
    return int(length.__index__())


def check_room(name: str, lengths: Sequence[int], element: int = 8) -> None:
    """Refuse a shape that is too large for any memory; dimensions without elements are left out of the product.

    Args:
        element: bytes of one element.

    Raises:
        RuntimeError: if the elements exceed the addresses of the machine.
    """
    if math.prod(filter(None, lengths)) * element > LARGEST:
        raise RuntimeError(f"{name}: Storage size calculation overflowed with sizes={list(lengths)}")


def normalise(dim: int, ndim: int) -> int:
    """Return `dim` counted from the front.

    Raises:
        IndexError: if it is outside `[-ndim, ndim - 1]` (a 0-dim tensor counts as one with a single dimension).
    """
    room = max(ndim, 1)
    if not -room <= dim < room:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})")
    return dim + room if dim < 0 else dim


def broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape of two operands.

    Raises:
        RuntimeError: if two lengths differ and neither is 1.
    """
    if first == second:
        return first
    ndim = max(len(first), len(second))
    result = []
    for at in reversed(range(ndim)):
        a = first[at - ndim + len(first)] if at >= ndim - len(first) else 1
        b = second[at - ndim + len(second)] if at >= ndim - len(second) else 1
        if a != b and a != 1 and b != 1:
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {at}"
            )
        result.append(b if a == 1 else a)
    return tuple(reversed(result))
