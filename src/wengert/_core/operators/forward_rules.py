"""The forward rules of an operator: the tangent of a result from the tangents of inputs.

The share of an input is the operator itself if it is linear in the input, the partial derivative times the tangent, or
the result of a rule of the card (`@card.jvp`). An elementwise operator needs no forward rule: its derivative is one
number for each element, by which the reverse rule multiplies the (conjugate) gradient.
"""

from __future__ import annotations

from typing import Any

from .. import errors, forward_errors
from ..bits import bit
from .declaration import Declaration
from .rules import Rule, locate

LINEAR, PARTIAL, WRITTEN, MIRRORED = range(4)
"""Computation of a share: by the operator; from a partial derivative; by a forward rule; by the reverse rule."""


class Share:
    """Contribution of the tangents of some inputs to the tangent of the result.

    Attributes:
        way: LINEAR, PARTIAL, WRITTEN or MIRRORED.
        fn: the rule.
        slots: the differentiable parameters whose tangents it takes (indices into `forward_slots`).
        part: the index of the parameter's gradient among those that a reverse rule returns; -1 if it returns one.
        sources, positions: its other arguments, see `rules.Plan`.
    """

    way: int
    fn: Any
    slots: tuple[Any, ...]
    part: int
    sources: tuple[Any, ...]
    positions: tuple[Any, ...]

    __slots__ = ("fn", "part", "positions", "slots", "sources", "way")
    __reduce__ = errors.refuse_pickling

    def __init__(self, op: Declaration, way: int, rule: Rule, slots: tuple[int, ...]) -> None:
        self.way = way
        self.fn = rule.fn
        self.slots = slots
        self.part = -1 if rule.single else rule.slots.index(slots[0])
        located = [locate(op, name) for name in rule.names]
        self.sources = tuple([source for source, _ in located])
        self.positions = tuple([position for _, position in located])


def shares_for(op: Any, mask: int) -> tuple[Share, ...]:
    """The shares of the parameters in `mask` (bit i: the i-th of `forward_slots`), built on first use.

    Raises:
        NotImplementedError: if the card does not say how the operator is differentiated forward.
    """
    shares: Any = op.shares.get(mask)
    if shares is None:
        shares = make_shares(op, mask)
        op.shares[mask] = shares
    return shares


def make_shares(op: Any, mask: int) -> tuple[Share, ...]:
    """The shares of the parameters in `mask`."""
    shares: list[Share] = []
    rest: int = mask
    rule: Rule
    for rule in op.forward_rules:
        served: int = bits_of(rule.slots)
        if rest & served:
            shares.append(Share(op, WRITTEN, rule, rule.slots))
            rest &= ~served
    for slot in range(len(op.forward_slots)):
        if rest >> slot & 1:
            shares.append(derived_share(op, slot))
    return tuple(shares)


def bits_of(slots: tuple[int, ...]) -> int:
    """A mask of these parameters."""
    mask: int = 0
    for slot in slots:
        mask |= bit(slot)
    return mask


def derived_share(op: Any, slot: int) -> Share:
    """The share of one parameter, derived from the rules for reverse mode.

    Raises:
        NotImplementedError: if no rule for reverse mode determines the derivative.
    """
    name: str = op.names[op.forward_slots[slot]]
    rule: Rule
    if name in op.refused:
        raise NotImplementedError(forward_errors.no_forward_rule(op.name, name))
    if name in op.linear:
        return Share(op, LINEAR, Rule(None, (), (slot,), False), (slot,))
    if op.partial_rules and name in op.partial_rules:
        return Share(op, PARTIAL, op.partial_rules[name], (slot,))
    for rule in op.rules:
        if slot in rule.slots and op.promotion is not None and op.allows_larger:
            return Share(op, MIRRORED, rule, (slot,))
    raise NotImplementedError(forward_errors.no_forward_rule(op.name, name))


def is_derived(op: Any, slot: int) -> bool:
    """Return whether a forward rule exists for a parameter, on its card or derived."""
    try:
        shares_for(op, bit(slot))
    except NotImplementedError:
        return False
    return True
