"""The reverse rules of an operator, and the values that a call has to save for those that will run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import errors
from . import sources
from .declaration import Declaration


class Rule:
    """A reverse rule.

    Attributes:
        fn: called with the gradient and the values that `names` lists.
        slots: the differentiable parameters that it serves (indices into `grad_slots`).
        native: the native function of the plain case, or None: called as `fn`, with arrays in place of tensors and a
            list in place of several gradients, it returns new arrays or views of the gradient's (with several gradients
            no views), or NotImplemented.
        partial: `fn` returns the partial derivative; the gradient is multiplied by its conjugate.
        passes: `fn` returns the gradient itself, unless the one argument that it names is something other than 1.
        single: `fn` returns one gradient rather than a tuple, for `slot`.
    """

    fn: Any
    native: Any
    names: tuple[Any, ...]
    slots: tuple[Any, ...]
    partial: bool
    passes: bool
    single: bool
    slot: int

    __slots__ = ("fn", "names", "native", "partial", "passes", "single", "slot", "slots")
    __reduce__ = errors.refuse_pickling

    def __init__(self, fn: Callable[..., Any], names: tuple[str, ...], slots: tuple[int, ...], partial: bool) -> None:
        self.fn = fn
        self.native = None
        self.names = names
        self.slots = slots
        self.partial = partial
        self.passes = False
        self.single = len(slots) == 1
        self.slot = slots[0]


class Plan:
    """The values to save and the rules to run, for one choice of the parameters that need a gradient.

    Attributes:
        names, sources, positions: the saved values: name, kind, and the position that the kind refers to.
        rules, arguments: the rules with the indices of their arguments among the saved values.
        wanted: for each differentiable parameter whether it needs a gradient.
        frees: some saved value is a tensor.
        narrows: some saved value is `wanted`, which a pass that spares gradients narrows.
        tail: that of the operator.
        mask: the choice, as bits.
    """

    names: tuple[Any, ...]
    sources: tuple[Any, ...]
    positions: tuple[Any, ...]
    rules: tuple[Any, ...]
    arguments: tuple[Any, ...]
    wanted: tuple[Any, ...]
    frees: bool
    narrows: bool
    tail: Any
    mask: int

    __slots__ = ("arguments", "frees", "mask", "names", "narrows", "positions", "rules", "sources", "tail", "wanted")
    __reduce__ = errors.refuse_pickling


def plan_for(op: Declaration, mask: int) -> Plan:
    """The plan for the parameters in `mask` (bit i: the i-th of `grad_slots`), built on first use."""
    plan: Plan = op.latest_plan
    if plan is None or plan.mask != mask:
        plan = op.plans.get(mask)
        if plan is None:
            plan = make_plan(op, mask)
        op.latest_plan = plan
    return plan


def make_plan(op: Declaration, mask: int) -> Plan:
    """The plan for the parameters in `mask` (bit i: the i-th of `grad_slots`)."""
    plan: Plan = Plan.__new__(Plan)
    plan.mask = mask
    plan.wanted = tuple((mask >> at) & 1 == 1 for at in range(len(op.grad_slots)))
    names: list[str] = []
    rules: list[Rule] = []
    arguments: list[tuple[int, ...]] = []
    rule: Rule
    for rule in op.rules:
        if any(plan.wanted[slot] for slot in rule.slots):
            names += [name for name in rule.names if name not in names]
            rules.append(rule)
    for rule in rules:
        arguments.append(tuple(names.index(name) for name in rule.names))
    located = [locate(op, name) for name in names]
    plan.names = tuple(names)
    plan.rules = tuple(rules)
    plan.arguments = tuple(arguments)
    plan.sources = tuple(source for source, _ in located)
    plan.positions = tuple(position for _, position in located)
    plan.frees = any(source in (sources.FROM_INPUT, sources.FROM_OUTPUT) for source in plan.sources)
    plan.tail = op.tail
    plan.narrows = sources.FROM_WANTED in plan.sources
    op.plans[mask] = plan
    return plan


def locate(op: Declaration, name: str) -> tuple[int, int]:
    """Return the source of a rule's argument, as (kind, position).

    Raises:
        TypeError: if nothing has that name.
    """
    if name in op.names:
        position = op.names.index(name)
        return (sources.FROM_PLAIN if op.kinds[position] == sources.PLAIN else sources.FROM_INPUT), position
    if name == "out":
        return sources.FROM_OUTPUT, 0
    if name in op.output_names:
        return sources.FROM_OUTPUT, op.output_names.index(name)
    if name == "wanted":
        return sources.FROM_WANTED, 0
    endings = (
        ("_shape", sources.FROM_SHAPE),
        ("_dtype", sources.FROM_DTYPE),
        ("_strides", sources.FROM_STRIDES),
        ("_tail", sources.FROM_TAIL),
    )
    for suffix, source in endings:
        if name.endswith(suffix) and name[: -len(suffix)] in op.names:
            return source, op.names.index(name[: -len(suffix)])
    valid = [*op.names, "out", *op.output_names, "wanted", *(f"{operand}_shape" for operand in op.names)]
    raise TypeError(f"a rule of {op.name} asks for '{name}'; valid names are {', '.join(valid)}")
