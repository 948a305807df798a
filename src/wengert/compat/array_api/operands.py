"""Conversion of operands of `wengert.array_api` to their common dtype, with NumPy for dtypes without operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import UNSIGNED, WIDE, joint_dtype


def promoted(function: str, *operands: Any) -> tuple[Tensor, ...]:
    """Return the operands, which are arrays or Python scalars, as arrays of their common dtype.

    Raises:
        TypeError: if none is an array, or they have no common dtype.
    """
    arrays = [operand for operand in operands if isinstance(operand, Tensor)]
    if not arrays:
        raise TypeError(f"{function}: an array is expected among {operands!r}")
    dtype = arrays[0].dtype
    if len(arrays) < len(operands) or any(array.dtype is not dtype for array in arrays):
        dtype = joint_dtype(function, operands)
    return tuple(as_array(operand, dtype, arrays[0].device) for operand in operands)


def only_axis(function: str, x: Tensor, axis: int | None) -> int:
    """Return a dimension, which may be left out for a 1-dim array.

    Raises:
        ValueError: if `axis` is None for an array that is not 1-dim.
    """
    if axis is not None:
        return axis
    if x.ndim != 1:
        raise ValueError(f"{function}: axis is needed for {x.ndim} dimensions")
    return 0


def as_array(operand: Any, dtype: Any, device: Any) -> Tensor:
    """Return an array or a Python scalar as an array of a dtype."""
    if not isinstance(operand, Tensor):
        return wg.full((), operand, dtype=dtype, device=device)
    return operand if operand.dtype is dtype else operand.to(dtype)


def on_arrays(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Apply a function of NumPy to the values of arrays, which have no gradient; return a tensor."""
    arrays = [operand.numpy() if isinstance(operand, Tensor) else operand for operand in operands]
    with np.errstate(all="ignore"):
        result = function(*arrays, **options)
    return (
        tuple(wg.as_tensor(np.asarray(part)) for part in result)
        if isinstance(result, tuple)
        else wg.as_tensor(np.asarray(result))
    )


def unary(operator: Callable[..., Any], wide: Callable[..., Any], x: Tensor) -> Any:
    """Apply an operator to `x`, or NumPy's function for wide unsigned integers."""
    return on_arrays(wide, x) if x.dtype in WIDE else operator(x)


def binary(operator: Callable[..., Any], wide: Callable[..., Any], x1: Any, x2: Any) -> Any:
    """Apply an operator to two promoted operands, or NumPy's function for wide unsigned integers."""
    x1, x2 = promoted(wide.__name__, x1, x2)
    return on_arrays(wide, x1, x2) if x1.dtype in WIDE else operator(x1, x2)


def summed(x: Tensor, dtype: Any) -> Tensor:
    """Convert the operand of a sum or product to `dtype`, small integers to 64 bits by default."""
    if dtype is None and x.dtype in UNSIGNED:
        dtype = wg.uint64
    elif dtype is None and not (x.is_floating_point() or x.is_complex()):
        dtype = wg.int64
    return x if dtype is None else x.to(dtype)


def axes_of(x: Tensor, axis: Any) -> tuple[int, ...]:
    """Return the dimensions in `axis`, counted from the front; all if it is None.

    A 0-dim array accepts axis 0 and -1, as in torch, without effect.

    Raises:
        IndexError: if there is no such dimension.
        ValueError: if a dimension appears twice.
    """
    if axis is None:
        return tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    ndim = max(x.ndim, 1)
    for dim in axes:
        if not -ndim <= dim < ndim:
            raise IndexError(f"axis {dim} is out of range for {x.ndim} dimensions")
    dims = tuple(dim % ndim for dim in axes)
    if len(set(dims)) < len(dims):
        raise ValueError(f"axis {axes} names a dimension twice")
    return dims if x.ndim else ()
