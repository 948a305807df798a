"""Tensors with a part replaced: diagonal_scatter, select_scatter, slice_scatter."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import WIDE, Array, Bad, Card, Out, Sample, op
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._core.operators.batch_rules import along
from ..._core.operators.overlap import overlaps_itself
from ..._core.types.sizes import normalise
from .slices import select, slice_
from .strided import diagonal, diagonal_backward_vjp, native, two_dims

replaced = partial(
    op,
    dtypes=WIDE,
    layout="own",
    describes="""
    Args:
        src: replacement of the part, a tensor of its shape.

    Returns:
        A new tensor of the shape and dtype of `self`.

    Raises:
        RuntimeError: if `src` has another shape than the part.
    """,
)
"""Card decorator for a tensor with a part replaced."""


def steps_with_gaps(array: Any) -> tuple[int, ...]:
    """Return the strides of a copy that keeps an array's own ones; dense ones if elements share memory."""
    return layouts.preserved(array) if overlaps_itself(array) else layouts.steps_of(array)


def with_gaps(array: Any) -> Any:
    """Copy an array with its strides, as torch does here; dense if elements share memory."""
    steps = steps_with_gaps(array)
    count = 1 + sum((length - 1) * step for length, step in zip(array.shape, steps)) if array.size else 0
    strides = tuple([step * array.itemsize for step in steps])
    result = np.ndarray(array.shape, array.dtype, np.zeros(count, array.dtype), 0, strides)
    result[...] = array
    return result


def put(self: Any, src: Any, view: Card, *where: Any) -> Any:
    """Copy an array with `src` in place of a view."""
    result = with_gaps(self)
    part = view.body(result, *where)
    check_fits(part.shape, src)
    part[...] = src
    return result


def check_fits(shape: Any, src: Any) -> None:
    """Refuse a replacement of another shape than the part.

    Raises:
        RuntimeError: if the shapes differ.
    """
    if tuple(shape) != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{shown(src.shape)}, slice size = {shown(shape)}"
        )


def without(card: Card, self: Any, shape: Any, *where: Any) -> Any:
    """Return a tensor with zeros in place of the part."""
    return card(self, self.new_zeros(shape), *where)


@replaced(native=native("diagonal_scatter"))
def diagonal_scatter(self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Copy the tensor with another diagonal.

    Args:
        offset: the diagonal; 0 is the main one, positive ones are above it.
        dim1, dim2: the dimensions of the diagonal's plane.

    Examples:
        >>> import wengert as wg
        >>> wg.diagonal_scatter(wg.zeros(2, 2), wg.ones(2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    return put(self, src, diagonal, offset, dim1, dim2)


@diagonal_scatter.vjp("self")
def diagonal_scatter_vjp_self(grad: Any, src_shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    return without(diagonal_scatter, grad, src_shape, offset, dim1, dim2)


diagonal_scatter.vjp("src")(diagonal_backward_vjp)


@diagonal_scatter.jvp("self", "src")
def diagonal_scatter_jvp(self_tangent: Any, src_tangent: Any, offset: int, dim1: int, dim2: int) -> Any:
    return diagonal_scatter(self_tangent, src_tangent, offset, dim1, dim2)


@diagonal_scatter.batched
def diagonal_scatter_batched(self: Any, src: Any, offset: int, dim1: int, dim2: int) -> Any:
    first, second = two_dims(dim1, dim2, self.ndim - 1)
    return diagonal_scatter.call((self, src, offset, first + 1, second + 1))


@diagonal_scatter.samples
def diagonal_scatter_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3), 1)
    yield Sample(make(2, 3, 4), make(3, 2), -1, 2, 0)
    yield Bad(make(3, 4), make(4), raises=RuntimeError, says="src size = [4], slice size = [3]")


@replaced(batching=along("dim"), native=native("select_scatter"))
def select_scatter(self: Array, src: Array, dim: int, index: int) -> Any:
    """Copy the tensor with another slice at `index` along `dim`.

    Args:
        index: index of the slice; negative ones count from the end.

    Examples:
        >>> import wengert as wg
        >>> wg.select_scatter(wg.zeros(2, 2), wg.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
    """
    return put(self, src, select, dim, index)


@select_scatter.vjp("self")
def select_scatter_vjp_self(grad: Any, src_shape: Any, dim: int, index: int) -> Any:
    return without(select_scatter, grad, src_shape, dim, index)


@select_scatter.vjp("src")
def select_scatter_vjp_src(grad: Any, dim: int, index: int) -> Any:
    return grad.select(dim, index)


@select_scatter.jvp("self", "src")
def select_scatter_jvp(self_tangent: Any, src_tangent: Any, dim: int, index: int) -> Any:
    return select_scatter(self_tangent, src_tangent, dim, index)


@select_scatter.samples
def select_scatter_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(4), 0, 1)
    yield Sample(make(3, 4), make(3), -1, -1)
    yield Bad(make(3, 4), make(3), 0, 0, raises=RuntimeError, says="src size = [3], slice size = [4]")
    yield Bad(make(3), make(), 0, 3, raises=IndexError, says="index 3 out of range for tensor of size [3]")


@replaced(batching=along("dim"), native=native("slice_scatter"), out=Out(recorded=False))
def slice_scatter(
    self: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Copy the tensor with other slices from `start` to before `end` along `dim`.

    Args:
        start, end: bounds; negative ones count from the end; None for all.
        step: distance of the slices.

    Examples:
        >>> import wengert as wg
        >>> wg.slice_scatter(wg.zeros(3), wg.ones(2), 0, 1)
        tensor([0., 1., 1.])
    """
    return put(self, src, slice_, dim, start, end, step)


@slice_scatter.vjp("self")
def slice_scatter_vjp_self(grad: Any, src_shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return without(slice_scatter, grad, src_shape, dim, start, end, step)


@slice_scatter.vjp("src")
def slice_scatter_vjp_src(grad: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return slice_(grad, normalise(dim, grad.ndim), start, end, step)


@slice_scatter.jvp("self", "src")
def slice_scatter_jvp(self_tangent: Any, src_tangent: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return slice_scatter(self_tangent, src_tangent, dim, start, end, step)


@slice_scatter.samples
def slice_scatter_samples(make: Any) -> Any:
    yield Sample(make(5, 3), make(2, 3), 0, 1, 4, 2)
    yield Sample(make(5, 3), make(5, 2), -1, -2)
    yield Bad(make(3, 4), make(4), 0, 0, 1, raises=RuntimeError, says="src size = [4], slice size = [1, 4]")
    yield Bad(make(3), make(3), 0, 0, 3, 0, raises=RuntimeError, says="slice step must be positive")
