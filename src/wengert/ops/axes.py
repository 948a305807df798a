"""The dimensions that a reduction works along."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors
from .._core.operators.declaration import number_in
from .._core.recording.recorded import conjugate
from .._core.tensor.base import Tensor
from .._core.types.sizes import normalise


def read_dim(name: str, dim: Any, ndim: int) -> int:
    """One dimension, counted from the front.

    Args:
        name: of the operator, for errors.
        dim: what was given for it.
        ndim: how many dimensions there are; a 0-dim tensor counts as one with a single dimension.

    Raises:
        TypeError: it is no integer.
        IndexError: it lies outside.
    """
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(errors.wrong_type(name, "dim", 2, "int", dim))
    return normalise(dim.__index__(), ndim)


def read_number(name: str, argument: str, position: int, value: Any) -> Any:
    """A number that a composite computes with: Python's, NumPy's, or that of a 0-dim tensor.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, Tensor):
        return number_in(name, argument, position, "float", value)
    if not isinstance(value, (int, float, np.number)):
        raise TypeError(errors.wrong_type(name, argument, position, "float", value))
    return value


def read_dims(name: str, dim: Any, ndim: int) -> tuple[int, ...] | None:
    """The axes of a reduction as NumPy takes them: None for all.

    Args:
        name: of the operator, for errors.
        dim: an integer, several of them, or None; nothing at all (`()`) stands for all dimensions, too. As in torch
            only the first of several may be no bool.
        ndim: how many dimensions there are.

    Raises:
        TypeError: it is neither.
        IndexError: if a dimension is out of range.
        RuntimeError: if a dimension is named twice.
    """
    if dim is None:
        return None
    if not isinstance(dim, (tuple, list)):
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise TypeError(errors.wrong_type(name, "dim", 2, "int or tuple of ints", dim))
        axis = normalise(dim.__index__(), ndim)
        return (axis,) if ndim else None
    axes = tuple(
        [read_dim(name, int(value) if at and isinstance(value, bool) else value, ndim) for at, value in enumerate(dim)]
    )
    if len(set(axes)) < len(axes):
        twice = next(axis for at, axis in enumerate(axes) if axis in axes[:at])
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return axes if axes and ndim else None


def restored(reduced: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """A reduction's result (or gradient) with length 1 in the dimensions that are gone: it broadcasts with the input.

    Args:
        reduced: tensor.
        shape: of the reduction's input.
        dim: what was reduced, as `read_dims` takes it.
        keepdim: whether the dimensions are still there.
    """
    if keepdim or dim is None or not shape:
        return reduced
    axes = read_dims("sum", dim, len(shape))
    if axes is None or (len(axes) == len(shape) and 1 not in shape):  # where no stride tells of the steps below
        return reduced
    if len(axes) == 1:
        return reduced.unsqueeze(axes[0])
    for axis in sorted(axes):
        reduced = reduced.unsqueeze(axis)
    return reduced


def summed(tangent: Any, grad: Any, dim: Any, keepdim: bool) -> Any:
    """The tangent of a reduction: the sum of the elements' tangents, each times the derivative by its element.

    Args:
        tangent: of the reduction's input.
        grad: the gradient of the reduction's result by the input, as the reverse rule gives it for ones.
        dim, keepdim: what was reduced.
    """
    return (conjugate(grad) * tangent).sum(dim, keepdim)


def real_part(tangent: Any) -> Any:
    """The tangent of a real result of complex numbers."""
    return tangent.real if tangent.dtype.is_complex else tangent


def count_along(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements each result of a reduction comes from."""
    axes = read_dims("mean", dim, len(shape))
    count = 1
    for axis in range(len(shape)) if axes is None else axes:
        count *= shape[axis]
    return count
