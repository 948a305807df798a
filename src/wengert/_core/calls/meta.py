"""The step of a call with tensors on the device "meta": shape, dtype and strides of the result, without values.

Views are taken as on any device: their body is enough. An elementwise operator's result has the
shape of the operands together, and the dtype of one element. Every other card has a rule: one that its family shares
(`shape="reduction"`, of `ops/shape_rules.py`), or its own (`@card.shape`), which is in the file `shapes.py` of the
card's room and is loaded with the first call that needs one.

A rule is called with all arguments of the operator in their order, in which arrays stand for tensors (for their shape,
dtype and strides: who reads values is refused), lists of arrays for lists of tensors, numbers and None for themselves.
It refuses what the operator's body would, and returns of the result, of several results in a list,

- its shape and dtype (NumPy's),
- or its shape alone: the dtype is then that of what the operator itself makes of operands cut down to one element (or
  none) along each dimension, which also refuses whatever lengths have no part in;
- a third entry says the memory layout of the result where it is not the card's: `COLUMNS` for column-major matrices, or
  strides, counted in elements.

Where the values of an operand decide, a rule raises `NeedsValues`, with the reason.

Calls with `out=` ask the same rules before long work, see `out.expected`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._start.loading import load
from .. import errors, flags
from ..operators import batch_rules, layouts, sources
from ..operators.shape_rules import RULES
from ..state.modes import Modes
from ..tensor.base import Tensor, wrap
from ..tensor.meta_array import COLUMNS, NO_DATA, MetaArray, NeedsValues, is_meta, meta_array, over
from ..tensor.storage import count
from ..tensor.wrappers import Wrapped
from ..types import dtypes, sizes

Shape = tuple[int, ...]


class NeedsValuesError(NotImplementedError):
    """Error of a call on the device "meta" whose result is not known without values.

    Attributes:
        why: the reason that the operator's card states; "" if the card has no rule for its results.
    """

    why = ""


def unknown(name: str, why: str) -> NeedsValuesError:
    """Return the error for an operator whose result is not known without values."""
    error = NeedsValuesError(
        f"aten::{name}: attempted to run this operator with Meta tensors, but it needs their values"
        f"{f': {why}' if why else ', or wengert does not know the shape of its result without them'}; "
        "give the tensors memory first: torch.empty_like(x, device='cpu'), Module.to_empty(device='cpu')"
    )
    error.why = why
    return error


def listed(value: Any) -> Any:
    """Return the elements of a list, or the value alone."""
    return value if isinstance(value, (tuple, list)) else (value,)


def tensors_in(args: tuple[Any, ...]) -> list[Tensor]:
    """Return the tensors among arguments, also those in lists."""
    return [value for argument in args for value in listed(argument) if isinstance(value, Tensor)]


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator with a tensor on the device "meta" among its arguments.

    Raises:
        NotImplementedError: if its result is not known, or values would have to be read.
        RuntimeError: if another tensor is on the CPU, or carries a batch.
    """
    if word & flags.BATCHED:
        raise RuntimeError("vmap: tensors on the device 'meta' cannot be used together with those that carry a batch")
    refuse_wrapped(args)
    target = op.written(args)
    if target is not None and not is_meta(target):
        raise NotImplementedError(NO_DATA)
    check_devices(getattr(op, "functional", op), args)
    if target is not None:
        return op.complete(args, word, modes)
    return op.conclude(args, computed(op, args, modes), word, modes)


def refuse_wrapped(args: tuple[Any, ...]) -> None:
    """Refuse a tensor of a class that is not asked now, and is the only one to know the values.

    Raises:
        RuntimeError: if an argument is such a tensor.
    """
    for tensor in tensors_in(args):
        if isinstance(tensor._array_, Wrapped):
            tensor._array_.refuse("an operator with __torch_dispatch__ switched off")


def check_devices(card: Any, args: tuple[Any, ...]) -> None:
    """Refuse tensors of both devices together, except numbers, and operators that copy from one to the other.

    Raises:
        RuntimeError: if the arguments are on both devices.
    """
    tensors = tensors_in(args)
    first = is_meta(tensors[0])
    for tensor in tensors[1:]:
        if is_meta(tensor) != first and tensor._array_.ndim and tensors[0]._array_.ndim and not card.any_device:
            raise RuntimeError(f"Tensor on device {tensor.device} is not on the expected device {tensors[0].device}!")


def computed(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the array of a result, or several.

    Raises:
        NotImplementedError: if the result is not known without values.
    """
    if op.view:
        source: Any = args[0]._array_
        named = dict(zip(op.names[op.positional :], args[op.positional :]))
        views = op.body(source.view(np.ndarray), *args[1 : op.positional], **named)
        return tuple([over(part, source.values) for part in views]) if op.several else over(views, source.values)
    results = shapes_of(op, args, modes)
    arrays = tuple([array_of_result(op, args, *result) for result in results])
    return arrays if op.several else arrays[0]


def shapes_of(card: Any, args: tuple[Any, ...], modes: Modes) -> list[Any]:
    """Return shape and dtype of each result of an operator, perhaps with strides, see above.

    Raises:
        NotImplementedError: if they are not known.
    """
    if batch_rules.is_elementwise(card):
        shape: Shape = ()
        for tensor in tensors_in(args):
            shape = sizes.broadcast(shape, tensor._array_.shape)
        return [(shape, kind) for kind in dtypes_of_one(card, args, modes)]
    rule = rule_of(card)
    if rule is None:
        raise unknown(card.name, "")
    try:
        result = rule(*[plain(value) for value in args])
    except NeedsValues as error:
        raise unknown(card.name, str(error)) from None
    except TypeError:
        dtypes_of_one(card, args, modes)  # refuses a wrong dimension in the operator's own words
        raise
    results = result if card.several else [result]
    if any(is_shape(entry) for entry in results):
        kinds = dtypes_of_one(card, args, modes)
        return [(entry, kinds[at]) if is_shape(entry) else entry for at, entry in enumerate(results)]
    return results


def is_shape(entry: Any) -> bool:
    """Return whether a rule states only the shape of a result."""
    return not entry or not isinstance(entry[0], tuple)


def rule_of(card: Any) -> Any:
    """Return the rule of a card, None if it has none; all rules of its room are loaded with the first."""
    room = card.body.__module__.rpartition(".")[0]
    rule = RULES.get(card.name)
    if rule is None:
        try:
            load(f"{room}.shapes")
        except ModuleNotFoundError as error:
            if error.name != f"{room}.shapes":
                raise
            return None
        rule = RULES.get(card.name)
    elif isinstance(rule, str):
        rule = card.shape(getattr(load(f"{room.rpartition('.')[0]}.shape_rules"), rule))
    return rule


def plain(value: Any) -> Any:
    """Return an argument as rules receive it: arrays in the place of tensors, which refuse to be read."""
    if isinstance(value, Tensor):
        return value._array_
    return type(value)([plain(item) for item in value]) if type(value) in (tuple, list) else value


def array_of_result(op: Any, args: tuple[Any, ...], shape: Shape, dtype: Any, strides: Any = None) -> MetaArray:
    """Return the array of a result, in the memory layout of the rule, otherwise in that of the operator's card."""
    if strides == COLUMNS:
        *batch, rows, width = shape
        steps = layouts.row_major((*batch, width, rows))
        return meta_array(shape, dtype, (*steps[:-2], steps[-1], steps[-2]))
    if strides is None:
        strides = layouts.strides_of_result(op, args, np.broadcast_to(np.zeros((), dtype), shape))
    return meta_array(shape, dtype, strides)


def dtypes_of_one(op: Any, args: tuple[Any, ...], modes: Modes) -> list[Any]:
    """Return the result dtypes of an operator for operands cut down to one element, to none if it draws numbers."""
    most = 0 if op.random else 1
    operands = [single(value, most, op.kinds[at] == sources.INDEX) for at, value in enumerate(args)]
    result = op.complete(tuple(operands), 0, modes)
    return [tensor._array_.dtype for tensor in (result if op.several else (result,))]


def single(value: Any, most: int, index: bool) -> Any:
    """Return an argument with at most `most` elements along each dimension: ones, for an index zeros."""
    if isinstance(value, Tensor):
        array = value._array_
        shape = tuple([min(length, most) for length in array.shape]) if array.ndim or most else (0,)
        return wrap((np.zeros if index and array.dtype.kind in "iu" else np.ones)(shape, array.dtype))
    if type(value) in (tuple, list):
        return type(value)([single(item, most, index) for item in value])
    return value


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> None:
    """Write to a tensor on the device "meta": check and count the write.

    Raises:
        NotImplementedError: if the shape of the result is not known.
        RuntimeError: if shape or dtype do not fit.
    """
    functional, target = op.functional, args[0]
    have = target._array_
    ((shape, kind, *_),) = shapes_of(functional, args, modes)
    if functional.promotion is not None and not dtypes.can_cast(dtypes.from_numpy(kind), target.dtype):
        raise RuntimeError(errors.uncastable(dtypes.from_numpy(kind), target.dtype))
    if shape != have.shape:
        raise RuntimeError(errors.target_shape(have.shape, shape))
    if batch_rules.is_elementwise(functional):
        dtypes_of_one(op, args, modes)  # refuses what only the in-place form refuses
    count(target._storage_)
