"""Batching rules of convolution: one convolution with more items, channels or groups."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.operators.batch_rules import Rule, check_member, merged, of_nobody, parted, singled, with_batch

Place = tuple[int, bool]
"""A dimension that contains the batch, and whether it does so within each group of channels."""


class Folding(NamedTuple):
    """Dimensions that contain the batch in the two operands and in the result."""

    first: Place | None
    second: Place | None
    result: Place


ITEMS = Folding((0, False), None, (0, False))
"""The members are more items."""
GROUPS = Folding((1, False), (0, False), (1, False))
"""Each member has groups of its own."""

PLAIN = {(True, False): ITEMS, (False, True): Folding(None, (0, True), (1, True)), (True, True): GROUPS}
"""For (N, C, ...) and (O, C / groups, ...) to (N, O, ...), by which of the two operands carry the batch."""
TURNED = {(True, False): ITEMS, (False, True): Folding(None, (1, False), (1, True)), (True, True): GROUPS}
"""For (N, O, ...) and (O, C / groups, ...) to (N, C, ...)."""
PRODUCT = {
    (True, False): Folding((1, True), None, (0, True)),
    (False, True): Folding(None, (1, True), (1, False)),
    (True, True): Folding((1, False), (1, False), (0, False)),
}
"""For (N, O, ...) and (N, C, ...) to (O, C / groups, ...)."""


def folding(op: Any, operands: list[Any], carried: list[Any], size: int, plan: Folding) -> Any:
    """Call a bilinear operator once for all members of a batch."""
    names = op.names
    groups = operands[names.index("groups")]
    parts = {True: max(int(groups), 1), False: 1}
    for at, place in ((0, plan.first), (1, plan.second)):
        if place is not None:
            operands[at] = merged(operands[at], place[0], parts[place[1]])
    if plan.first is not None and plan.second is not None:
        operands[names.index("groups")] = groups * size
    dim, within = plan.result
    if "shape" in names:
        shape = operands[names.index("shape")]
        operands[names.index("shape")] = (*shape[:dim], shape[dim] * size, *shape[dim + 1 :])
    if "bias" in names and operands[2] is not None and plan.second is not None:
        operands[2] = merged(with_batch(operands[2], carried[2], size), 0, parts[within])
    return parted(op.call(tuple(operands)), dim, size, parts[within])


def bilinear(plans: dict[tuple[bool, bool], Folding]) -> Rule:
    """Return the batching rule of a transpose of a convolution."""

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        if not size:
            return of_nobody(op, args, carried)
        operands, in_batch = singled(args, carried)
        return folding(op, operands, in_batch, size, plans[in_batch[0], in_batch[1]])

    return apply


def convolved(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of a convolution."""
    if not size:
        return of_nobody(op, args, carried)
    operands, in_batch = singled(args, carried)
    if in_batch[2] and not in_batch[1]:
        return biased(op, size, operands, in_batch)
    plans = TURNED if operands[op.names.index("transposed")] else PLAIN
    return folding(op, operands, in_batch, size, plans[in_batch[0], in_batch[1]])


def biased(op: Any, size: int, operands: list[Any], in_batch: list[Any]) -> Any:
    """Convolution with one kernel and a bias for each member, which is added to the result."""
    bias, input = operands[2], operands[0]
    plain = [*operands[:2], None, *operands[3:]]
    result = folding(op, plain, in_batch, size, ITEMS) if in_batch[0] else op.call(tuple(plain)).unsqueeze(0)
    if bias.dtype is not input.dtype or bias.shape != (size, result.shape[2]):
        check_member(op, size, operands, in_batch)
    return result + bias.reshape((size, 1, result.shape[2], *(1,) * (result.ndim - 3)))
