"""The step of a call with tensors on the device "meta": what shape, dtype and strides the result has, without values.

Views are taken as any others. Operators that work element by element tell the dtype of their result by one element, and
its shape is that of the operands together. For a few others `SHAPES` knows it; the rest is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors, flags
from ..operators import layouts
from ..state.modes import Modes
from ..tensor.base import Tensor, wrap
from ..tensor.storage import count
from ..tensor.valueless import NO_DATA, Valueless, is_valueless, over, valueless
from ..types import dtypes, sizes

Shape = tuple[int, ...]
SHAPES: dict[str, Callable[..., Any]] = {}
"""By operator: called with all its arguments; gives shape and dtype of the result, NumPy's."""
FILLED = frozenset(
    """
    bernoulli cauchy copy exponential fill geometric log_normal normal random uniform zero
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Operators that write values in place of whatever was there."""


def shaped(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say what shape and dtype the results of some operators have; decorates it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        SHAPES.update(dict.fromkeys(names, function))
        return function

    return decorate


def unknown(name: str) -> NotImplementedError:
    """The error for an operator whose result is not known without values."""
    return NotImplementedError(
        f"aten::{name}: attempted to run this operator with Meta tensors, but it needs their values, or wengert does "
        "not know the shape of its result without them; give the tensors memory first: torch.empty_like(x, "
        "device='cpu'), Module.to_empty(device='cpu')"
    )


def tensors_in(args: tuple[Any, ...]) -> list[Tensor]:
    """The tensors among arguments, those in lists, too."""
    found: list[Tensor] = []
    for each in args:
        found.extend([one for one in (each if isinstance(each, (tuple, list)) else (each,)) if isinstance(one, Tensor)])
    return found


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator with a tensor on the device "meta" among its arguments.

    Raises:
        NotImplementedError: its result is not known, or values would have to be read.
        RuntimeError: another tensor is on the CPU, or carries a batch.
    """
    if word & flags.BATCHED:
        raise RuntimeError("vmap: tensors on the device 'meta' cannot be used together with those that carry a batch")
    target = op.written(args)
    if target is not None and not is_valueless(target):
        raise NotImplementedError(NO_DATA)
    check_devices(op, args)
    if target is not None:
        return op.complete(args, word, modes)
    return op.conclude(args, computed(op, args, modes), word, modes)


def check_devices(op: Any, args: tuple[Any, ...]) -> None:
    """Refuse tensors of both devices together, but for numbers (and what is copied).

    Raises:
        RuntimeError: there are such.
    """
    if op.name.rstrip("_") in ("copy", "_copy"):
        return
    given = tensors_in(args)
    first = is_valueless(given[0])
    for each in given[1:]:
        if is_valueless(each) != first and each._array_.ndim and given[0]._array_.ndim:
            raise RuntimeError(f"Tensor on device {each.device} is not on the expected device {given[0].device}!")  # type: ignore[attr-defined]


def computed(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """The array of a result, or several.

    Raises:
        NotImplementedError: it is not known.
    """
    if op.view:
        source: Any = args[0]._array_
        named = dict(zip(op.names[op.positional :], args[op.positional :]))
        made = op.body(source.view(np.ndarray), *args[1 : op.positional], **named)
        return tuple([over(each, source.values) for each in made]) if op.several else over(made, source.values)
    if op.promotion is not None:
        shape, kinds = pointwise(op, args, modes)
        found: Any = [(shape, kind) for kind in kinds]
    elif op.name in SHAPES:
        found = SHAPES[op.name](*args)
        found = found if op.several else [found]
    else:
        raise unknown(op.name)
    arrays = tuple([laid(op, args, shape, kind) for shape, kind in found])
    return arrays if op.several else arrays[0]


def laid(op: Any, args: tuple[Any, ...], shape: Shape, dtype: Any) -> Valueless:
    """The array of a result, in the order of memory that the operator's card says."""
    plain = np.broadcast_to(np.zeros((), dtype), shape)
    return valueless(shape, dtype, layouts.strides_of_result(op, args, plain))


def pointwise(op: Any, args: tuple[Any, ...], modes: Modes) -> tuple[Shape, list[Any]]:
    """The shape of what an operator makes element by element, and the dtypes of its results: those of one element."""
    shape: Shape = ()
    for each in tensors_in(args):
        shape = sizes.broadcast(shape, each._array_.shape)
    made = op.complete(tuple([single(each) for each in args]), 0, modes)
    return shape, [each._array_.dtype for each in (made if op.several else (made,))]


def single(value: Any) -> Any:
    """An argument with one element, a one, in the place of all elements of a tensor; of as many dimensions."""
    if isinstance(value, Tensor):
        return wrap(np.ones((1,) * value._array_.ndim, value._array_.dtype))
    return value


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> None:
    """What a write to a tensor on the device "meta" does: it is checked, and counted.

    Raises:
        NotImplementedError: the shape of the result is not known.
        RuntimeError: shape or dtype do not fit.
    """
    functional, target = op.functional, args[0]
    have = target._array_
    if functional.promotion is not None:
        shape, (kind,) = pointwise(functional, args, modes)
        if not dtypes.can_cast(dtypes.from_numpy(kind), target.dtype):
            raise RuntimeError(errors.uncastable(dtypes.from_numpy(kind), target.dtype))
    elif functional.name.removesuffix("_fill") in FILLED:
        shape = have.shape
        for each in tensors_in(args):
            shape = sizes.broadcast(shape, each._array_.shape)
    elif functional.name in SHAPES:
        shape, _ = SHAPES[functional.name](*args)
    else:
        raise unknown(op.name)
    if shape != have.shape:
        raise RuntimeError(errors.target_shape(have.shape, shape))
    count(target._storage_)


def dtype_or(array: Any, dtype: Any) -> Any:
    """NumPy's dtype of a result: that of an operand unless another is asked for."""
    return array.dtype if dtype is None else dtype.numpy


@shaped(
    "clone", "cumsum", "dropout", "flip", "log_softmax", "roll", "softmax", "tril", "triu", "_log_softmax", "_softmax"
)
def like_first(self: Any, *others: Any) -> Any:
    return self._array_.shape, self._array_.dtype


@shaped("_to_copy")
def to_copy_shape(self: Any, dtype: Any, *others: Any) -> Any:
    return self._array_.shape, dtype_or(self._array_, dtype)


def product(first: Any, second: Any, name: str) -> tuple[Shape, Any]:
    """Shape and dtype of a product of matrices."""
    one, other = first._array_, second._array_
    if one.shape[-1] != other.shape[-2]:
        shapes = ["x".join(map(str, each.shape)) for each in (one, other)]
        raise RuntimeError(f"a and b must have same reduction dim, but got {shapes[0]} X {shapes[1]} ({name})")
    if one.dtype != other.dtype:
        raise RuntimeError(f"{name}: expected both factors to have the same dtype")
    return (*one.shape[:-1], other.shape[-1]), one.dtype


@shaped("mm", "bmm")
def product_shape(self: Any, other: Any) -> Any:
    return product(self, other, "mm")


@shaped("addmm", "baddbmm")
def sum_shape(self: Any, first: Any, second: Any, *others: Any) -> Any:
    return product(first, second, "addmm")


@shaped("mv")
def vector_shape(self: Any, vec: Any) -> Any:
    return self._array_.shape[:-1], self._array_.dtype


@shaped("masked_fill")
def filled_shape(self: Any, mask: Any, value: Any) -> Any:
    return sizes.broadcast(self._array_.shape, mask._array_.shape), self._array_.dtype


@shaped("cat")
def cat_shape(tensors: Any, dim: int = 0) -> Any:
    arrays = [each._array_ for each in tensors if each._array_.shape != (0,)] or [tensors[0]._array_]
    first, place = arrays[0], sizes.normalise(dim, arrays[0].ndim)
    for each in arrays[1:]:
        if each.dtype != first.dtype or each.ndim != first.ndim:
            raise unknown("cat of several dtypes or numbers of dimensions")
        if [*each.shape[:place], *each.shape[place + 1 :]] != [*first.shape[:place], *first.shape[place + 1 :]]:
            raise RuntimeError(f"Sizes of tensors must match except in dimension {place}.")
    length = sum([each.shape[place] for each in arrays])
    return (*first.shape[:place], length, *first.shape[place + 1 :]), first.dtype


@shaped("stack")
def stack_shape(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]._array_
    if any(each._array_.shape != first.shape or each._array_.dtype != first.dtype for each in tensors):
        raise RuntimeError("stack expects each tensor to be equal size and dtype")
    place = sizes.normalise(dim, first.ndim + 1)
    return (*first.shape[:place], len(tensors), *first.shape[place:]), first.dtype


@shaped("embedding")
def embedding_shape(input: Any, weight: Any, *others: Any) -> Any:
    return (*input._array_.shape, weight._array_.shape[-1]), weight._array_.dtype


@shaped("max_full", "min_full")
def one_shape(self: Any) -> Any:
    return (), self._array_.dtype


@shaped("sum", "mean")
def reduced_shape(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self._array_
    gone = range(array.ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    places = {sizes.normalise(each, array.ndim) for each in gone}
    kept = [1 if at in places else each for at, each in enumerate(array.shape) if keepdim or at not in places]
    kind = np.dtype(np.int64) if dtype is None and array.dtype.kind in "iub" else dtype_or(array, dtype)
    return tuple(kept), kind
