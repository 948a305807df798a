"""Rules of shapes that several rooms share; those of one room are in its `shapes.py`, see `calls.meta`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .._core.tensor.meta_array import COLUMNS as COLUMNS, NeedsValues
from .._core.types.sizes import broadcast, normalise
from .axes import read_dims

Shape: TypeAlias = tuple[int, ...]
Rule: TypeAlias = Callable[..., Any]
INT64 = np.dtype(np.int64)
INT32 = np.dtype(np.int32)
BOOL = np.dtype(np.bool_)


def shape_of(*cards: Any) -> Callable[[Rule], Rule]:
    """Give several cards the same rule; decorates it."""

    def decorate(rule: Rule) -> Rule:
        for card in cards:
            card.shape(rule)
        return rule

    return decorate


def by_values(why: str, *cards: Any) -> None:
    """Say of cards that the shape of their results follows from values, and why."""

    def refuse(*args: Any) -> Any:
        raise NeedsValues(why)

    shape_of(*cards)(refuse)


def like_first(first: Any, *others: Any) -> Any:
    """The shape of the first operand; the dtype is that of one element."""
    return first.shape


def kind_of_first(first: Any, *others: Any) -> Any:
    """The shape and the dtype of the first operand."""
    return first.shape, first.dtype


def kind_of_second(first: Any, second: Any, *others: Any) -> Any:
    """The shape and the dtype of the second operand."""
    return second.shape, second.dtype


def shape_of_argument(grad: Any, shape: Any, *others: Any) -> Any:
    """The shape that the second argument is, and the dtype of the first one: that of many gradients."""
    return tuple(shape), (grad[0] if isinstance(grad, (tuple, list)) else grad).dtype


def seen(view: Any, array: Any, *where: Any) -> Any:
    """Apply a view to an array that may have no values."""
    return view.body(array.view(np.ndarray), *where)


def arrays_in(args: Sequence[Any]) -> list[Any]:
    """The arrays among arguments."""
    return [value for value in args if isinstance(value, np.ndarray)]


def common_shape(*args: Any) -> Shape:
    """The shape to which all operands are broadcast."""
    shape: Shape = ()
    for array in arrays_in(args):
        shape = broadcast(shape, array.shape)
    return shape


def reduced(array: Any, dim: Any, keepdim: bool = False) -> Shape:
    """The shape that a reduction over dimensions leaves; None and no dimensions at all stand for all."""
    axes = read_dims("reduction", dim, array.ndim)
    gone = range(array.ndim) if axes is None else axes
    return tuple(
        [1 if axis in gone else length for axis, length in enumerate(array.shape) if keepdim or axis not in gone]
    )


def reduction(self: Any, dim: Any = None, keepdim: bool = False, *others: Any) -> Any:
    """The rule of a reduction over dimensions."""
    return reduced(self, dim, keepdim)


def with_length(shape: Shape, dim: int, length: int) -> Shape:
    """A shape with another length along a dimension."""
    axis = normalise(dim, len(shape))
    return (*shape[:axis], length, *shape[axis + 1 :])


def real(dtype: Any) -> Any:
    """The dtype of the real part of numbers."""
    return np.empty((), dtype).real.dtype
