"""NumPy's sums, means and other reductions, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxes import RULES, boxed, getval, rule, tensor_of
from .pointwise import astype, promoted


def axes_of(tensor: Any, axis: Any) -> tuple[int, ...]:
    """Return the dimensions in `axis`, counted from the front.

    Raises:
        numpy.exceptions.AxisError: if a dimension is out of range.
    """
    if axis is None:
        return tuple(range(tensor.ndim))
    return np.lib.array_utils.normalize_axis_tuple(axis, tensor.ndim)


def cast(a: Any, dtype: Any) -> Any:
    """Convert an array to a tensor, in another data type if one is given."""
    return tensor_of(a) if dtype is None else tensor_of(astype(a, dtype))


@rule(np.sum)
def sum(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Sum along dimensions."""
    tensor = cast(a, dtype)
    axes = axes_of(tensor, axis)
    return tensor.sum(dim=axes, keepdim=keepdims) if axes else tensor


@rule(np.mean)
def mean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Mean along dimensions."""
    tensor = cast(a, dtype)
    axes = axes_of(tensor, axis)
    return tensor.mean(dim=axes, keepdim=keepdims) if axes else tensor


@rule(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Any:
    """Mean with weights of the array's shape, or of the length of one dimension."""
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    x, w = promoted(a, weights)
    axes = axes_of(x, axis)
    if w.shape != x.shape:
        w = w.view([length if dim in axes else 1 for dim, length in enumerate(x.shape)]).expand(x.shape)
    return (x * w).sum(dim=axes, keepdim=keepdims) / w.sum(dim=axes, keepdim=keepdims)


@rule(np.var)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """Mean squared deviation from the mean."""
    tensor = cast(a, dtype)
    axes = axes_of(tensor, axis)
    if not axes:
        return (tensor - tensor).abs()
    count = np.prod([tensor.shape[axis_of_mean] for axis_of_mean in axes])
    away = tensor - tensor.mean(dim=axes, keepdim=True)
    square = away.real**2 + away.imag**2 if away.is_complex() else away * away
    return square.sum(dim=axes, keepdim=keepdims) / float(count - (ddof if correction is None else correction))


@rule(np.std)
def std(*args: Any, **options: Any) -> Any:
    """Square root of `var`; the gradient is 0 where the variance is 0."""
    square = var(*args, **options)
    some = square > 0
    return square.where(some, 1).sqrt().where(some, 0)


@rule(np.prod)
def prod(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Product along dimensions."""
    tensor = cast(a, dtype)
    for dim in sorted(axes_of(tensor, axis), reverse=True):
        tensor = tensor.prod(dim, keepdim=keepdims)
    return tensor


def extreme(name: str) -> Any:
    """Return the function for the largest or smallest element along dimensions; equal elements share the gradient."""

    def reduction(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
        tensor = tensor_of(a)
        axes = axes_of(tensor, axis)
        if tensor.is_complex():  # in the order of NumPy, by real, then by imaginary parts
            values = getattr(np, name)(getval(boxed(tensor)), axis=axes, keepdims=True)
            chosen = tensor_of(getval(boxed(tensor)) == values)
            return (tensor * chosen).sum(dim=axes, keepdim=keepdims) / chosen.sum(dim=axes, keepdim=keepdims)
        return getattr(tensor, name)(dim=axes, keepdim=keepdims) if axes else tensor

    return reduction


amax, amin = extreme("amax"), extreme("amin")
RULES.update({np.max: amax, np.amax: amax, np.min: amin, np.amin: amin})


@rule(np.ptp)
def ptp(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Largest minus smallest element."""
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


@rule(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """Cumulative sums."""
    tensor = cast(a, dtype)
    return tensor.reshape(-1).cumsum(0) if axis is None else tensor.cumsum(axis)


@rule(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """Cumulative products."""
    tensor = cast(a, dtype)
    return tensor.reshape(-1).cumprod(0) if axis is None else tensor.cumprod(axis)


@rule(np.trace)
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None) -> Any:
    """Sum of a diagonal."""
    return cast(a, dtype).diagonal(offset, axis1, axis2).sum(-1)
