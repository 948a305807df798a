"""Index arrays: how many dimensions they stand for, how the elements there lie in memory, which are refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.door import is_row_major
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._kernels import positions
from .index import check_range


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
    arrays = [positions.nonzero(each)[0] if each.dtype == np.bool_ else each for each in given]
    whole = np.broadcast_shapes(*[each.shape for each in arrays])
    front = places[0] if places[-1] - places[0] == len(places) - 1 else 0
    steps = [(*kept[:front], *(0,) * len(whole), *kept[front:])]
    steps += [between_ones(layouts.stretched(each, whole), whole, each.itemsize, front, shape) for each in arrays]
    return layouts.ordered(shape, steps)


def between_ones(
    strides: tuple[int, ...], lengths: tuple[int, ...], size: int, front: int, shape: tuple[int, ...]
) -> tuple[int, ...]:
    """The strides of an index array that torch reshapes to stand among the dimensions of the result.

    It gets a dimension of length 1 for each that is not indexed; their strides count where the result's length is 1.

    Args:
        strides: of the array.
        lengths: of the array.
        size: of an element, in the unit of the strides.
        front: how many dimensions of the result stand before those of the array.
        shape: of the result.
    """
    inside = strides[-1] if strides else size
    longer = [at for at, length in enumerate(lengths) if length != 1]
    outside = strides[longer[0]] * lengths[longer[0]] if longer else inside
    end = front + len(lengths)
    before = [outside if length == 1 else 0 for length in shape[:front]]
    return (*before, *strides, *[inside if length == 1 else 0 for length in shape[end:]])


def refuse_types(shape: tuple[int, ...], indices: Any) -> None:
    """Refuse index arrays that are neither integers nor masks, and empty masks that do not fit: NumPy takes them.

    Raises:
        IndexError: one is of another type, or shape.
    """
    for each in indices:
        if each is not None and each.dtype.char not in "lqi?":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if each is not None and each.dtype == np.bool_ and not each.size:
            refuse_places(shape, indices, values_too=False)


def refuse_places(shape: tuple[int, ...], indices: Any, values_too: bool = True) -> None:
    """Say in torch's words why index arrays (None: a whole dimension) do not fit a shape, if they do not.

    Args:
        values_too: look at the values of the index arrays too, not only at their shapes.

    Raises:
        IndexError: there are too many, an index lies outside, a mask has another shape, or the arrays do not broadcast
            together.
    """
    if sum(width(each) for each in indices) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})")
    given = [each for each in indices if each is not None]
    if len(given) > 1:
        check_together([(int(np.count_nonzero(each)),) if each.dtype == np.bool_ else each.shape for each in given])
    dim = 0
    for each in indices:
        if each is not None and each.dtype == np.bool_:
            check_mask(each, shape, dim)
        elif each is not None and values_too:
            if each.size and not shape[dim]:
                raise IndexError(f"index is out of bounds for dimension with size 0 (dimension {dim})")
            check_range(each, shape[dim], dim)
        dim += width(each)


def check_mask(mask: Any, shape: tuple[int, ...], dim: int) -> None:
    """Refuse a mask of another shape than the dimensions that it stands for."""
    for at, length in enumerate(mask.shape):
        if length != shape[dim + at]:
            raise IndexError(
                f"The shape of the mask {shown(mask.shape)} at index {at} does not match the shape of the indexed "
                "tensor "
                f"{shown(shape)} at index {dim + at}"
            )


def check_together(shapes: list[tuple[int, ...]]) -> None:
    """Refuse index arrays that do not broadcast together."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(map(shown, shapes))
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        ) from None
