"""Descriptions of entries for the native loop that runs them, `run_calls` of `_kernels/native/replay`."""

from __future__ import annotations

from collections.abc import Iterable
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from ..bits import bit
from ..tensor import slots
from .lists import ADD, CALL, COPY, NESTED, READ, VIEW, WRITE, CallList, Entry, Written
from .packed import PackedEntries, share_constants
from .recorder import whole_of

RETURNS, WRITES, COMPARES_BYTES, COMPARES_RESULT, COPIES, VIEWS = range(6)
"""Kinds of native calls, in the order of `CallKind` in `replay/calls.hpp`."""
TRUTHS = {np.array(False).tobytes(): False, np.array(True).tobytes(): True}
"""The values that a decision can have."""
SMALL = 1 << 17
"""Bytes from which on memory of results is kept by the native allocator itself."""


def call_list(entries: list[Any], arrays: list[Any], wanted: set[int], natives: Any) -> CallList:
    """Return the list that replays run.

    Args:
        entries: the entries.
        arrays: the arrays that the registers had in the recording.
        wanted: the registers of results that the engine may take over.
        natives: the native functions `replay_calls` and `run_calls`, or None.
    """
    calls = CallList(entries)
    if natives is None:
        return calls
    replay_calls, calls.function = natives
    share_constants(entries)
    add: Any = slots.OPERATORS.iadd
    spares = spare_numbers(entries, arrays, wanted)
    known = descriptions(entries, spares, add.native)
    for entry, known_call in zip(entries, known):
        entry.runs_native = known_call is not None
    calls.entries = PackedEntries(entries)
    calls.by_python = [None if entry.runs_native else entry for entry in entries]
    movable = bytes(map(is_movable, entries))
    calls.native, calls.offers = replay_calls(known, len(arrays), movable), bytes(map(offers_of, spares))
    writes = [(at, *change) for at, entry in enumerate(entries) for change in entry.counts]
    calls.writes, calls.written = [Written(*write) for write in writes], np.array(writes, np.int32).tobytes()
    return calls


def build_calls(known: Any) -> None:
    """Build the list that replays run, of a `Captured` or a `BackwardList`: one that is only compared needs none."""
    known.calls = known.calls()
    known.entries = known.calls.entries


def offers_of(numbers: tuple[int, ...]) -> int:
    """Return bits of the results of an entry that are offered a spare array."""
    return sum([bit(at) for at, number in enumerate(numbers[:8]) if number >= 0])


def alone(entry: Entry, offers: int) -> tuple[int, ...]:
    """Return the numbers of spare arrays of an entry, for a list that holds this entry only."""
    return tuple([at if offers >> at & 1 else -1 for at in range(len(entry.outs))])


def descriptions(entries: Iterable[Any], spares: Iterable[tuple[int, ...]], added: Any) -> tuple[Any, ...]:
    """Return a description of each entry; None for those that a native loop cannot run.

    Args:
        entries: the entries.
        spares: for each entry the numbers of the spare arrays that its results are offered.
        added: the native function that adds an array to another one in place, with a factor.
    """
    return tuple([description(entry, added, numbers) for entry, numbers in zip(entries, spares)])


def description(entry: Entry, added: Any, spares: tuple[int, ...]) -> Any:
    """Return (kind, function, places, constants, several, results, layouts, spares, frees, expected), or None."""
    places, constants = entry.places, entry.args
    if not entry.simple:
        constants = tuple(
            [
                (value.places, value.values) if place == NESTED else value
                for place, value in zip(entry.places, entry.args)
            ]
        )
    common = places, constants, entry.several
    if entry.kind == CALL and is_native(entry.native):
        return RETURNS, entry.native, *common, entry.outs, entry.layouts, spares, entry.frees, None
    if entry.kind == WRITE and is_native(entry.op.native) and entry.op.functional.writer is None and not shares(entry):
        return WRITES, entry.op.native, *common, (), (), (), entry.frees, None
    if entry.kind == ADD:
        return WRITES, added, (*places, -1), (None, None, 1), False, (), (), (), entry.frees, None
    if entry.kind == COPY and is_row_major(entry.args[0]):
        return COPIES, True, (-1,), entry.args[:1], False, entry.outs, entry.layouts, spares, entry.frees, None
    if entry.kind == VIEW:
        return VIEWS, True, places[:2], constants[:2], False, entry.outs, entry.layouts, spares, entry.frees, None
    if entry.kind == READ and entry.native is None:
        return COMPARES_BYTES, None, *common, (), (), (), entry.frees, entry.layouts[0]
    if entry.kind == READ and is_native(entry.native) and entry.layouts[0] in TRUTHS:
        return COMPARES_RESULT, entry.native, *common, (), (), (), entry.frees, TRUTHS[entry.layouts[0]]
    return None


def is_movable(entry: Entry) -> bool:
    """Return whether an entry has no effect but its result, so that it may run earlier or later than others."""
    return entry.kind in (CALL, VIEW, COPY, READ) and not entry.draws and not entry.lasting


def is_row_major(array: Any) -> bool:
    """Return whether an array has the strides of a new one."""
    return array.size > 0 and array.strides == np.empty(array.shape, array.dtype).strides


def is_native(function: Any) -> bool:
    """Return whether a function is built in."""
    return type(function) is BuiltinFunctionType


def shares(entry: Entry) -> bool:
    """Return whether another argument of an in-place operator has the memory of the first one."""
    return entry.groups[0] in entry.groups[1:] or NESTED in entry.places


def spare_numbers(entries: list[Any], arrays: list[Any], wanted: set[int]) -> list[tuple[int, ...]]:
    """Return for each result of each entry the number of the spare arrays that it is offered; -1 for none.

    Results of one dtype, shape and strides share a number if the memory of the first one, with all its views, is not
    used any more when the second one is computed. Results that the engine gets have none: it takes over memory that
    nobody else refers to.
    """
    excluded = {id(whole_of(arrays[register])) for register in wanted}
    remaining: dict[int, int] = {}
    owner_of = [id(whole_of(array)) for array in arrays]
    for owner in owner_of:
        remaining[owner] = remaining.get(owner, 0) + 1
    free: dict[Any, list[int]] = {}
    number_of: dict[int, tuple[int, Any]] = {}
    numbers = []
    for entry in entries:
        numbers_of_entry = []
        for register in entry.outs:
            numbers_of_entry.append(-1)
            if entry.kind in (CALL, COPY) and register >= 0 and is_offered(arrays[register], excluded):
                array = arrays[register]
                excluded.add(id(array))
                layout = array.dtype, array.shape, array.strides
                numbers_of_entry[-1] = free[layout].pop() if free.get(layout) else len(number_of)
                number_of[id(array)] = numbers_of_entry[-1], layout
        for register in entry.frees:
            owner = owner_of[register]
            remaining[owner] -= 1
            if not remaining[owner] and owner in number_of:
                known, layout = number_of[owner]
                free.setdefault(layout, []).append(known)
        numbers.append(tuple(numbers_of_entry))
    return numbers


def is_offered(array: Any, excluded: set[int]) -> bool:
    """Return whether the memory of a result may be used again: it is new and small, and row-major or column-major.

    Args:
        array: the result.
        excluded: the identities of arrays whose memory may not be used again, or that an earlier entry has returned.
    """
    owns = array.base is None and array.flags.owndata and id(array) not in excluded
    return owns and array.flags.forc and array.nbytes < SMALL
