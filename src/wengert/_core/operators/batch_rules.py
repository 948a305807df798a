"""Rules of operators for a batch, a dimension that the program does not see.

A rule is called with the operator, the size of the batch, the operator's arguments, and which of them carry the batch:
those have it as their first dimension. It returns the result, or results, with the batch as the first dimension. A card
states `batching=`, one of the kinds here, or has a rule for arguments that all carry it (`@card.batched`); an operator
that works element by element, on promoted operands, needs neither.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._start.loading import load
from .. import batch_errors, door, errors
from ..tensor import batches
from ..tensor.base import Tensor, share
from ..tensor.slots import OPERATORS
from ..types import dtypes, sizes

Rule = Callable[[Any, int, list[Any], list[Any]], Any]

LOOPED: Counter[str] = Counter()
"""Counts of operators that were run for one member after the other, because their cards have no rule, by name."""


def rule_for(op: Any) -> Rule:
    """The rule of an operator; one that its card states by name is loaded on first use."""
    if isinstance(op.batching, str):
        op.batching = loaded(op)
    if op.batching is not None:
        return op.batching
    if op.promotion is not None:
        return elementwise
    return looped


def loaded(op: Any) -> Rule:
    """The rule that a card names: `"module.rule"`, a module beside that of the card."""
    module, _, name = op.batching.rpartition(".")
    home: str = op.body.__module__.rpartition(".")[0]
    return getattr(load(f"{home}.{module}"), name)


def is_elementwise(op: Any) -> bool:
    """Return whether an operator works element by element."""
    return rule_for(op) is elementwise


def looped(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Rule for an operator without one: run it for one member after the other.

    Raises:
        RuntimeError: if the batch has no members.
    """
    if not size:
        raise RuntimeError(batch_errors.no_rule(op.name))
    LOOPED[op.name] += 1
    return one_by_one(op, size, args, carried, None)


def one_by_one(op: Any, size: int, args: list[Any], carried: list[Any], before: Any) -> Any:
    """Run the operator for one member after the other; `before`, if not None, is called before every run."""
    results: list[Any] = []
    for at in range(size):
        if before is not None:
            before()
        results.append(of_member(op, args, carried, at))
    if op.several:
        return tuple([OPERATORS.stack(list(outputs)) for outputs in zip(*results)])
    return OPERATORS.stack(results)


def of_member(op: Any, args: list[Any], carried: list[Any], at: int) -> Any:
    """Run the operator for one member."""
    return op.call(tuple([member(value, on, at) for value, on in zip(args, carried)]))


def member(value: Any, carried: Any, at: int) -> Any:
    """The argument of one member."""
    if isinstance(carried, list):
        return [member(item, on, at) for item, on in zip(value, carried)]
    if not carried:
        return value
    tensor: Tensor = value
    if door.is_ndarray(tensor._array_):  # wholes have no history: a view of the array is enough
        return share(tensor._array_[at, ...], tensor._storage_)
    return value.select(0, at)


def elementwise(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Rule for elementwise operators: dimensions that broadcasting adds are inserted after the batch."""
    return op.call(tuple(args if fits(op, args, carried) else padded(op, args, carried)))


def fits(op: Any, args: list[Any], carried: list[Any]) -> bool:
    """Return whether operands broadcast and promote with the batch as they do without it."""
    depth: int = -1
    kind: Any = None
    tensor: Tensor
    for at in op.tensor_slots:
        value = args[at]
        if isinstance(value, Tensor):
            tensor = value
            ndim: int = door.ndim_of(tensor._array_)
            if kind is None:
                kind = door.dtype_of(tensor._array_)
            elif kind is not door.dtype_of(tensor._array_):
                return False
            if carried[at]:
                if depth >= 0 and depth != ndim:
                    return False
                depth = ndim
    for at in op.tensor_slots:
        if isinstance(args[at], Tensor) and not carried[at]:
            tensor = args[at]
            if door.ndim_of(tensor._array_) >= depth:
                return False
    return depth > 1 or (depth == 1 and len(op.tensor_slots) == 1)


def padded(op: Any, args: list[Any], carried: list[Any]) -> list[Any]:
    """Operands whose shapes broadcast as those of the members do, and whose dtypes promote as theirs do."""
    tensors = [at for at in op.tensor_slots if isinstance(args[at], Tensor)]
    depth = max([args[at]._array_.ndim - carried[at] for at in tensors])
    arguments = list(args)
    kinds = {args[at]._array_.dtype for at in tensors if at in op.grad_slots}
    if len(kinds) > 1 and op.promotion is not None:
        promote(op, arguments, carried)
    for at in tensors:
        array = arguments[at]._array_
        if carried[at] and array.ndim - 1 < depth:
            shape = (array.shape[0], *(1,) * (depth + 1 - array.ndim), *array.shape[1:])
            arguments[at] = arguments[at].view(shape) if array.ndim == 1 else arguments[at].reshape(shape)
    return arguments


def promote(op: Any, args: list[Any], carried: list[Any]) -> None:
    """Convert operands to the dtype that those of a member have in common: one without dimensions counts less."""
    slots = [at for at in op.grad_slots if args[at] is not None]
    arrays = [one_of(args[at], carried[at]) for at in slots if isinstance(args[at], Tensor)]
    target = dtypes.result_type(arrays, [args[at] for at in slots if not isinstance(args[at], Tensor)])
    for at in slots:
        value = args[at]
        if not isinstance(value, Tensor) or value.dtype is target:
            continue
        if op.promotion != "numbers" or value.dtype is not dtypes.bool_:
            args[at] = value.to(target)


def one_of(tensor: Tensor, carried: bool) -> Any:
    """An array with the dtype and the number of dimensions of a member; its values are arbitrary."""
    array = tensor._array_
    return np.empty((1,) * (array.ndim - carried), array.dtype)


def check_target(target: Tensor, whole: Tensor) -> None:
    """Refuse to write a result of more dimensions than the target has.

    Raises:
        RuntimeError: if it has more dimensions.
    """
    if target._array_.ndim != whole._array_.ndim:
        raise RuntimeError(errors.target_shape(whole._array_.shape[1:], target._array_.shape[1:]))


def full(args: list[Any], carried: list[Any], size: int) -> list[Any]:
    """The arguments, all tensors with the batch; those without it are expanded."""
    return [with_batch(value, on, size) for value, on in zip(args, carried)]


def with_batch(value: Any, carried: Any, size: int) -> Any:
    """One argument of `full`."""
    if isinstance(value, list) and isinstance(carried, list):
        return [with_batch(item, on, size) for item, on in zip(value, carried)]
    if carried or not isinstance(value, Tensor):
        return value
    return value.expand((size, *value._array_.shape))


def written(rule: Callable[..., Any]) -> Rule:
    """A rule for arguments that all carry the batch, `rule(*args)`."""

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        return rule(*full(args, carried, size))

    return apply


def along(*names: str, flat: bool = False, none: bool = False) -> Rule:
    """Make the rule of an operator that works along some dimensions of its first tensor.

    Args:
        names: the parameters that are dimensions, or several; None or an empty tuple stands for all.
        flat: None stands for the elements in their order.
        none: an empty tuple of dimensions stands for none of them.
    """

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        arguments = full(args, carried, size)
        first = op.tensor_slots[0]
        ndim = arguments[first]._array_.ndim - 1
        scalar = ndim == 0
        flattened = flat and arguments[op.names.index(names[0])] is None
        if flattened:
            if size and "keepdim" in op.names and args[op.names.index("keepdim")]:
                of_member(op, args, carried, 0)  # refuses it where only one dimension may be kept
            arguments[first] = arguments[first].reshape((size, math.prod(arguments[first]._array_.shape[1:])))
        elif scalar:
            if size:
                of_member(op, args, carried, 0)  # refuses arguments that only tensors with dimensions support
            for at in op.tensor_slots:
                if isinstance(arguments[at], Tensor) and arguments[at]._array_.ndim == 1:
                    arguments[at] = arguments[at].unsqueeze(1)
        for name in names:
            at = op.names.index(name)
            if not none or arguments[at] not in ((), []):
                arguments[at] = 1 if flattened else shifted(arguments[at], ndim)
        result = op.call(tuple(arguments))
        if scalar:
            return tuple([tensor.reshape((size,)) for tensor in result]) if op.several else result.reshape((size,))
        if flattened:  # with keepdim a dimension is left in the place of all
            several = result if op.several else (result,)
            shaped = [tensor.reshape((size, *(1,) * ndim)) if tensor._array_.ndim > 1 else tensor for tensor in several]
            return tuple(shaped) if op.several else shaped[0]
        return result

    return apply


def shifted(dims: Any, ndim: int) -> Any:
    """Convert dimensions of a member to those of the whole.

    Raises:
        IndexError: if a dimension is out of range.
    """
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        return tuple(range(1, max(ndim, 1) + 1))
    if isinstance(dims, (tuple, list)):
        return tuple([sizes.normalise(dim, max(ndim, 1)) + 1 for dim in dims])
    return sizes.normalise(dims, max(ndim, 1)) + 1


def singled(args: list[Any], carried: list[Any]) -> tuple[list[Any], list[Any]]:
    """The arguments, with a single member of tensors whose members share memory; and which still carry the batch.

    At least one does: otherwise the operator would have been called once.
    """
    arguments, on = list(args), list(carried)
    for at, value in enumerate(args):
        if carried[at] is True and batches.is_constant(value):
            arguments[at], on[at] = member(value, True, 0), False
    return arguments, on


def folded(core: int = 0, most: int = 64, shape: str = "") -> Rule:
    """Make the rule of an operator that treats the items of its tensors one by one: the batch adds more items.

    Args:
        core: the number of dimensions of an item, the last ones; 0 stands for all but one.
        most: the largest number of dimensions of a member.
        shape: the parameter that is the shape of the result.
    """

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        arguments = full(args, carried, size)
        first = arguments[op.tensor_slots[0]]._array_.shape
        behind = core or len(first) - 2
        if not max(behind, 1) < len(first) <= most + 1:
            check_member(op, size, args, carried)
        lead = first[: len(first) - behind]
        for at in op.tensor_slots:
            if isinstance(arguments[at], Tensor) and len(lead) > 1:
                arguments[at] = arguments[at].reshape((math.prod(lead), *arguments[at]._array_.shape[len(lead) :]))
        if shape:
            at = op.names.index(shape)
            arguments[at] = (math.prod(lead), *arguments[at][len(arguments[at]) - behind :])
        result = op.call(tuple(arguments))
        if op.several:
            return tuple([tensor.reshape((*lead, *tensor._array_.shape[1:])) for tensor in result])
        return result.reshape((*lead, *result._array_.shape[1:]))

    return apply


def check_member(op: Any, size: int, args: list[Any], carried: list[Any]) -> None:
    """Refuse arguments that the operator would refuse for a single member."""
    if size:
        of_member(op, args, carried, 0)
    else:
        of_nobody(op, args, carried)


def merged(whole: Any, dim: int, groups: int = 1) -> Any:
    """Merge the first dimension of a tensor into one of its members' dimensions, within each group of that."""
    size, *shape = whole._array_.shape
    if dim == 0 and groups == 1:
        return whole.reshape((size * shape[0], *shape[1:]))
    split = whole.reshape((size, *shape[:dim], groups, shape[dim] // groups, *shape[dim + 1 :]))
    return split.movedim(0, dim + 1).reshape((*shape[:dim], size * shape[dim], *shape[dim + 1 :]))


def parted(result: Any, dim: int, size: int, groups: int = 1) -> Any:
    """The inverse of `merged`, row-major."""
    shape = result._array_.shape
    if dim == 0 and groups == 1:
        return result.reshape((size, shape[0] // size, *shape[1:]))
    split = result.reshape((*shape[:dim], groups, size, shape[dim] // (groups * size), *shape[dim + 1 :]))
    whole = split.movedim(dim + 1, 0).reshape((size, *shape[:dim], shape[dim] // size, *shape[dim + 1 :]))
    return whole.contiguous()


def of_nobody(op: Any, args: list[Any], carried: list[Any]) -> Any:
    """The results for a batch without members, with the shapes of the results for zeros."""
    arguments = [value.new_zeros(value._array_.shape[1:]) if on is True else value for value, on in zip(args, carried)]
    result = op.call(tuple(arguments))
    if op.several:
        return tuple([tensor.new_zeros((0, *tensor._array_.shape)) for tensor in result])
    return result.new_zeros((0, *result._array_.shape))
