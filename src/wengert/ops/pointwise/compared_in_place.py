"""In-place comparisons: the operands are promoted, 0 and 1 are written in any dtype, and there is no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.dispatch import run_kernel, unwrap
from ..._core.cards.card import WIDE, Array, Card, nodes, op
from ..._core.cards.forms import form_of
from ..._core.cards.late import bind
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.choices import second_is_tensor
from ..._core.state.modes import current
from ..._core.tensor.base import wrap
from ..._core.types.sizes import broadcast
from .compare import eq, ge, gt, le, lt, ne


def add_in_place_form(card: Card, *names: str) -> None:
    """Add the in-place form of a comparison to Tensor."""

    def body(self: Array, other: Array) -> Any:
        broadcast(self.shape, np.shape(other))
        second = wrap(other) if isinstance(other, np.ndarray) else other
        return run_kernel(card, unwrap(card, (wrap(self), second)), current())

    body.__doc__ = card.body.__doc__
    node = f"{card.name.capitalize()}Backward"
    written: Any = op(
        name=card.name,
        public="hidden",
        inplace=True,
        takes_halves=True,
        larger=True,
        numbers="other",
        layout="iterator",
        describes=card.describes,
        dtypes=WIDE,
        batching=elementwise,
        native=card.native,
        node=nodes(f"{node}0", f"{node}1", by=second_is_tensor),
    )(body)
    for operand in ("self", "other"):
        written.vjp(operand)(no_slope)
        written.jvp(operand)(no_tangent)
    card.in_place = written.in_place
    for name in names:
        bind(name, form_of(card.in_place, name) if name != card.in_place.name else card.in_place)


def no_slope(grad: Any) -> Any:
    return grad.new_zeros(grad.shape)


def no_tangent(tangent: Any) -> None:
    return None


add_in_place_form(eq, "eq_")
add_in_place_form(ne, "ne_", "not_equal_")
add_in_place_form(lt, "lt_", "less_")
add_in_place_form(le, "le_", "less_equal_")
add_in_place_form(gt, "gt_", "greater_")
add_in_place_form(ge, "ge_", "greater_equal_")
