"""Memory of dual tensors: aliases with and without a tangent."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.cards.card import WIDE, Array, op
from ..._core.operators.batch_rules import elementwise
from .view_shape import alias_vjp, layouts, native

alias_of_dual = partial(
    op, dtypes=WIDE, view=True, linear="self", batching=elementwise, public="method", native=native("alias")
)


@alias_of_dual(name="_fw_primal", node="torch::autograd::Identity")
def fw_primal(self: Array) -> Any:
    """Alias of a dual tensor's memory: its values."""
    return self[...]


@alias_of_dual(name="_made_dual", node="ViewBackward0")
def made_dual(self: Array) -> Any:
    """Alias of a tensor's memory, with the same strides, which gets a tangent."""
    return self[...]


for card in (fw_primal, made_dual):
    card.vjp("self")(alias_vjp)
    card.samples(layouts)
