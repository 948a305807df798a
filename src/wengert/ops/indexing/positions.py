"""Positions of elements: nonzero_static, unravel_index."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

from ..._core.cards.arguments import asking
from ..._core.cards.card import CARDS, WIDE, Bad, Index, Sample, composite, op
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import positions


def coordinates(places: Any, shape: Any) -> Any:
    """Return the coordinates of indices into a flattened tensor of `shape`, along a new last dimension."""
    behind = [*itertools.accumulate(reversed([*shape[1:], 1]), operator.mul)][::-1] if shape else []
    steps, lengths = (np.array(numbers, np.int64) for numbers in (behind, tuple(shape)))
    if not places.numel():  # avoids a division by a length of 0
        steps, lengths = np.maximum(steps, 1), np.maximum(lengths, 1)
    by, within = (constant_beside(places, wrap(numbers)) for numbers in (steps, lengths))
    return places.unsqueeze(-1).floor_divide(by).remainder(within)


@composite(method=False)
def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Return the coordinates of indices into a flattened tensor.

    Args:
        indices: integer tensor of indices.
        shape: shape of the tensor, an integer or several.

    Returns:
        A tuple of int64 tensors of the shape of `indices`, one for each dimension.

    Raises:
        TypeError: if `indices` or `shape` are not integers.
        ValueError: if a length is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.unravel_index(wg.tensor(5), (2, 3))
        (tensor(1), tensor(2))
    """
    if not isinstance(indices, Tensor):
        raise TypeError(f"expected 'indices' to be a Tensor, but got {type(indices)}")
    if indices.dtype.category != dtypes.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if isinstance(shape, Tensor) or not (hasattr(shape, "__index__") or hasattr(shape, "__getitem__")):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    lengths = (operator.index(shape),) if hasattr(shape, "__index__") else tuple(shape)
    for length in lengths:
        if not hasattr(length, "__index__"):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(length)}")
    if any(length < 0 for length in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {lengths}")
    return coordinates(indices, lengths).unbind(-1)


vars(CARDS["unravel_index"])["public"] = asking(unravel_index, module="wengert")


@unravel_index.samples
def unravel_index_samples(make: Any) -> Any:
    yield Sample(wrap(np.array([[0, 5], [3, 2]], np.int64)), (2, 3))
    yield Sample(wrap(np.array(3)), (4,))
    yield Bad(wrap(np.array([1.0])), (2, 3), raises=TypeError, says="expected 'indices' to be integer dtype")
    yield Bad(
        wrap(np.array([1], np.int64)),
        (-2, 3),
        raises=ValueError,
        says="'shape' cannot have negative values, but got (-2,",
    )
    yield Bad(
        wrap(np.array([1], np.int64)), (2.0,), raises=TypeError, says="expected 'shape' sequence to only contain ints"
    )


@op(dtypes=WIDE, why="indices")
def nonzero_static(self: Index, *, size: int, fill_value: int = -1) -> Any:
    """Return the positions of the first `size` elements that are not zero.

    Args:
        size: number of rows.
        fill_value: value of the rows without an element.

    Returns:
        A new int64 tensor of shape (size, number of dimensions).

    Raises:
        RuntimeError: if `size` is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.nonzero_static(wg.tensor([0, 1, 2]), size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    check_room("nonzero_static", (size, self.ndim))
    result = np.full((size, self.ndim), fill_value, np.int64)
    if self.ndim:
        places = np.stack(positions.nonzero(self), 1)[:size]
        result[: len(places)] = places
    return result


@nonzero_static.batched
def nonzero_static_batched(self: Any, size: int, fill_value: int) -> Any:
    members, *shape = self.shape
    count = math.prod(shape)
    hits = (self != 0).reshape((members, count))
    order = hits.logical_not().to(dtypes.uint8).argsort(1)[:, :size]  # put those that are not zero first
    if size > count:
        order = order.new_zeros((members, size)).slice_scatter(order, 1, 0, count)
    known = wrap(positions.arange(size)) < hits.sum(1, True)
    return coordinates(order, shape).where(known.unsqueeze(-1), fill_value)


@nonzero_static.samples
def nonzero_static_samples(make: Any) -> Any:
    yield Sample(make(3, 4), size=5)
    yield Sample(make(3), size=5, fill_value=7)
    yield Sample(make(), size=2)
    yield Bad(make(3), size=-1, raises=RuntimeError, says="'size' must be an non-negative integer")
