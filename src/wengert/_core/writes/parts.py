"""`x[i, j:k]` and `x[i, j:k] = value`: basic indices as steps of a view, and a write without a tensor for the part.

Index tensors go to the operator of advanced indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..aliasing import views
from ..calls import dispatch
from ..calls.attempts import attempt
from ..calls.op import Op
from ..leaves.accumulate import gradient_edge
from ..profiling.events import Event, Log
from ..recording.recorded import OpNode, save_all
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor, wrap
from ..tensor.slots import Operator
from ..tensor.storage import count_write
from .inplace import InPlaceOp, replace_history, store
from .slices import copy_slices


def plain_steps(shape: tuple[Any, ...], index: Any) -> tuple[Any, ...]:
    """Return the steps (see `ViewInfo.steps`) of a view by integers, slices, None and `...`; () for any other index."""
    table: Any = slots.table
    if type(index) is int:
        return ((table.select, (None, 0, index), -1),) if is_within(index, shape, 0) else ()
    items: tuple[Any, ...] = index if type(index) is tuple else (index,)
    rest: int = len(shape)
    dots: int = 0
    for item in items:
        if item is Ellipsis:
            dots += 1
        elif item is not None:
            rest -= 1
    if rest < 0 or dots > 1:
        return ()
    steps: list[Any] = []
    place: int = 0
    dim: int = 0
    for item in items:
        if type(item) is int:
            if not is_within(item, shape, place):
                return ()
            steps.append((table.select, (None, dim, item), -1))
            place += 1
        elif type(item) is slice:
            bounds = door.plain_range(item)
            if bounds is None:
                return ()
            if not is_whole(bounds, shape[place]):
                steps.append((table.slice, (None, dim, *bounds, 1), -1))
            place += 1
            dim += 1
        elif item is None:
            steps.append((table.unsqueeze, (None, dim), -1))
            dim += 1
        elif item is Ellipsis:
            place += rest
            dim += rest
        else:
            return ()
    return tuple(steps)


def is_within(index: int, shape: tuple[Any, ...], place: int) -> bool:
    """Return whether `index` is within the range of a dimension."""
    if place >= len(shape):
        return False
    length: int = shape[place]
    return -length <= index < length


def is_plain(bound: Any) -> bool:
    """Return whether a bound of a slice is an integer or missing."""
    return bound is None or type(bound) is int


def is_whole(bounds: tuple[Any, ...], length: int) -> bool:
    """Return whether a slice from one bound to another takes all of a dimension."""
    return (bounds[0] is None or bounds[0] == 0) and (bounds[1] is None or bounds[1] >= length)


class Indexing(Operator):
    """`tensor[index]`: plain indices and index tensors here, all others by `function`.

    Without an operator for index tensors everything is done by `function`, whatever operator of Python it implements.
    """

    function: Any
    advanced: Op

    __slots__ = ("advanced", "function")

    def __init__(self, function: Any, advanced: Op) -> None:
        self.function = function
        self.advanced = advanced

    def call1(self, a: Any) -> Any:
        """Return `function(a)`."""
        return self.function(a)

    def call2(self, a: Any, b: Any) -> Any:
        """Return the part of `a` that `b` selects."""
        if self.advanced is None:
            return self.function(a, b)
        part: Any = None if type(b) is Tensor else take_part(a, b)
        if part is not None:
            return part
        indices: Any = index_tensors(a, b)
        return self.function(a, b) if indices is None else self.advanced.run((a, indices))


class Assignment(Operator):
    """`tensor[index] = value`: plain indices and index tensors here, all others by `function`.

    `number(dtype, value)` is the native function that returns an array for a number, or None. Without an operator for
    index tensors everything is done by `function`.
    """

    function: Any
    advanced: Op
    number: Any

    __slots__ = ("advanced", "function", "number")

    def __init__(self, function: Any, advanced: Op, number: Any) -> None:
        self.function = function
        self.advanced = advanced
        self.number = number

    def call3(self, a: Any, b: Any, c: Any) -> None:
        """Write `c` into the part of `a` that `b` selects."""
        if self.advanced is None:
            self.function(a, b, c)
            return
        value: Any = c if isinstance(c, Tensor) else number_like(self.number, a, c)
        if value is None or not assign(self.advanced, a, b, value):
            self.function(a, b, c)


def index_tensors(base: Tensor, index: Any) -> Any:
    """Return the index tensors of `x[i]`, `x[i, j]`, `x[:, i]`, None for whole dimensions; None for any other index."""
    items: tuple[Any, ...] = index if type(index) is tuple else (index,)
    shape: tuple[Any, ...] = door.shape_of(base._array_)
    indices: list[Any] = []
    dim: int = 0
    last: int = 0
    for item in items:
        if type(item) is Tensor:
            dim += dims_of(item)
            indices.append(item)
            last = len(indices)
            if dims_of(item) == 0:
                return None
        elif type(item) is slice and dim < len(shape):
            bounds = door.plain_range(item)
            if bounds is None or not is_whole(bounds, shape[dim]):
                return None
            dim += 1
            indices.append(None)
        else:
            return None
    return tuple(indices[:last]) if last and dim <= len(shape) else None


def dims_of(index: Tensor) -> int:
    """Return the number of dimensions that an index tensor indexes: a mask its own; 0 if it must be converted first."""
    dtype: Any = door.dtype_of(index._array_)
    if dtype is BOOL:
        return door.ndim_of(index._array_)
    return 1 if dtype is INT64 and door.ndim_of(index._array_) > 0 else 0


def assign(advanced: Op, base: Tensor, index: Any, value: Tensor) -> bool:
    """Write a tensor by a plain index or, with the operator `advanced`, by index tensors.

    Returns:
        False if it is not the plain case, or one that is refused; nothing was done.
    """
    steps: tuple[Any, ...] = () if type(index) is Tensor else plain_steps(door.shape_of(base._array_), index)
    if len(steps) > 0:
        return write_part(base, steps, value)
    indices: Any = index_tensors(base, index)
    if indices is None or begins_with_one(value):
        return False
    advanced.run((base, indices, value, False))
    return True


def number_like(native: Any, base: Tensor, value: Any) -> Any:
    """Return a number as a tensor of the dtype of another; None if it is not a plain number that surely fits."""
    dtype: Any = door.dtype_of(base._array_)
    if native is None or (type(value) is not float and type(value) is not int):
        return None
    if door.is_inexact(base._array_):
        if not -SAFE < value < SAFE:
            return None
        value = float(value)
    array: Any = native(dtype, value)
    return wrap(array) if array is not NotImplemented and door.dtype_of(array) is dtype else None


def begins_with_one(tensor: Tensor) -> bool:
    """Return whether the first dimension has one element."""
    shape: tuple[Any, ...] = door.shape_of(tensor._array_)
    return len(shape) > 0 and shape[0] == 1


SAFE = 6e4
"""Numbers up to this size are finite in every floating-point type."""
BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)


def take_part(base: Tensor, index: Any) -> Any:
    """Return the view by a basic index; None if it is another index, or selects the whole tensor."""
    op: Op = slots.table.select
    shape: tuple[Any, ...]
    view: Any = NotImplemented
    if type(index) is int and op.native is not None:  # it also checks that the index is within range
        view = attempt(op, op.native, (base, 0, index), False)
        return None if view is NotImplemented else view
    shape = door.shape_of(base._array_)
    if type(index) is slice and shape:
        bounds = door.plain_range(index)
        if bounds is None or is_whole(bounds, shape[0]):
            return None
        op = slots.table.slice
        return op.run((base, 0, bounds[0], bounds[1], 1))
    steps: tuple[Any, ...] = plain_steps(shape, index)
    if not steps:
        return None
    view = base
    for step in steps:
        op = step[0]
        view = op.run(door.with_first(step[1], view))
    return view


def write_part(base: Tensor, steps: tuple[Any, ...], value: Tensor) -> bool:
    """Write `value` into a view of `base`.

    The same as `copy_(value)` on the view (`fill_(value)` if that is a single number) for the plain case: base and
    value are no views, share no memory, and the value has the dtype and the shape of the part, or broadcasts to that
    shape and requires no gradient.

    Args:
        base: tensor.
        steps: the steps of the view, see `ViewInfo.steps`.
        value: tensor.

    Returns:
        False if it is not the plain case, or one that is refused; nothing was done.
    """
    modes: Modes = current()
    word: int = (base._flags_ | value._flags_ | modes.word) & modes.mask
    if word & ~(flags.REQUIRES_GRAD | flags.PROFILED) or base._storage_ is value._storage_:
        return False
    log: Log = modes.profiling() if word & flags.PROFILED else None
    if log is not None and log.exact:
        return False  # a recording sees the operators
    word &= flags.REQUIRES_GRAD
    if word and (not door.is_inexact(base._array_) or (base._flags_ & flags.REQUIRES_GRAD and base._edge_ is None)):
        return False
    part: Any = base._array_
    for step in steps:
        part = views.take(part, step)
    values: Any = value._array_
    writer: InPlaceOp = slots.table.copy_
    if door.dtype_of(part) is not door.dtype_of(values) or door.has_zero_stride(part):
        return False
    if door.shape_of(part) != door.shape_of(values):
        if door.ndim_of(values) == 0:
            writer = slots.table.fill_
        elif value._flags_ & flags.REQUIRES_GRAD or not is_repeated(door.shape_of(values), door.shape_of(part)):
            return False
    event: Event = None if log is None else log.begin_call(writer, (base, value), modes)
    store(part, values)
    count_write(base._storage_, writer.name)
    if word:
        replace_history(base, history(base, steps, writer.functional, value, modes))
    if event is not None:
        log.end(event, None)
    return True


def is_repeated(shape: tuple[Any, ...], whole: tuple[Any, ...]) -> bool:
    """Return whether a shape broadcasts to another one, of as many dimensions or more."""
    missing: int = len(whole) - len(shape)
    if missing < 0:
        return False
    for dim in range(len(shape)):
        if shape[dim] != 1 and shape[dim] != whole[dim + missing]:
            return False
    return True


def history(base: Tensor, steps: tuple[Any, ...], op: Op, value: Tensor, modes: Modes) -> Any:
    """Return the node of a base for the write of `value`, by `copy` or `fill`, to the part that `steps` select."""
    args: tuple[Any, ...] = (None, value, *op.after2)
    wanted: bool = value._flags_ & flags.REQUIRES_GRAD != 0
    edges = (None, gradient_edge(value) if wanted else None)
    node: OpNode = dispatch.new_node(op, args, 2 if wanted else 0, edges, modes, 1)
    node.saved = save_all(node.plan, args, None, modes)
    before = gradient_edge(base) if base._flags_ & flags.REQUIRES_GRAD else None
    return copy_slices(node, views.part_of(base, steps), before, modes)
