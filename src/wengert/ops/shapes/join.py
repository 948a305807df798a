"""Concatenation: cat and stack, and functions built on them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import WIDE, Arrays, Bad, Out, Sample, op
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._core.tensor.base import OPERATORS
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..._kernels.layout import view_strides

native = kernels.direct_function


def is_legacy_empty(array: Any) -> bool:
    """Return whether `cat` ignores an array: torch does so for shape (0,), whatever the other shapes are."""
    return array.shape == (0,)


def common_dtype(arrays: Any) -> Any:
    """Return the NumPy dtype that all arrays are promoted to."""
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):
        return first
    return dtypes.result_type(arrays).numpy


def check_joinable(arrays: Any, dim: int) -> None:
    """Refuse arrays whose shapes differ in other dimensions than `dim`.

    Raises:
        RuntimeError: if they differ; the message names the array.
    """
    reference = next((operand for operand in arrays if not is_legacy_empty(operand)), None)
    if reference is None:
        return
    wanted = reference.shape
    for at, array in enumerate(arrays):
        if is_legacy_empty(array):
            continue
        if array.ndim != len(wanted):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(wanted)} and {array.ndim}")
        for axis, (length, size) in enumerate(zip(wanted, array.shape)):
            if axis != dim and length != size:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {length} but got size "
                    f"{size} for tensor number {at} in the list."
                )


def not_joined(wanted: Any, result: Any) -> TypeError:
    """Return the error for an output whose dtype cannot hold the tensors' kind of number."""
    return TypeError(f"torch.cat(): input types can't be cast to the desired output type {result.legacy[:-6]}")


joined = partial(
    op, dtypes=WIDE, linear="tensors", public="function", out=Out(apart="wholly", words=None, uncastable=not_joined)
)
"""Card decorator for a function that joins tensors."""


@joined(layout="suggested", native=native("cat"))
def cat(tensors: Arrays, dim: int = 0) -> Any:
    """Concatenate tensors along a dimension.

    Args:
        tensors: a list of tensors of equal shapes except along `dim`; empty one-dimensional ones are ignored.

    Returns:
        A new tensor of the promoted dtype.

    Raises:
        ValueError: if the list is empty.
        RuntimeError: if the shapes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.cat([wg.tensor([1, 2]), wg.tensor([3])])
        tensor([1, 2, 3])
    """
    shape, axis = joined_shape(tensors, dim)
    remaining = [array for array in tensors if not is_legacy_empty(array)] or [tensors[0]]
    return np.concatenate(remaining, axis, out=np.empty(shape, common_dtype(tensors)), casting="unsafe")


def joined_shape(arrays: Any, dim: int) -> tuple[tuple[int, ...], int]:
    """Return the shape of concatenated arrays, and the dimension counted from the front.

    Raises:
        ValueError: if there are no arrays.
        RuntimeError: if the shapes do not fit.
    """
    if not arrays:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for at, array in enumerate(arrays):
        if not array.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {at}) cannot be concatenated")
    axis = cat_axis([array.shape for array in arrays], dim)
    check_joinable(arrays, axis)
    remaining = [array.shape for array in arrays if not is_legacy_empty(array)] or [arrays[0].shape]
    return (*remaining[0][:axis], sum([shape[axis] for shape in remaining]), *remaining[0][axis + 1 :]), axis


def cat_axis(shapes: Any, dim: int) -> int:
    """Return the dimension of `cat`, counted from the front."""
    ndim = next((len(shape) for shape in shapes if tuple(shape) != (0,)), 1)
    return normalise(dim, ndim)


@cat.vjp("tensors", native=native("cat_rule"))
def cat_vjp(grad: Any, tensors_shape: Any, dim: int) -> Any:
    axis, start = cat_axis(tensors_shape, dim), 0
    parts: list[Any] = []
    for shape in tensors_shape:
        if tuple(shape) == (0,) and grad._array_.ndim > 1:
            parts.append(grad.new_zeros((0,)))
            continue
        parts.append(grad.narrow(axis, start, shape[axis]))
        start += shape[axis]
    return parts


@cat.batched
def cat_batched(tensors: Any, dim: int) -> Any:
    shapes = [tensor.shape[1:] for tensor in tensors]
    if any(not shape for shape in shapes):
        raise RuntimeError("zero-dimensional tensors cannot be concatenated")
    remaining = [tensor for tensor, shape in zip(tensors, shapes) if tuple(shape) != (0,)] or tensors[:1]
    if len(remaining) < len(tensors):  # omitted tensors count for the dtype
        wanted = dtypes.from_numpy(common_dtype([tensor._array_ for tensor in tensors]))
        remaining = [tensor.to(wanted) for tensor in remaining]
    return cat.call((remaining, 1 + cat_axis(shapes, dim)))


@cat.samples
def cat_samples(make: Any) -> Any:
    yield Sample([make(2, 3), make(1, 3)])
    yield Sample([make(2, 3), make(2, 1), make(2, 2)], -1)
    yield Sample([make(2, 3), make(0)])
    yield Bad([], raises=ValueError, says="expected a non-empty list of Tensors")
    yield Bad([make(2, 3), make(2, 2)], raises=RuntimeError, says="Sizes of tensors must match except in dimension 0")


@joined(layout="own", native=native("stack"))
def stack(tensors: Arrays, dim: int = 0) -> Any:
    """Stack tensors of one shape along a new dimension.

    Args:
        tensors: a list of tensors of equal shapes.
        dim: position of the new dimension.

    Returns:
        A new tensor of the promoted dtype.

    Raises:
        RuntimeError: if the list is empty, or the shapes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.stack([wg.tensor([1, 2]), wg.tensor([3, 4])], 1)
        tensor([[1, 3],
                [2, 4]])
    """
    shape, axis = stacked_shape(tensors, dim)
    result = layouts.empty(shape, stacked_strides(tensors, shape, axis), common_dtype(tensors))
    return np.stack(tensors, axis, out=result, casting="unsafe")


def stacked_shape(arrays: Any, dim: int) -> tuple[tuple[int, ...], int]:
    """Return the shape of arrays along a new dimension, and the dimension counted from the front.

    Raises:
        RuntimeError: if there are no arrays, or their shapes differ.
    """
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    axis = normalise(dim, arrays[0].ndim + 1)
    for at, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {shown(arrays[0].shape)} at entry 0 and "
                f"{shown(array.shape)} at entry {at}"
            )
    return (*arrays[0].shape[:axis], len(arrays), *arrays[0].shape[axis:]), axis


def stacked_strides(arrays: list[Any], shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Return the strides of a stack; channels-last for images, as in torch, which concatenates and splits."""
    if axis == arrays[0].ndim or arrays[0].ndim < 4 or not all(map(layouts.suggests_channels, arrays)):
        return layouts.row_major(shape)
    joined = (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
    return view_strides(joined, layouts.channels_last(joined), 1, shape) or layouts.row_major(shape)


@stack.batched
def stack_batched(tensors: Any, dim: int) -> Any:
    return stack.call((tensors, 1 + normalise(dim, tensors[0].ndim)))


OPERATORS.stack = stack


@stack.vjp("tensors", native=native("stack_rule"))
def stack_vjp(grad: Any, dim: int) -> Any:
    return [grad.select(dim, at) for at in range(grad.shape[dim])]  # parts of `unbind` could not be written to


@stack.samples
def stack_samples(make: Any) -> Any:
    yield Sample([make(2, 3), make(2, 3)])
    yield Sample([make(2), make(2), make(2)], -1)
    yield Bad([], raises=RuntimeError, says="stack expects a non-empty TensorList")
    yield Bad([make(2), make(3)], raises=RuntimeError, says="[2] at entry 0 and [3] at entry 1")


def completed(grads: Any, shapes: Any) -> list[Any]:
    """Replace missing gradients of a tensor's parts by zeros: torch joins them like this in a recorded pass."""
    present = next(grad for grad in grads if grad is not None)
    return [present.new_zeros(shape) if grad is None else grad for grad, shape in zip(grads, shapes)]
