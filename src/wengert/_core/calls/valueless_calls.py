"""The step of a call with tensors on the device "meta": what shape, dtype and strides the result has, without values.

Views are taken as any others. Operators that work element by element tell the dtype of their result by one element, and
its shape is that of the operands together. For a few others `SHAPES` knows it; the rest is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors, flags
from ..operators import layouts
from ..state.modes import Modes
from ..tensor.base import Tensor, wrap
from ..tensor.storage import count
from ..tensor.valueless import NO_DATA, Valueless, is_valueless, over, valueless
from ..tensor.wrappers import Wrapped
from ..types import dtypes, sizes
from . import valueless_images, valueless_linalg  # noqa: F401 - they say what shapes images and matrices have
from .valueless_shapes import SHAPES, Shape, unknown

FILLED = frozenset(
    """
    bernoulli cauchy copy exponential fill geometric log_normal normal random uniform zero
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Operators that write values in place of whatever was there."""


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
    refuse_wrapped(args)
    target = op.written(args)
    if target is not None and not is_valueless(target):
        raise NotImplementedError(NO_DATA)
    check_devices(op, args)
    if target is not None:
        return op.complete(args, word, modes)
    return op.conclude(args, computed(op, args, modes), word, modes)


def refuse_wrapped(args: tuple[Any, ...]) -> None:
    """Refuse a tensor of a class that is not asked now, and alone knows the values.

    Raises:
        RuntimeError: there is one.
    """
    for each in tensors_in(args):
        if isinstance(each._array_, Wrapped):
            each._array_.refuse("an operator with __torch_dispatch__ switched off")


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
    if op.name in SHAPES:
        found: Any = SHAPES[op.name](*args)
        found = found if op.several else [found]
    elif op.promotion is not None:
        shape, kinds = pointwise(op, args, modes)
        found = [(shape, kind) for kind in kinds]
    else:
        raise unknown(op.name)
    arrays = tuple([laid(op, args, *each) for each in found])
    return arrays if op.several else arrays[0]


def laid(op: Any, args: tuple[Any, ...], shape: Shape, dtype: Any, columns: bool = False) -> Valueless:
    """The array of a result, in the order of memory that the operator's card says; or of matrices lying in columns."""
    if columns:
        *batch, rows, width = shape
        steps = layouts.row_major((*batch, width, rows))
        return valueless(shape, dtype, (*steps[:-2], steps[-1], steps[-2]))
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
