"""Functions of the array API standard that compute numbers of numbers, and tell about dtypes."""

from __future__ import annotations

import builtins
import math
from typing import Any

import wengert as wg

from ...tensor import Tensor

UNSIGNED = (wg.uint8, wg.uint16, wg.uint32, wg.uint64)
KINDS: dict[str, tuple[Any, ...]] = {
    "bool": (wg.bool,),
    "signed integer": (wg.int8, wg.int16, wg.int32, wg.int64),
    "unsigned integer": UNSIGNED,
    "integral": (wg.int8, wg.int16, wg.int32, wg.int64, *UNSIGNED),
    "real floating": (wg.float32, wg.float64),
    "complex floating": (wg.complex64, wg.complex128),
}
KINDS["numeric"] = (*KINDS["integral"], *KINDS["real floating"], *KINDS["complex floating"])


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind: a dtype, a name such as 'integral', or a tuple of these."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: no kind {kind!r}; there are {', '.join(KINDS)}")
        return dtype in KINDS[kind]
    return dtype is kind


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether the promotion of both dtypes is the second."""
    given = from_.dtype if isinstance(from_, Tensor) else from_
    return wg.promote_types(given, to) is to


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that arrays, dtypes and numbers promote to."""
    dtypes = [each.dtype if isinstance(each, Tensor) else each for each in arrays_and_dtypes]
    found = None
    for each in dtypes:
        if isinstance(each, wg.dtype):
            found = each if found is None else wg.promote_types(found, each)
    if found is None:
        raise ValueError("result_type: at least one array or dtype is needed")
    for each in dtypes:
        if not isinstance(each, wg.dtype):
            found = wg.result_type(wg.empty(1, dtype=found), each)
    return found


def axes_of(x: Tensor, axis: Any) -> tuple[int, ...]:
    """The dimensions that are named, counted from the front; all without."""
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(each % (x.ndim or 1) for each in ((axis,) if isinstance(axis, int) else axis))


def summed(x: Tensor, dtype: Any) -> Tensor:
    """What is summed up or multiplied: in the dtype that is wanted, small integers in 64 bits."""
    if dtype is None and x.dtype in UNSIGNED:
        dtype = wg.uint64
    elif dtype is None and not (x.is_floating_point() or x.is_complex()):
        dtype = wg.int64
    return x if dtype is None else x.to(dtype)


def sum(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum along dimensions."""
    given, axes = summed(x, dtype), axes_of(x, axis)
    return wg.sum(given, dim=axes, keepdim=keepdims, dtype=given.dtype) if axes else given.clone()


def prod(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product along dimensions."""
    made = summed(x, dtype)
    for each in sorted(axes_of(x, axis), reverse=True):
        made = wg.prod(made, each, keepdim=keepdims, dtype=made.dtype)
    return made


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest elements along dimensions."""
    axes = axes_of(x, axis)
    return wg.amax(x, axes, keepdim=keepdims) if axes else x.clone()


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The smallest elements along dimensions."""
    axes = axes_of(x, axis)
    return wg.amin(x, axes, keepdim=keepdims) if axes else x.clone()


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean along dimensions."""
    axes = axes_of(x, axis)
    return wg.mean(x, axes, keepdim=keepdims) if axes else x.clone()


def var(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance along dimensions, over their length less `correction`."""
    axes = axes_of(x, axis)
    count = math.prod(x.shape[each] for each in axes)
    apart = x - mean(x, axis=axes, keepdims=True)
    return sum(apart * apart, axis=axes, keepdims=keepdims) / (count - correction if count > correction else math.nan)


def std(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of the variance."""
    return var(x, axis=axis, correction=correction, keepdims=keepdims).sqrt()


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along dimensions are true."""
    axes = axes_of(x, axis)
    return wg.all(x.bool(), axes, keepdim=keepdims) if axes else x.bool()


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether an element along dimensions is true."""
    axes = axes_of(x, axis)
    return wg.any(x.bool(), axes, keepdim=keepdims) if axes else x.bool()


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements along dimensions are not zero."""
    return sum((x != 0).to(wg.int64), axis=axis, keepdims=keepdims)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest element is."""
    return wg.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest element is."""
    return wg.argmin(x, axis, keepdims)


def running(function: Any, first: int, x: Tensor, axis: int | None, dtype: Any, *, initial: bool) -> Tensor:
    """Sums or products of all elements up to each, perhaps with that of none before them."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"cumulative_{function.__name__[3:]}: axis is needed for {x.ndim} dimensions")
        axis = 0
    given = summed(x, dtype)
    made = function(given, axis, dtype=given.dtype)
    if not initial:
        return made
    shape = list(x.shape)
    shape[axis] = 1
    return wg.cat([wg.full(shape, first, dtype=made.dtype), made], axis)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The sums of all elements up to each."""
    return running(wg.cumsum, 0, x, axis, dtype, initial=include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The products of all elements up to each."""
    return running(wg.cumprod, 1, x, axis, dtype, initial=include_initial)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours."""
    return wg.diff(x, n, axis, prepend, append)


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Elements between bounds, in the dtype of `x`."""
    return x.clone() if min is None and max is None else wg.clamp(x, min, max).to(x.dtype)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Sums of products along a dimension, the first factor conjugated."""
    return (x1.conj_physical() * x2).sum(axis) if x1.is_complex() else (x1 * x2).sum(axis).to(result_type(x1, x2))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Sums of products over dimensions of both."""
    return wg.tensordot(x1, x2, axes)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on a diagonal and below."""
    return wg.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on a diagonal and above."""
    return wg.triu(x, k)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dimensions in the other order."""
    return x.mT
