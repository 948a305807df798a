"""What follows from a card: its in-place form."""

from __future__ import annotations

from typing import Any

from .. import door
from ..calls.op import begin_calls
from ..operators.declaration import take_over
from ..tensor.base import bind as bind_to_tensor
from ..writes.inplace import InPlaceOp
from ..writes.rearranged import InPlaceView


def derive_in_place(card: Any, name: str = "", native: Any = None) -> None:
    """Make `name_` (or what `name` says) from an operator; `native` is the native form of its `writer`."""
    made: InPlaceOp = door.new(InPlaceView if card.view else InPlaceOp)
    take_over(made, card)
    made.name = name or card.name + "_"
    made.native = native
    made.functional = card
    if card.view:
        card.nodes.in_place().serve(made)  # those of views have names of their own
    card.in_place = made
    begin_calls(made)
    bind_to_tensor(made.name, made)
