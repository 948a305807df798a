"""Indexing: `tensor[index]` and `tensor[index] = value`.

The index is taken apart as torch does it: integers, slices, None and `...` become a chain of views (`select`, `slice`,
`unsqueeze`); the rest (masks and integer tensors, lists, arrays) is one advanced read or write of the last view.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import errors, flags
from .._core.calls.asking import asks_itself, may_answer
from .._core.cards.arguments import asked_or_raised
from .._core.graph import anomaly
from .._core.state.modes import current
from .._core.tensor import tracing
from .._core.tensor.base import Tensor, wrap
from .._core.types.dtypes import bool_, int64
from .._core.writes.parts import Assignment, Indexing, assign, is_plain
from ..ops.dtype_checks import checked_number
from ..ops.indexing.advanced import index as advanced_index, index_put
from ..ops.pointwise.binary import native
from ..ops.shapes.slices import select, slice_
from ..ops.shapes.view_shape import alias
from ..ops.shapes.views import permute, unsqueeze

NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"
)
SCALAR_INDEXED = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a "
    "number"
)
LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] instead of x[seq], or "
    "x[tensor(seq)] for a single index"
)
BYTE_MASK = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
LONGEST_TUPLE_LIST = 32
SAFE = 6e4
"""Numbers up to this size are finite in every floating-point type."""

Entries = list[tuple[int, Tensor]]


@asks_itself("__getitem__")
def getitem(self: Tensor, index: Any) -> Any:
    """The part of a tensor that `index` names.

    A view for integers, slices, None and `...`; a copy for masks and index tensors.

    Raises:
        IndexError: if an index is out of range, there are too many, or one is of a type that cannot index.
    """
    kind = type(index)
    if kind is int:
        return choose(self, 0, index)
    if kind is slice:
        return cut(self, 0, index)
    try:
        view, entries = take_apart(self, index)
    except (IndexError, TypeError):
        return asked_or_raised("__getitem__", self, index)
    if entries:
        return advanced_index.call((view, listed(entries)))
    return alias.call((view,)) if view is self else view


@asks_itself("__setitem__")
def setitem(self: Tensor, index: Any, value: Any) -> None:
    """Write `value` into the part of a tensor that `index` names.

    Args:
        self: tensor.
        index: as for reading.
        value: number, or tensor (or array) that broadcasts to the part.

    Raises:
        IndexError: if an index is refused, as for reading.
        TypeError: if `value` is neither a number nor a tensor nor an array, or the tensor is sparse.
        RuntimeError: if `value` does not broadcast to the part; nothing has been written.
    """
    if self._flags_ & flags.SPARSE and not self.is_meta:
        raise TypeError("Cannot assign to a sparse tensor: make one of other places and values, or use to_dense()")
    try:
        values = as_value(self, value)
    except TypeError:
        asked_or_raised("__setitem__", self, index, value)
        return
    if index is False or assign(index_put.in_place, self, index, values):
        return
    entries: list[Any] = []
    if type(index) is int:
        view = choose(self, 0, index)
    elif type(index) is slice:
        view = cut_part(self, 0, index)
    elif index is True:
        view = unsqueeze.call((self, 0))
    else:
        try:
            view, entries = take_apart(self, index)
        except (IndexError, TypeError):
            asked_or_raised("__setitem__", self, index, value)
            return
    if entries:
        index_put.in_place.call((view, listed(entries), without_leading_ones(values), False))
    else:
        write(view, values)


def choose(self: Tensor, dim: int, index: int, place: int = 0) -> Any:
    """`self.select(dim, index)`, with the errors of indexing, which name the dimension by its `place` in the index."""
    try:
        return select.call((self, dim, index))
    except IndexError:
        shape = self._array_.shape
        if not shape and index == 0:
            raise IndexError(SCALAR_INDEXED) from None
        length = shape[dim] if shape else 0
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {length}") from None


def cut(self: Tensor, dim: int, part: slice) -> Any:
    """A slice along a dimension."""
    if part.step is None and is_plain(part.start) and is_plain(part.stop):
        return slice_.call((self, dim, part.start, part.stop, 1))
    step = 1 if part.step is None else bound(part.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    start = None if part.start is None else bound(part.start)
    return slice_.call((self, dim, start, None if part.stop is None else bound(part.stop), step))


def cut_part(self: Tensor, dim: int, part: slice) -> Any:
    """A slice along a dimension; the tensor itself if that is all of it."""
    shape = self._array_.shape
    if part.step in (None, 1) and part.start in (None, 0) and (part.stop is None or part.stop >= (shape or (0,))[dim]):
        return self if shape else cut(self, dim, part)
    return cut(self, dim, part)


def bound(value: Any) -> int:
    """One of the three numbers of a slice."""
    if not hasattr(value, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return operator.index(value)


def take_apart(self: Tensor, index: Any) -> tuple[Tensor, Entries]:
    """Apply the parts of an index that are views; return the last view, and index tensors with their dimensions."""
    items = as_items(index)
    wanted = sum(width(item) for item in items)
    ndim = self._array_.ndim
    if wanted > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim, chosen, entries = self, 0, 0, []
    for item in items:
        if item is None:
            view, dim = unsqueeze.call((view, dim)), dim + 1
        elif item is Ellipsis:
            dim += ndim - wanted
        elif type(item) is slice:
            view = cut_part(view, dim, item)
            dim += 1
        elif isinstance(item, Tensor):
            if item._array_.ndim == 0 and item._array_.dtype == np.bool_:
                view = unsqueeze.call((view, dim))
                item = item.reshape(1) if item._flags_ & flags.BATCHED else wrap(item._array_.reshape(1))
            entries.append((dim, item))
            dim += item._array_.ndim if item._array_.dtype == np.bool_ else 1
        else:
            view, chosen = choose(view, dim, item, dim + chosen), chosen + 1
    return neighbouring(view, entries) if len(entries) > 1 else (view, entries)


def neighbouring(view: Tensor, entries: Entries) -> tuple[Tensor, Entries]:
    """Move the dimensions of 0-dim index tensors before that of the first other index tensor.

    They stay tensors since they differ within a batch. So the result has its dimensions in the order as for integers.
    """
    single = [entry for entry in entries if not entry[1]._array_.ndim]
    others = [entry for entry in entries if entry[1]._array_.ndim]
    if not single or not others:
        return view, entries
    picked = [dim for dim, _ in single]
    order = [dim for dim in range(view._array_.ndim) if dim not in picked]
    first = order.index(others[0][0])
    order[first:first] = picked
    return permute.call((view, tuple(order))), [(order.index(dim), item) for dim, item in (*single, *others)]


def as_items(index: Any) -> list[Any]:
    """The parts of an index: integers, slices, None, Ellipsis and index tensors."""
    if isinstance(index, tuple):
        return [as_item(item) for item in index]
    length = (
        list.__len__(index)
        if isinstance(index, list)
        else len(index)
        if isinstance(index, range)
        else LONGEST_TUPLE_LIST
    )
    if length < LONGEST_TUPLE_LIST:
        if any(
            item is None or item is Ellipsis or isinstance(item, (Tensor, slice, list, tuple, range)) for item in index
        ):
            anomaly.warn(LIST_AS_TUPLE)
            return [as_item(item) for item in index]
    return [as_item(index)]


def as_item(item: Any) -> Any:
    """One part of an index, of a type that `take_apart` knows.

    Raises:
        IndexError: if `item` is of a type that cannot index.
    """
    if item is None or item is Ellipsis or type(item) is int or type(item) is slice:
        return item
    if isinstance(item, (bool, np.bool_)):
        return wrap(np.array(bool(item)))
    if isinstance(item, Tensor):
        return as_index_tensor(item)
    if isinstance(item, (list, tuple, range, np.ndarray)):
        array = np.array([nested(element) for element in item] if not isinstance(item, np.ndarray) else item)
        return as_index_tensor(wrap(as_indices(array)))
    if may_answer(item):  # and asked for the whole index
        raise IndexError(NOT_AN_INDEX.format(type(item).__name__))
    if isinstance(item, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    if hasattr(item, "__index__"):
        return operator.index(item)
    if is_sequence(item):
        return as_item(list(item))
    raise IndexError(NOT_AN_INDEX.format(type(item).__name__))


def as_indices(array: Any) -> Any:
    """The numbers of a list as indices: fractions are truncated; others are refused with torch's texts.

    Raises:
        TypeError: if a complex number or a string is among them.
        RuntimeError: if one is NaN, or beyond 64 bits.
    """
    kind = array.dtype.kind
    if kind == "c":
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if kind in "US":
        raise TypeError("new(): invalid data type 'str'")
    if kind == "f" and not bool((np.abs(array) < 2.0**63).all()):
        raise RuntimeError("value cannot be converted to type int64 without overflow")
    return array.astype(np.int64) if kind in "iuf" or not array.size else array


def is_sequence(item: Any) -> bool:
    """Return whether an object of an unknown class is a sequence."""
    return all(hasattr(type(item), name) for name in ("__len__", "__getitem__")) and not isinstance(item, dict)


def nested(value: Any) -> Any:
    """Lists of tensors as lists of arrays."""
    if isinstance(value, Tensor):
        tracing.told_reading(value, "an index")
        return value._array_
    return [nested(element) for element in value] if isinstance(value, (list, tuple, range)) else value


def as_index_tensor(tensor: Tensor) -> Any:
    """A tensor as an index: a 0-dim integer is an integer, uint8 is a mask."""
    array = tensor._array_
    if array.dtype == np.uint8 or (array.ndim == 0 and array.dtype.kind == "i"):
        tracing.told_reading(tensor, "an index")
    if array.dtype == np.uint8:
        if array.ndim:  # torch does not warn of a single byte
            anomaly.warn(BYTE_MASK)
        if tensor._flags_ & flags.BATCHED:
            return tensor.to(bool_)
        return wrap(array.astype(np.bool_))
    if array.ndim == 0 and array.dtype.kind == "i":
        return tensor.to(int64) if tensor._flags_ & flags.BATCHED else int(array)
    if array.dtype not in (np.int64, np.int32, np.bool_):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return tensor


def width(item: Any) -> int:
    """Number of dimensions of the tensor that a part of an index takes."""
    if item is None or item is Ellipsis:
        return 0
    return item._array_.ndim if isinstance(item, Tensor) and item._array_.dtype == np.bool_ else 1


def listed(entries: Entries) -> tuple[Tensor | None, ...]:
    """Index tensors in the order of the dimensions, None for those without one."""
    indices: list[Tensor | None] = []
    dim = 0
    for at, tensor in entries:
        indices += [None] * (at - dim)
        indices.append(tensor)
        dim = at + (tensor._array_.ndim if tensor._array_.dtype == np.bool_ else 1)
    return tuple(indices)


def as_value(target: Tensor, value: Any) -> Tensor:
    """The value to write as a tensor; numbers in the dtype of the target.

    Raises:
        TypeError: if `value` is neither a number nor a tensor nor an array.
        RuntimeError: if the target's dtype cannot hold the number.
    """
    if isinstance(value, Tensor):
        return value
    dtype = target._array_.dtype
    if type(value) is float and dtype.kind == "f" and -SAFE < value < SAFE:
        return wrap(np.array(value, dtype))
    if isinstance(value, np.ndarray):
        return wrap(value.astype(dtype))
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {errors.type_name(target._array_)}")
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, (bool, int, float, complex)):
        value = checked_number(number, target.dtype, halves=False)
    return wrap(current().quietly(np.asarray(value).astype, (dtype,)))


def without_leading_ones(value: Tensor) -> Tensor:
    """A view without the dimensions of length 1 in front."""
    shape = value._array_.shape
    first = 0
    while first < len(shape) and shape[first] == 1:
        first += 1
    return value.view(shape[first:]) if first else value


def write(view: Any, value: Any) -> None:
    """Write into a view by `copy_` or `fill_`."""
    if value._array_.dtype != view._array_.dtype:
        value = value.to(view.dtype)
    shape = view._array_.shape
    if value._array_.shape != shape:
        if not value._array_.ndim:
            view.fill_(value)
            return
        value = without_leading_ones(value).expand(shape)
    view.copy_(value)


READING = Indexing(getitem, advanced_index)
WRITING = Assignment(setitem, index_put.in_place, native("tensor"))
"""Functions that Python's `[]` calls."""
