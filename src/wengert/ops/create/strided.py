"""Factories of uninitialised memory with given strides, or a given order of dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room
from .factory import batched_shape, batches_of, check_place, finish, read_dtype, read_tuple
from .like import is_sparse


@composite(method=False)
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return an uninitialised tensor of given lengths and strides.

    Args:
        size: the lengths.
        stride: step between neighbours along each dimension, in elements of memory.
        dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new leaf.

    Raises:
        RuntimeError: if the numbers of lengths and strides differ, or a stride is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    check_place("empty_strided", device, pin_memory, layout)
    element = read_dtype("empty_strided", dtype, dtypes.get_default_dtype())
    return finish("empty_strided", strided_array("empty_strided", size, stride, element), requires_grad)


def strided_array(name: str, size: Any, stride: Any, element: DType, count: int | None = None) -> np.ndarray[Any, Any]:
    """Return an uninitialised array of given lengths and strides; or `count` of them, concatenated, as one array."""
    shape, steps = read_tuple(name, size, 1), integers(name, "stride", stride)
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if steps and min(steps) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.shown(shape)} and strides={errors.shown(steps)}"
        )
    room = 0 if 0 in shape else 1 + sum((length - 1) * step for length, step in zip(shape, steps))
    if count is not None:
        shape, steps, room = (count, *shape), (room, *steps), room * count
    memory = np.empty(room, element.numpy)
    return np.ndarray(shape, element.numpy, memory, strides=tuple(step * element.itemsize for step in steps))


@empty_strided.samples
def empty_strided_samples(make: Any) -> Any:
    yield Sample((2, 3), (1, 2))
    yield Sample((2, 0), (1, 1))
    yield Bad((2, 3), (1,), raises=RuntimeError, says="must match dimensionality of strides (1)")
    yield Bad((2, 3), (-1, 1), raises=RuntimeError, says="Storage size calculation overflowed")


@composite(function=False)
def new_empty_strided(
    input: Tensor,
    size: Any,
    stride: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """`empty_strided` in the dtype of a tensor.

    Args:
        input: tensor.
        size: the lengths.
        stride: step between neighbours along each dimension, in elements of memory.
        dtype, layout, device, pin_memory, requires_grad: as for `new_zeros`.

    Returns:
        A new leaf.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5]).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    check_place("new_empty_strided", device, pin_memory, layout)
    is_sparse(input, device)
    element = read_dtype("new_empty_strided", dtype, input.dtype)
    levels = batches_of(input)
    array = strided_array(
        "new_empty_strided", size, stride, element, math.prod(batched_shape(levels, ())) if levels else None
    )
    if levels:
        array = array.reshape((*batched_shape(levels, ()), *array.shape[1:]))
    return finish("new_empty_strided", array, requires_grad, levels)


@new_empty_strided.samples
def new_empty_strided_samples(make: Any) -> Any:
    yield Sample(make(2), (2, 3), (1, 2))
    yield Bad(make(2), (2, 3), (1,), raises=RuntimeError, says="must match dimensionality of strides (1)")


@composite(method=False)
def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return uninitialised dense memory with a given order of dimensions.

    Args:
        size: the lengths.
        physical_layout: each dimension once, the outermost in memory first.
        dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new leaf.

    Raises:
        RuntimeError: if `physical_layout` is not an order of the dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
        (15, 1, 3)
    """
    shape, order = read_tuple("empty_permuted", size, 1), integers("empty_permuted", "physical_layout", physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for at, dim in enumerate(order):
        if not 0 <= dim < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {dim} at index {at}). "
                " NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in order[:at]:
            raise RuntimeError("Duplicate dim not allowed")
    check_room("empty_permuted", shape)
    return empty_strided(
        shape,
        layouts.packed(shape, order[::-1]),
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )


@empty_permuted.samples
def empty_permuted_samples(make: Any) -> Any:
    yield Sample((2, 3), (1, 0))
    yield Bad((2, 3), (0, 0), raises=RuntimeError, says="Duplicate dim not allowed")
    yield Bad((2, 3), (0,), raises=RuntimeError, says="does not match the length of the physical_layout")
    yield Bad((2, 3), (0, 2), raises=RuntimeError, says="Dimension out of range (expected to be between 0 and 1, but")
