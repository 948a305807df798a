"""Functions of the array API standard that make arrays, and that order, choose and arrange elements."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import wengert as wg

from ...tensor import Tensor

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """`obj` as a tensor; one that is a tensor keeps its history."""
    if not isinstance(obj, Tensor):
        return wg.asarray(obj, dtype=dtype, device=device, copy=copy)
    if dtype is not None and dtype is not obj.dtype:
        if copy is False:
            raise ValueError(f"asarray: {obj.dtype} cannot become {dtype} without a copy")
        return obj.to(dtype)
    return obj.clone() if copy else obj


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """`x` in another dtype."""
    if not copy and x.dtype is dtype:
        return x
    return x.to(dtype, copy=copy)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""
    columns = n_rows if n_cols is None else n_cols
    made = wg.zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        made.diagonal(k).fill_(1)
    return made


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """Evenly spaced numbers, with the last one or without."""
    if endpoint:
        return wg.linspace(start, stop, num, dtype=dtype, device=device)
    return wg.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of a grid."""
    return list(wg.meshgrid(*arrays, indexing=indexing))


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """All arrays with their common shape."""
    return list(wg.broadcast_tensors(*arrays))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """Arrays one after the other along a dimension; all their elements if that is None."""
    return wg.cat([each.reshape(-1) for each in arrays], 0) if axis is None else wg.cat(list(arrays), axis)


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Tensor:
    """A dimension of length 1 more."""
    return x.unsqueeze(axis)


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    """Elements in the opposite order."""
    return x.flip(tuple(range(x.ndim)) if axis is None else axis)


def permute_dims(x: Tensor, /, axes: Any) -> Tensor:
    """The dimensions in another order."""
    return x.permute(axes)


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element several times."""
    return wg.repeat_interleave(x, repeats, dim=axis)


def reshape(x: Tensor, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """The elements in another shape; raises a ValueError if `copy=False` and it takes one."""
    if copy:
        return x.clone().reshape(shape)
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError:
            raise ValueError(f"reshape: {tuple(x.shape)} cannot become {tuple(shape)} without a copy") from None
    return x.reshape(shape)


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Elements moved on along dimensions, those at the end to the start."""
    return wg.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    """Without dimensions of length 1; raises a ValueError for others."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for each in axes:
        if x.shape[each] != 1:
            raise ValueError(f"squeeze: dimension {each} has length {x.shape[each]}, not 1")
    return x.squeeze(axes)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts along a dimension."""
    return x.unbind(axis)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Elements in order along a dimension."""
    return wg.sort(x, dim=axis, descending=descending, stable=stable).values


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Where the elements in order are."""
    return wg.sort(x, dim=axis, descending=descending, stable=stable).indices


def searchsorted(x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Where elements would stand in an ordered array."""
    return wg.searchsorted(x1, x2, side=side, sorter=sorter)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of elements that are not zero, for each dimension."""
    if not x.ndim:
        raise ValueError("nonzero: a 0-dim array has no indices")
    return x.nonzero(as_tuple=True)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The parts of those indices along a dimension, which a 1-dim array need not name."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis is needed for {x.ndim} dimensions")
        axis = 0
    if indices.ndim == 0:
        return x.select(axis, int(indices))
    length = x.shape[axis]
    return x.index_select(axis, wg.where(indices < 0, indices + length, indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Elements by indices along a dimension."""
    return wg.take_along_dim(x, indices, axis)


def unique_all(x: Tensor, /) -> Any:
    """The different values, where each is first, which one each element is, and how often each is there."""
    values, inverse, counts = wg.unique(x, return_inverse=True, return_counts=True)
    flat = inverse.reshape(-1)
    order = wg.argsort(flat, stable=True)
    starts = wg.cumsum(counts, 0) - counts
    return UniqueAll(values, order[starts], inverse, counts)


def unique_counts(x: Tensor, /) -> Any:
    """The different values, and how often each is there."""
    return UniqueCounts(*wg.unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> Any:
    """The different values, and which one each element is."""
    return UniqueInverse(*wg.unique(x, return_inverse=True))


def unique_values(x: Tensor, /) -> Tensor:
    """The different values."""
    return wg.unique(x)
