"""Functions of `wengert.array_api` that create arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Evenly spaced numbers from `start` (0 if only one bound is given) up to, but not including, `stop`.

    Args:
        step: distance between neighbours; may be negative. The result is empty if it leads away from `stop`.
        dtype: int64 by default if all arguments are integers, else the default dtype.
    """
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        integers = all(isinstance(bound, int) for bound in (start, stop, step))
        dtype = wg.int64 if integers else wg.get_default_dtype()
    if step != 0 and (stop - start) * step <= 0:
        return wg.empty((0,), dtype=dtype, device=device)
    if dtype in WIDE:
        return wg.arange(start, stop, step, dtype=wg.int64, device=device).to(dtype)
    return wg.arange(start, stop, step, dtype=dtype, device=device)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return `obj` as an array; an array keeps its history.

    Args:
        obj: an array, a Python scalar, nested sequences of these, or an object with `__dlpack__` or a buffer.
        copy: whether to copy; None copies only if needed.

    Raises:
        ValueError: if `copy` is false and a copy is needed.
    """
    if isinstance(obj, np.ndarray) and copy is not False and any(stride < 0 for stride in obj.strides):
        obj = obj.copy()  # a tensor has no negative strides
    if not isinstance(obj, Tensor):
        return wg.asarray(obj, dtype=dtype, device=device, copy=copy)
    if dtype is not None and dtype is not obj.dtype:
        if copy is False:
            raise ValueError(f"asarray: {obj.dtype} cannot become {dtype} without a copy")
        return obj.to(device=device, dtype=dtype)
    return obj.clone() if copy else obj


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of a shape with uninitialised elements."""
    return wg.empty(shape, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of the shape of `x` with uninitialised elements."""
    return wg.empty_like(x, dtype=dtype, device=device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Matrix with ones on a diagonal, zeros elsewhere.

    Args:
        k: index of the diagonal: 0 for the main diagonal, positive above it.
    """
    columns = n_rows if n_cols is None else n_cols
    result = wg.zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        result.diagonal(k).fill_(1)
    return result


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Array that shares the memory of an object with `__dlpack__`."""
    return wg.from_dlpack(x, device=device, copy=copy)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of a shape with equal elements."""
    sizes = (shape,) if isinstance(shape, int) else shape
    return wg.full(sizes, fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of the shape of `x` with equal elements."""
    return wg.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """Evenly spaced numbers.

    Args:
        num: number of elements.
        endpoint: whether `stop` is the last element.
    """
    if endpoint:
        return wg.linspace(start, stop, num, dtype=dtype, device=device)
    return wg.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of a grid, one array for each dimension.

    Args:
        indexing: "ij" for matrices; "xy" swaps the first two dimensions.
    """
    return list(wg.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of a shape with ones."""
    return wg.ones(shape, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of the shape of `x` with ones."""
    return wg.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on a diagonal and below, zeros above."""
    return wg.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on a diagonal and above, zeros below."""
    return wg.triu(x, k)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of a shape with zeros."""
    return wg.zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Array of the shape of `x` with zeros."""
    return wg.zeros_like(x, dtype=dtype, device=device)
