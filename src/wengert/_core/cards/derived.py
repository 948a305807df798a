"""What follows from a card: its in-place form."""

from __future__ import annotations

from typing import Any

from .. import door
from ..calls.op import begin_calls
from ..operators.declaration import Declaration
from ..recording.recorded import node_class
from ..tensor.base import bind as bind_to_tensor
from ..writes.inplace import InPlaceOp
from ..writes.rearranged import InPlaceView


def derive_in_place(card: Any, name: str = "") -> None:
    """Make `name_` (or what `name` says) from an operator."""
    made: InPlaceOp = door.new(InPlaceView if card.view else InPlaceOp)
    for field in Declaration.__slots__:
        if hasattr(card, field):
            setattr(made, field, getattr(card, field))
    made.name = name or card.name + "_"
    made.native = None
    made.functional = card
    if card.view:
        name_nodes_in_place(card, made)
    card.in_place = made
    begin_calls(made)
    bind_to_tensor(made.name, made)


def name_nodes_in_place(card: Any, made: InPlaceOp) -> None:
    """Nodes of views taken in place have names of their own, as torch's: `TransposeBackward1`."""
    count, choose = len(card.node_classes), card.choose_node
    own = {each: node_class(f"{each.__name__.rstrip('0123456789')}{at + count}", True)
           for at, each in enumerate(card.node_classes)}  # fmt: skip
    card.node_classes = [*card.node_classes, *own.values()]
    made.node_class = own[card.node_class]
    made.choose_node = None if choose is None else lambda args: own[choose(args)]
