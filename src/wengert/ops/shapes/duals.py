"""The memory of dual tensors: what gets a tangent, and what is given back without one."""

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
    """The same memory once more: the values of a dual tensor."""
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
    """The same memory once more, every stride as it is: the tensor that gets a tangent."""
    return self[...]


made_dual.vjp("self")(alias_vjp)
made_dual.samples(layouts)
