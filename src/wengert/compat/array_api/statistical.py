"""Statistical functions of `wengert.array_api`, with `all`, `any` and differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE
from .manipulation import concat
from .operands import axes_of, on_arrays, only_axis, summed


def running(function: Any, first: int, x: Tensor, axis: int | None, dtype: Any, *, initial: bool) -> Tensor:
    """Cumulative sums or products, optionally preceded by the initial value.

    Raises:
        ValueError: if `axis` is None for an array that is not 1-dim.
    """
    axis = only_axis(f"cumulative_{function.__name__[3:]}", x, axis)
    x = summed(x, dtype)
    result = function(x, axis, dtype=x.dtype)
    if not initial:
        return result
    shape = list(x.shape)
    shape[axis] = 1
    return wg.cat([wg.full(shape, first, dtype=result.dtype, device=x.device), result], axis)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Cumulative products.

    Args:
        axis: the dimension; optional for a 1-dim array.
        include_initial: whether to prepend a 1.
    """
    return running(wg.cumprod, 1, x, axis, dtype, initial=include_initial)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Cumulative sums.

    Args:
        axis: as for `cumulative_prod`.
        include_initial: whether to prepend a 0.
    """
    return running(wg.cumsum, 0, x, axis, dtype, initial=include_initial)


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest elements along dimensions."""
    axes = axes_of(x, axis)
    if x.dtype in WIDE:
        return on_arrays(np.max, x, axis=axes, keepdims=keepdims)
    return wg.amax(x, axes, keepdim=keepdims) if axes else x.clone()


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean along dimensions."""
    axes = axes_of(x, axis)
    return wg.mean(x, axes, keepdim=keepdims) if axes else x.clone()


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The smallest elements along dimensions."""
    axes = axes_of(x, axis)
    if x.dtype in WIDE:
        return on_arrays(np.min, x, axis=axes, keepdims=keepdims)
    return wg.amin(x, axes, keepdim=keepdims) if axes else x.clone()


def prod(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Product along dimensions; 64-bit for small integers."""
    result = summed(x, dtype)
    for dim in sorted(axes_of(x, axis), reverse=True):
        result = wg.prod(result, dim, keepdim=keepdims, dtype=result.dtype)
    return result


def std(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of the variance."""
    return wg.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def sum(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Sum along dimensions; 64-bit for small integers."""
    x, axes = summed(x, dtype), axes_of(x, axis)
    return wg.sum(x, dim=axes, keepdim=keepdims, dtype=x.dtype) if axes else x.clone()


def var(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variance along dimensions, with divisor length minus `correction`."""
    axes = axes_of(x, axis)
    count = math.prod(x.shape[dim] for dim in axes)
    deviation = x - mean(x, axis=axes, keepdims=True)
    divisor = count - correction if count > correction else math.nan
    return sum(deviation * deviation, axis=axes, keepdims=keepdims) / divisor


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return whether all elements along dimensions are true."""
    axes = axes_of(x, axis)
    return wg.all(x.bool(), axes, keepdim=keepdims) if axes else x.bool()


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return whether at least one element along dimensions is true."""
    axes = axes_of(x, axis)
    return wg.any(x.bool(), axes, keepdim=keepdims) if axes else x.bool()


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours.

    Args:
        n: number of times that differences are taken.
        prepend: elements before those of `x` along `axis`.
        append: elements after them.
    """
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis=axis) if len(parts) > 1 else x
    return on_arrays(np.diff, x, n=n, axis=axis) if x.dtype in WIDE else wg.diff(x, n, axis)
