"""Index arrays: the dimensions they stand for, the strides of elements there, and checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.door import is_row_major
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._kernels import positions
from .index import check_range


def width(index: Any) -> int:
    """Return the number of dimensions that an index array stands for."""
    return index.ndim if index is not None and index.dtype == np.bool_ else 1


def in_torch_order(result: Any, array: Any, indices: list[Any]) -> Any:
    """Return the elements of `array` at `indices` with the strides that torch's have."""
    if is_row_major(array) and all(operand is None or is_row_major(operand) for operand in indices):
        return result
    return layouts.with_strides(result, strides_of_indexed(array, indices, result.shape))


def strides_of_indexed(array: Any, indices: list[Any], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of elements at index arrays: torch's iterator reads the array first, then the index arrays.

    The dimensions of the index arrays take the place of the indexed ones if these are neighbours, otherwise the front.
    """
    other_strides: list[int] = []
    places: list[int] = []
    present: list[Any] = []
    for at, operand in enumerate(indices):
        if operand is None:
            other_strides.append(array.strides[len(other_strides) + sum(map(width, present))])
        else:
            places.append(at)
            present.append(operand)
    other_strides += array.strides[len(other_strides) + sum(map(width, present)) :]
    arrays = [positions.nonzero(operand)[0] if operand.dtype == np.bool_ else operand for operand in present]
    common = np.broadcast_shapes(*[operand.shape for operand in arrays])
    front = places[0] if places[-1] - places[0] == len(places) - 1 else 0
    steps = [(*other_strides[:front], *(0,) * len(common), *other_strides[front:])]
    steps += [
        strides_among_ones(layouts.stretched(operand, common), common, operand.itemsize, front, shape)
        for operand in arrays
    ]
    return layouts.ordered(shape, steps)


def strides_among_ones(
    strides: tuple[int, ...], lengths: tuple[int, ...], size: int, front: int, shape: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the strides of an index array that torch reshapes to its place among the dimensions of the result.

    It gets a dimension of length 1 for each that is not indexed; their strides count if the result's length is 1.

    Args:
        strides: strides of the array.
        lengths: lengths of the array.
        size: size of an element, in the unit of the strides.
        front: number of dimensions of the result before those of the array.
        shape: shape of the result.
    """
    inside = strides[-1] if strides else size
    longer = [at for at, length in enumerate(lengths) if length != 1]
    outside = strides[longer[0]] * lengths[longer[0]] if longer else inside
    end = front + len(lengths)
    before = [outside if length == 1 else 0 for length in shape[:front]]
    return (*before, *strides, *[inside if length == 1 else 0 for length in shape[end:]])


def refuse_types(shape: tuple[int, ...], indices: Any) -> None:
    """Refuse index arrays that are neither integers nor masks, and empty masks that do not fit: NumPy accepts them.

    Raises:
        IndexError: if the dtype or shape of an index array does not fit.
    """
    for index in indices:
        if index is not None and index.dtype.char not in "lqi?":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if index is not None and index.dtype == np.bool_ and not index.size:
            refuse_places(shape, indices, values_too=False)


def refuse_places(shape: tuple[int, ...], indices: Any, values_too: bool = True) -> None:
    """Raise torch's error for index arrays (None: a whole dimension) that do not fit a shape, if there are any.

    Args:
        values_too: check the values of the index arrays, too, not only their shapes.

    Raises:
        IndexError: if there are too many, an index is out of range, a mask has another shape, or the arrays do not
            broadcast.
    """
    if sum(width(index) for index in indices) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})")
    arrays = [index for index in indices if index is not None]
    if len(arrays) > 1:
        check_together(
            [(int(np.count_nonzero(index)),) if index.dtype == np.bool_ else index.shape for index in arrays]
        )
    dim = 0
    for index in indices:
        if index is not None and index.dtype == np.bool_:
            check_mask(index, shape, dim)
        elif index is not None and values_too:
            if index.size and not shape[dim]:
                raise IndexError(f"index is out of bounds for dimension with size 0 (dimension {dim})")
            check_range(index, shape[dim], dim)
        dim += width(index)


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
