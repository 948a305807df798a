"""The in-place form of an operator, derived from its card."""

from __future__ import annotations

from typing import Any

from .. import door
from ..calls.op import begin_calls
from ..operators.declaration import take_over
from ..writes.inplace import InPlaceOp
from ..writes.rearranged import InPlaceView
from . import late


def derive_in_place(
    card: Any, name: str = "", native: Any = None, renamed: bool = False, by_result: bool = False
) -> None:
    """Derive `name_` (or `name`) from an operator.

    Args:
        native: the native form of its `writer`.
        renamed: its nodes have names of their own, as those of views always have.
        by_result: the result of the native function is copied into the target, however large that is.
    """
    op: InPlaceOp = door.new(InPlaceView if card.view else InPlaceOp)
    take_over(op, card)
    op.name = name or card.name + "_"
    op.native = native
    op.functional = card
    op.by_result = by_result or not card.takes_out
    if card.view or renamed:
        card.nodes.in_place().serve(op)
    card.in_place = op
    begin_calls(op)
    late.bind(op.name, op)


def in_place_form(native: Any) -> Any:
    """The native function that writes the result of another one into its first operand; None if there is none."""
    return getattr(getattr(native, "__self__", None), f"{getattr(native, '__name__', '')}_", None)
