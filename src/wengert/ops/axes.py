"""Dimensions of a reduction."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors
from .._core.operators.declaration import number_in
from .._core.recording.recorded import conjugate
from .._core.tensor.base import Tensor
from .._core.types.sizes import normalise


def read_dim(name: str, dim: Any, ndim: int) -> int:
    """Return one dimension, counted from the front.

    Args:
        name: name of the operator, for errors.
        dim: the argument.
        ndim: number of dimensions; a 0-dim tensor counts as one with a single dimension.

    Raises:
        TypeError: if `dim` is not an integer.
        IndexError: if `dim` is out of range.
    """
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(errors.wrong_type(name, "dim", 2, "int", dim))
    return normalise(dim.__index__(), ndim)


def read_number(name: str, argument: str, position: int, value: Any) -> Any:
    """Return a number for a composite: Python's, NumPy's, or that of a 0-dim tensor.

    Raises:
        TypeError: if `value` is not a number.
    """
    if isinstance(value, Tensor):
        return number_in(name, argument, position, "float", value)
    if not isinstance(value, (int, float, np.number)):
        raise TypeError(errors.wrong_type(name, argument, position, "float", value))
    return value


def read_dims(name: str, dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the axes of a reduction for NumPy: None for all.

    Args:
        name: name of the operator, for errors.
        dim: an integer, several of them, or None; `()` stands for all dimensions, too. As in torch only the first of
            several must not be a bool.
        ndim: number of dimensions.

    Raises:
        TypeError: if `dim` is neither.
        IndexError: if a dimension is out of range.
        RuntimeError: if a dimension occurs twice.
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
    """Return a reduction's result (or gradient) with the reduced dimensions as length 1: it broadcasts with the input.

    Args:
        reduced: tensor.
        shape: shape of the reduction's input.
        dim: the reduced dimensions, as for `read_dims`.
        keepdim: whether the dimensions are still present.
    """
    if keepdim or dim is None or not shape:
        return reduced
    axes = read_dims("sum", dim, len(shape))
    if axes is None or (len(axes) == len(shape) and 1 not in shape):  # where no stride shows the steps below
        return reduced
    if len(axes) == 1:
        return reduced.unsqueeze(axes[0])
    for axis in sorted(axes):
        reduced = reduced.unsqueeze(axis)
    return reduced


def summed(tangent: Any, grad: Any, dim: Any, keepdim: bool) -> Any:
    """Tangent of a reduction: the sum of the elements' tangents, each times the derivative by its element.

    Args:
        tangent: tangent of the reduction's input.
        grad: gradient of the reduction's result with respect to the input, as the reverse rule returns it for ones.
        dim, keepdim: the reduced dimensions.
    """
    return (conjugate(grad) * tangent).sum(dim, keepdim)


def real_part(tangent: Any) -> Any:
    """Tangent of a real result of complex numbers."""
    return tangent.real if tangent.dtype.is_complex else tangent


def count_along(shape: tuple[int, ...], dim: Any) -> int:
    """Return the number of elements that each result of a reduction comes from."""
    axes = read_dims("mean", dim, len(shape))
    count = 1
    for axis in range(len(shape)) if axes is None else axes:
        count *= shape[axis]
    return count
