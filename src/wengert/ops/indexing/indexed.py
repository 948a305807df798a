"""How the elements at index arrays lie in memory, and how many dimensions an index array stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.door import is_row_major
from ..._core.operators import layouts


def width(index: Any) -> int:
    """How many dimensions an index array stands for."""
    return index.ndim if index is not None and index.dtype == np.bool_ else 1


def laid_out(found: Any, array: Any, indices: list[Any]) -> Any:
    """The elements of `array` at `indices` in the order that torch gives them."""
    if is_row_major(array) and all(each is None or is_row_major(each) for each in indices):
        return found
    return layouts.with_strides(found, strides_of_indexed(array, indices, found.shape))


def strides_of_indexed(array: Any, indices: list[Any], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of the elements at index arrays: torch's iterator asks the array first, then the index arrays.

    The dimensions of the index arrays stand where these do if they are neighbours, otherwise in front.
    """
    kept: list[int] = []
    places: list[int] = []
    given: list[Any] = []
    for at, each in enumerate(indices):
        if each is None:
            kept.append(array.strides[len(kept) + sum(map(width, given))])
        else:
            places.append(at)
            given.append(each)
    kept += array.strides[len(kept) + sum(map(width, given)) :]
    arrays = [np.nonzero(each)[0] if each.dtype == np.bool_ else each for each in given]
    whole = np.broadcast_shapes(*[each.shape for each in arrays])
    front = places[0] if places[-1] - places[0] == len(places) - 1 else 0
    behind = (0,) * (len(kept) - front)
    steps = [(*kept[:front], *(0,) * len(whole), *kept[front:])]
    steps += [(*(0,) * front, *layouts.stretched(each, whole), *behind) for each in arrays]
    return layouts.ordered(shape, steps)
