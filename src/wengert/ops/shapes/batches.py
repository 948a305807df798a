"""Conversion of a dimension to the batch of a transform, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.batching import left
from ..._core.cards.card import Array, op
from ..._core.tensor import batches
from ..._core.tensor.base import OPERATORS
from ..._core.tensor.standins import Members, members_of


def entered(card: Any, args: tuple[Any, ...], level: Any) -> Any:
    """`enter_batch` of a tensor that is batched already."""
    self, into, dim = args
    array: Members = self._array_
    if level.number > into.number:
        return batches.batched(card.call((array.whole, into, dim + 1)), level)
    if level is into:  # element i of member i along the dimension
        return batches.batched(array.whole.diagonal(0, 0, dim + 1).movedim(-1, 0), level)
    whole = batches.twin(self)
    return batches.batched(whole.movedim(dim, 0) if dim else whole, into)


@op(view="batch", linear="self", public="hidden")
def enter_batch(self: Array, level: Any, dim: int) -> Any:
    """Convert a dimension to a batch, which the program does not see."""
    return members_of(np.moveaxis(self, dim, 0) if dim else self, level)


enter_batch.crossing = entered


@enter_batch.vjp("self")
def enter_batch_vjp(grad: Any, level: Any, dim: int) -> Any:
    return left(grad, level, dim)


def out_of(card: Any, args: tuple[Any, ...], level: Any) -> Any:
    """`leave_batch` of a batched tensor."""
    self, outof, dim = args
    array: Members = self._array_
    if level is not outof:
        return batches.batched(card.call((array.whole, outof, dim + 1)), level)
    return batches.twin(array.whole.movedim(0, dim) if dim else array.whole)


@op(view="batch", public="hidden")
def leave_batch(self: Array, level: Any, dim: int) -> Any:
    """Convert a batch to the dimension `dim`."""
    raise RuntimeError("leave_batch(): the tensor carries no batch")


leave_batch.crossing = out_of


@leave_batch.vjp("self")
def leave_batch_vjp(grad: Any, level: Any, dim: int) -> Any:
    return enter_batch.call((grad, level, dim))


@leave_batch.jvp("self")
def leave_batch_jvp(tangent: Any, level: Any, dim: int) -> Any:
    return left(tangent, level, dim)


OPERATORS.enter_batch = enter_batch
OPERATORS.leave_batch = leave_batch
