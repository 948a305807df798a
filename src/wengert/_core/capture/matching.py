"""Comparison of a tape of a followed function with a pattern: what equal tapes have in common."""

from __future__ import annotations

import struct
from typing import Any

from .. import door
from ..graph.node import Edge
from ..operators.declaration import Declaration
from ..tensor import tapes
from ..tensor.base import Tensor
from ..tensor.tapes import Tape
from .comparing import same_constants
from .segments import Connections
from .signatures import holds

CONSTANT, NESTED = -1, -2
"""In the place of an argument: a constant; a sequence of tensors and constants."""
FIRST = -3
"""Results have the places FIRST, FIRST - 1, ...; places from 0 on are those of external tensors."""
PLACES = (CONSTANT, NESTED, FIRST)
"""The same numbers: a C variable of the compiled build has no name in Python."""
NOWHERE = -1
"""In the place of a register: there is none yet."""
FEW = 8
"""Number of external tensors that require a gradient up to which they are compared one by one."""


class ExpectedCall:
    """One call of a pattern.

    Attributes:
        op: the operator.
        places: the places of the arguments.
        numbers: the places as numbers of 32 bits.
        facts: numbers and constants.
        constants: the arguments, None in the place of tensors; of a sequence (places, constants, type).
        outside: the places of the external tensors among them, also in sequences, as numbers of 32 bits.
        layout: an array with the layout of the result, or a tuple of them.
        shares: the result shares memory, or there are several.
        number: the number of the result, or of the first one, among those of all calls.
        register: the place of its array among the values of the pattern.
        is_short: all arguments from the third on are the defaults, and it saves no copies.
        following: the next call, or None.
        tail: the plan if the call may have to save a copy of an input, see `dispatch.saves_tail`; or None.
        is_native: it runs natively.
        is_kept: its result is kept for the next round.
        taken: of a view that is kept, what it was taken of, see `kept.origin_of`; or None.
    """

    op: Declaration
    places: tuple[int, ...]
    numbers: bytes
    facts: tuple[Any, ...]
    constants: tuple[Any, ...]
    outside: bytes
    layout: Any
    shares: bool
    number: int
    register: int
    is_short: bool
    following: Any
    tail: Any
    is_native: bool
    is_kept: bool
    taken: Any

    __slots__ = (
        "constants",
        "facts",
        "following",
        "is_kept",
        "is_native",
        "is_short",
        "layout",
        "number",
        "numbers",
        "op",
        "outside",
        "places",
        "register",
        "shares",
        "tail",
        "taken",
    )

    def __init__(
        self, op: Declaration, places: tuple[int, ...], constants: tuple[Any, ...], layout: Any, number: int
    ) -> None:
        self.op = op
        self.places = places
        self.numbers = in_32_bits(places)
        self.constants = constants
        self.facts = self.numbers, constants
        self.outside = in_32_bits(outside_of(places, constants))
        self.layout = layout
        self.number = number
        self.register = NOWHERE
        self.shares = self.is_native = self.is_kept = self.is_short = False
        self.tail = self.taken = self.following = None


def in_32_bits(numbers: tuple[int, ...]) -> bytes:
    """Return numbers as numbers of 32 bits."""
    return struct.pack(f"{len(numbers)}i", *numbers)


def outside_of(places: tuple[int, ...], constants: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the places of the external tensors among arguments, also in sequences."""
    outside: list[int] = []
    for place, value in zip(places, constants):
        if place >= 0:
            outside.append(place)
        elif place == NESTED:
            outside += outside_of(value[0], value[1])
    return tuple(outside)


class Pattern:
    """What equal tapes have in common.

    Attributes:
        expected: the calls; `first` is the first of them.
        guards: the guards of the external tensors.
        words: their flags, as numbers of 32 bits.
        required: the external tensors that require a gradient.
        root: the number of the result from which gradients come.
        order: which sources the inputs of the latest pass by a list alone were; None before.
        ends: for each result its (step, output number) in the graph; None if it is not recorded.
        spaces: for each result the shape and dtype of its gradient, or None.
        unused: (number, how often calls hold it, how often views hold it) of the recorded results that the root does
            not depend on.
        kept: the places of the tensors whose arrays the node keeps.
        same: pairs of places of tensors that have the same array.
        graph: the graph.
        cached: for each result the tensor that is kept for the next round, or None; None if calls are not predicted.
        calls, handle: the native calls, and what runs one of them, see `direct.handle_of`.
        values: the arrays of the external tensors, then those of the results.
        is_busy: a tape is compared with it call by call.
        next: the pattern of the next tape in the last call of the function, or None.
        matches: the number of tapes that it has matched.
        failures: the number of them after which other results than the root were alive.
    """

    expected: list[Any]
    first: Any
    guards: list[Any]
    words: bytes
    required: tuple[int, ...]
    root: int
    order: Any
    ends: tuple[Any, ...]
    kept: tuple[int, ...]
    same: tuple[Any, ...]
    spaces: tuple[Any, ...]
    unused: tuple[Any, ...]
    graph: Connections
    cached: list[Any]
    calls: Any
    handle: Any
    values: list[Any]
    is_busy: bool
    next: Any
    matches: int
    failures: int

    __slots__ = (
        "cached",
        "calls",
        "ends",
        "expected",
        "failures",
        "first",
        "graph",
        "guards",
        "handle",
        "is_busy",
        "kept",
        "matches",
        "next",
        "order",
        "required",
        "root",
        "same",
        "spaces",
        "unused",
        "values",
        "words",
    )


class Match:
    """A tape that is compared with a pattern.

    Attributes:
        tape: the tape.
        externals: the external tensors, None for those that have not been met yet.
        results: the results of the calls so far.
    """

    tape: Tape
    externals: list[Any]
    results: list[Any]

    __slots__ = ("externals", "results", "tape")


def new_match(tape: Tape, count: int) -> Match:
    """Return a match of a tape with a pattern of `count` external tensors, none of which is known yet."""
    match: Match = Match.__new__(Match)
    match.tape = tape
    match.externals = [None] * count
    match.results = []
    return match


def references_of_one_holder() -> int:
    """Return the number of references to an object that one list holds, with that of the variable that refers to it."""
    holder: list[Any] = [Edge(None, 0, (), None)]  # type: ignore[arg-type]
    edge: Edge = holder[0]
    return int(door.references(edge))


HOLDERS = references_of_one_holder()
"""Number of references to an object that one list holds, and the variable by which it is looked at."""


def fits(pattern: Pattern, match: Match) -> bool:
    """Return whether a tape matches a pattern; note its external tensors and its results."""
    calls: list[Any] = match.tape.calls
    results: list[Any] = match.results
    if len(calls) != tapes.FIELDS * len(pattern.expected):
        return False
    place: int = 0
    expected: ExpectedCall
    for expected in pattern.expected:
        if calls[place] is not expected.op:
            return False
        if not fit(pattern, match, expected.places, expected.constants, calls[place + 1]):
            return False
        if not are_laid_out(calls[place + 2], expected.layout):
            return False
        if expected.op.several:
            results += calls[place + 2]
        else:
            results.append(calls[place + 2])
        place += tapes.FIELDS
    return are_distinct(pattern, match) and are_same(pattern, match) and are_unused(pattern, match, False)


def are_laid_out(result: Any, layout: Any) -> bool:
    """Return whether the result of a call, or each of several, has the layout of an array."""
    if not isinstance(layout, tuple):
        return not isinstance(result, tuple) and is_laid_out(result, layout)
    if not isinstance(result, tuple) or len(result) != len(layout):
        return False
    for nr in range(len(layout)):
        if not is_laid_out(result[nr], layout[nr]):
            return False
    return True


def fit(pattern: Pattern, match: Match, places: tuple[int, ...], constants: tuple[Any, ...], args: Any) -> bool:
    """Return whether the arguments of one call are those at some places, and some constants."""
    externals: list[Any] = match.externals
    place: int
    if len(args) != len(places):
        return False
    for at in range(len(places)):
        place = places[at]
        value: Any = args[at]
        if place >= 0:
            if externals[place] is not value and (
                externals[place] is not None or not bind(pattern, match, place, value)
            ):
                return False
        elif place <= FIRST:
            if match.results[FIRST - place] is not value:
                return False
        elif place == CONSTANT:
            if constants[at] is not value and not is_equal(constants[at], value):
                return False
        elif type(value) is not constants[at][2] or not fit(pattern, match, constants[at][0], constants[at][1], value):
            return False
    return True


def bind(pattern: Pattern, match: Match, place: int, value: Any) -> bool:
    """Take a tensor as an external one; return whether it can be."""
    if not isinstance(value, Tensor) or not holds(pattern.guards[place], value):
        return False
    tensor: Tensor = value
    if tensor._edge_ is not None and tensor._edge_.node is match.tape:
        return False
    match.externals[place] = value
    return True


def are_distinct(pattern: Pattern, match: Match) -> bool:
    """Return whether the external tensors that require a gradient are all different."""
    required: tuple[int, ...] = pattern.required
    externals: list[Any] = match.externals
    if len(required) > FEW:
        return len({id(externals[place]) for place in required}) == len(required)
    for at in range(len(required)):
        for other in range(at):
            if externals[required[at]] is externals[required[other]]:
                return False
    return True


def are_same(pattern: Pattern, match: Match) -> bool:
    """Return whether the tensors that had the same memory have the same memory again."""
    for place, other in pattern.same:
        if door.address_of(array_at(place, match)) != door.address_of(array_at(other, match)):
            return False
    return True


def are_unused(pattern: Pattern, match: Match, predicted: bool) -> bool:
    """Return whether only the tape holds the recorded results that the root does not depend on.

    Args:
        predicted: the tape has been compared call by call, and does not hold the arguments.
    """
    result: Tensor
    for number, by_calls, by_views in pattern.unused:
        result = match.results[number]
        if door.references(result) > (by_views if predicted else by_calls) + HOLDERS:
            return False
    return True


def array_at(place: int, match: Match) -> Any:
    """Return the array of a tensor at a place."""
    tensor: Tensor = match.externals[place] if place >= 0 else match.results[FIRST - place]
    return tensor._array_


def is_laid_out(tensor: Tensor, layout: Any) -> bool:
    """Return whether a tensor has the layout of an array."""
    array: Any = tensor._array_
    return door.is_ndarray(array) and door.share_space(array, layout) and door.is_laid_like(array, layout)


def is_equal(one: Any, other: Any) -> bool:
    """Return whether two constants are equal, of one type, with equal signs of zeros."""
    kind: Any = type(one)
    if kind is not type(other):
        return False
    if kind is int or kind is str or kind is bool:
        return bool(one == other)
    if kind is float:
        return bool(one == other and (one != 0.0 or str(one) == str(other)))
    if kind is tuple or kind is list:
        if len(one) != len(other):
            return False
        for at in range(len(one)):
            if one[at] is not other[at] and not is_equal(one[at], other[at]):
                return False
        return True
    return same_constants(one, other)
