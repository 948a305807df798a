"""Memory of dual tensors: aliases with and without a tangent."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import WIDE, Array, op
from ..._core.operators.batch_rules import elementwise
from .view_shape import alias_vjp, layouts, native


@op(
    dtypes=WIDE,
    view=True,
    linear="self",
    batching=elementwise,
    public="method",
    native=native("alias"),
    name="_fw_primal",
    node="torch::autograd::Identity",
)
def fw_primal(self: Array) -> Any:
    """Alias of a dual tensor's memory: its values."""
    return self[...]


fw_primal.vjp("self")(alias_vjp)
fw_primal.samples(layouts)


@op(
    dtypes=WIDE,
    view=True,
    linear="self",
    batching=elementwise,
    public="method",
    native=native("alias"),
    name="_made_dual",
    node="ViewBackward0",
)
def made_dual(self: Array) -> Any:
    """Alias of a tensor's memory, with the same strides, which gets a tangent."""
    return self[...]


made_dual.vjp("self")(alias_vjp)
made_dual.samples(layouts)
