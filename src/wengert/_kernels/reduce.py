"""Reductions in NumPy. `axis` is an int, a tuple, or None for all axes; results are arrays, 0-dim included."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import positions
from .results import Array, as_array, wide_dtype

Axis = int | tuple[int, ...] | None


def total_dtype(dtype: np.dtype[Any], wanted: Any) -> tuple[Any, Any]:
    """The dtype in which a sum or product is computed, and that of the result; int64 for integers, as in torch."""
    if wanted is None:
        wanted = np.dtype(np.int64) if dtype.kind in "iub" else dtype
    wanted = np.dtype(wanted)
    return wide_dtype(wanted), wanted


def sum(x: Array, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """Sum over `axis`.

    Args:
        x: any dtype.
        axis: the axes to sum over.
        keepdims: leave axes of length 1.
        dtype: of the result; default: that of `x`, int64 for integers and bool.

    Returns:
        A new array.
    """
    wide, narrow = total_dtype(x.dtype, dtype)
    return as_array(np.sum(x, axis=axis, keepdims=keepdims, dtype=wide)).astype(narrow, copy=False)


def prod(x: Array, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """Product over `axis`; arguments as for `sum`."""
    wide, narrow = total_dtype(x.dtype, dtype)
    return as_array(np.prod(x, axis=axis, keepdims=keepdims, dtype=wide)).astype(narrow, copy=False)


def mean(x: Array, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """Mean over `axis` of a floating or complex array; NaN over nothing; arguments as for `sum`."""
    wide, narrow = total_dtype(x.dtype, dtype)
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=wide)
    return as_array(total / wide.type(reduced_count(x, axis))).astype(narrow, copy=False)


def reduced_count(x: Array, axis: Axis) -> int:
    """Number of elements that each result of a reduction over `axis` is computed from."""
    if axis is None:
        return x.size
    if x.ndim == 0:
        return 1
    count = 1
    for dim in (axis,) if isinstance(axis, int) else axis:
        count *= x.shape[dim]
    return count


def variance(x: Array, axis: Axis = None, correction: float = 1, keepdims: bool = False, root: bool = False) -> Array:
    """Variance over `axis`.

    Args:
        x: floating or complex.
        axis: what to reduce.
        correction: subtracted from the number of elements; what remains, at least 0, is the divisor.
        keepdims: leave axes of length 1.
        root: return its square root, taken before rounding: it may be in range where the variance is not.

    Returns:
        A new real array; NaN or inf where the divisor is 0, NaN without elements whatever the correction.
    """
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)
    count = reduced_count(x, axis)
    centre = np.sum(wide, axis=axis, keepdims=True) / wide.dtype.type(count)
    distance = wide - centre
    squares = distance.real**2 + distance.imag**2 if x.dtype.kind == "c" else distance * distance
    total = as_array(np.sum(squares, axis=axis, keepdims=keepdims))
    narrow = x.real.dtype if x.dtype.kind == "c" else x.dtype
    result = total / total.dtype.type(max(0, count - correction) if count else 0)
    return as_array(np.sqrt(result) if root else result).astype(narrow, copy=False)


def amax(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Largest element over `axis`; NaN wins."""
    return as_array(np.max(x, axis=axis, keepdims=keepdims))


def amin(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Smallest element over `axis`; NaN wins."""
    return as_array(np.min(x, axis=axis, keepdims=keepdims))


def argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """int64 index of the largest element, the first of equals; NaN wins. Without `axis`: in the flat array."""
    return positions.argmax(x, axis, keepdims)


def argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """int64 index of the smallest element, the first of equals; NaN wins. Without `axis`: in the flat array."""
    return positions.argmin(x, axis, keepdims)


def picked(x: Array, index: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    """The elements of `x` at `index`, which has length 1 along `axis`, and the index, with or without that axis."""
    values = np.take_along_axis(x, index, axis)
    return (values, index) if keepdims else (as_array(values.squeeze(axis)), as_array(index.squeeze(axis)))


def max_with_indices(x: Array, axis: int, keepdims: bool = False) -> tuple[Array, Array]:
    """Largest element along `axis` and its int64 index, the first of equals; NaN wins.

    Args:
        x: real, any dtype.
        axis: one axis; of a 0-dim array 0 or -1.
        keepdims: leave an axis of length 1.

    Returns:
        Two new arrays.
    """
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    return picked(x, argmax(x, axis, keepdims=True), axis, keepdims)


def min_with_indices(x: Array, axis: int, keepdims: bool = False) -> tuple[Array, Array]:
    """Smallest element along `axis` and its int64 index, the first of equals; NaN wins; see `max_with_indices`."""
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    return picked(x, argmin(x, axis, keepdims=True), axis, keepdims)


def logsumexp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """log(sum(exp(x))) over `axis`, shifted by the maximum so that nothing overflows."""
    wide = x.astype(wide_dtype(x.dtype), copy=False)
    if reduced_count(x, axis) == 0:
        return as_array(np.log(np.sum(wide, axis=axis, keepdims=keepdims))).astype(x.dtype, copy=False)
    shift = np.max(wide.real, axis=axis, keepdims=True)
    shift = np.where(np.isinf(shift), 0, shift)
    powers = np.exp(wide - shift)
    sums = np.sum(powers, axis=axis, keepdims=keepdims)
    total = np.log(sums)
    near = (abs(sums) < 1 + 1 / 64) & np.isreal(sums)
    if near.any():  # the sum of the others is more accurate than 1 subtracted from the whole sum
        rest = np.sum(np.where(powers == 1, 0, powers), axis=axis, keepdims=keepdims)
        once = np.sum(powers == 1, axis=axis, keepdims=keepdims) == 1
        total = np.where(near & once, np.log1p(rest), total)
    return as_array(total + np.reshape(shift, np.shape(total))).astype(x.dtype, copy=False)


def any_along(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """True where any element over `axis` is not zero."""
    return as_array(np.any(x, axis=axis, keepdims=keepdims))


def all_along(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """True where all elements over `axis` are not zero."""
    return as_array(np.all(x, axis=axis, keepdims=keepdims))


def cumulative_sum(x: Array, axis: int, dtype: Any = None) -> Array:
    """Running sum along `axis`; `dtype` as for `sum`."""
    wide, narrow = total_dtype(x.dtype, dtype)
    if x.ndim == 0:
        return x.astype(narrow)
    return as_array(np.cumsum(x, axis=axis, dtype=wide)).astype(narrow, copy=False)


def cumulative_product(x: Array, axis: int, dtype: Any = None) -> Array:
    """Running product along `axis`; `dtype` as for `sum`."""
    wide, narrow = total_dtype(x.dtype, dtype)
    if x.ndim == 0:
        return x.astype(narrow)
    return as_array(np.cumprod(x, axis=axis, dtype=wide)).astype(narrow, copy=False)
