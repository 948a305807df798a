"""The list of a function's calls on arrays, and its replay.

A list works on registers, which hold arrays. An entry takes the arrays of some registers, calls one function, and puts
the resulting arrays into other registers. The memory layout of each result is compared with the recorded one, so that
no entry runs on operands that the list was not recorded for.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import door
from ..calls import dispatch
from ..leaves import accumulate
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor, meta_of, share, wrap_flagged
from ..tensor.meta import AutogradMeta
from ..tensor.storage import Storage, count, next_serials
from . import direct
from .optimiser_steps import visit
from .outputs import build

CALL, WRITE, VIEW, COPY, READ, ADD, GRADS, ISLAND = range(8)
"""Kinds of entries: a call that returns new arrays or views; an in-place operator; a view by offset and strides; a
fresh copy of a constant; a value that Python code read, which must be the same again; a sum in the memory of the first
array; gradients that leaves get; a function of Python that is called as it is, an optimiser's step."""

CONSTANT, NESTED = -1, -2
"""Places of arguments other than registers: a constant, and a sequence of registers and constants."""

LAYOUTS: WeakValueDictionary[Any, Any] = WeakValueDictionary()
"""The layouts that lists use, by dtype, shape and strides."""
SCRATCH = np.zeros(4096, np.uint8)
"""Memory of the arrays of layouts, as far as they are small."""

WRONG_LAYOUT = "the memory layout of a result differs from the recorded one"
DECLINED = "a native function does not support a call that it supported while it was recorded"
OTHER_VALUE = "a value that Python code reads differs from the recorded one"


class Nested:
    """A sequence among the arguments of an entry.

    Attributes:
        places: for each element its register, or CONSTANT.
        values: the constants; None at the places of registers.
        sequence: the type of the sequence, list or tuple.
    """

    places: tuple[int, ...]
    values: tuple[Any, ...]
    sequence: Any

    __slots__ = ("places", "sequence", "values")

    def __init__(self, places: tuple[int, ...], values: tuple[Any, ...], sequence: Any) -> None:
        self.places = places
        self.values = values
        self.sequence = sequence


class Entry:
    """One entry of a list.

    Attributes:
        kind: CALL, WRITE, VIEW, COPY or READ.
        native: the function of arrays, called first; None if there is none.
        op: the operator, whose body runs if `native` declines; None if there is none. For WRITE, the in-place
            operator.
        args: the constants among the arguments.
        places: for each argument its register, CONSTANT or NESTED.
        several: the function returns a sequence.
        outs: the registers of the results, -1 for those that are None.
        layouts: for each result an array of the same dtype, shape and strides, which must not be read. For READ, the
            expected bytes.
        frees: the registers that no later entry needs.
        groups: for WRITE, the number of the storage of each argument that is a register, -1 for others; for GRADS, the
            number of each external tensor that is replaced and not used any more, -1 for others.
        renewals: for GRADS, (leaf, number of its `.grad` as in `groups`, register, version) of 32 bits for each leaf.
        counts: (external tensor, number of writes) for each external tensor that the entry writes to.
        simple: no argument is NESTED.
        constants: CONSTANT for each argument.
        runs_native: a native loop runs the entry.
        lasting: the entry writes to memory that outlives the list.
        draws: the entry draws random numbers from the default generator.
        uncertain: its function may decline some values.
        title: name in explanations and comparisons.
        origin: (code object, offset) of the program's line, or None.
    """

    kind: int
    native: Any
    op: Any
    args: tuple[Any, ...]
    places: tuple[int, ...]
    several: bool
    outs: tuple[int, ...]
    layouts: tuple[Any, ...]
    frees: tuple[int, ...]
    groups: tuple[int, ...]
    renewals: bytes
    counts: tuple[Any, ...]
    simple: bool
    constants: tuple[int, ...]
    lasting: bool
    runs_native: bool
    draws: bool
    uncertain: bool
    title: str
    origin: Any

    __slots__ = (
        "args",
        "constants",
        "counts",
        "draws",
        "frees",
        "groups",
        "kind",
        "lasting",
        "layouts",
        "native",
        "op",
        "origin",
        "outs",
        "places",
        "renewals",
        "runs_native",
        "several",
        "simple",
        "title",
        "uncertain",
    )

    def __init__(self, kind: int, native: Any, op: Any, title: str) -> None:
        self.kind = kind
        self.native = native
        self.op = op
        self.title = title
        self.args = ()
        self.places = ()
        self.several = False
        self.outs = ()
        self.layouts = ()
        self.frees = ()
        self.groups = ()
        self.renewals = b""
        self.counts = ()
        self.simple = True
        self.constants = ()
        self.lasting = False
        self.runs_native = False
        self.draws = False
        self.uncertain = False
        self.origin = None


class Written:
    """Writes of an entry to an external tensor.

    Attributes:
        place: the place of the entry.
        owner: the number of the external tensor.
        number: the number of writes.
    """

    place: int
    owner: int
    number: int

    __slots__ = ("number", "owner", "place")

    def __init__(self, place: int, owner: int, number: int) -> None:
        self.place = place
        self.owner = owner
        self.number = number


class CallList:
    """A list as replays run it.

    Attributes:
        entries: the entries, by their places; they may be built when they are read.
        by_python: those that no native loop runs, None in the places of the others.
        function: `run_calls` of the native kernels, or None: it runs the other entries.
        native: its first argument, the calls.
        offers: for each entry bits of the results that are offered a spare array.
        writes: the writes to external tensors.
        written: the same as (place, tensor, number of writes), numbers of 32 bits.
        stopwatch: runs the list in the place of `run`, and measures times; None if nobody has asked for them.
    """

    entries: Any
    by_python: list[Any]
    function: Any
    native: Any
    offers: bytes
    stopwatch: Any
    writes: list[Any]
    written: bytes

    __slots__ = ("by_python", "entries", "function", "native", "offers", "stopwatch", "writes", "written")

    def __init__(self, entries: Any) -> None:
        self.entries = entries
        self.by_python = list(entries)
        self.function = self.native = self.stopwatch = None
        self.offers = self.written = b""
        self.writes = []


def run(calls: CallList, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]) -> int:
    """Run a list.

    Args:
        calls: the list.
        values: the registers; those of external tensors are filled.
        owners: the external tensors, whose writes are counted.
        built, storages: as in `build`.

    Returns:
        -1, or the index of the entry that could not run; it and the entries after it have had no effect.
    """
    if calls.stopwatch is not None:
        stopped: int = calls.stopwatch(values, owners, built, storages)
        return stopped
    entry: Entry
    known: Any
    by_python: list[Any] = calls.by_python
    count: int = len(by_python)
    at: int = 0
    first: int
    register: int
    while at < count:
        known = by_python[at]
        if known is None:
            first = at
            at = calls.function(calls.native, values, first)
            if calls.writes:
                count_written(calls, first, at, owners)
            if at == count:
                break
            known = by_python[at] if by_python[at] is not None else calls.entries[at]
        entry = known
        if not run_entry(entry, values, owners, built, storages):
            return at
        for change in entry.counts:
            count_writes(owners[change[0]], change[1])
        for register in entry.frees:
            values[register] = None
        at += 1
    return -1


def run_entry(
    entry: Entry, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]
) -> bool:
    """Run one entry; return whether it ran."""
    if entry.kind == direct.CALL:
        return call(entry, values, current())
    if entry.kind == direct.GRADS:
        assign(entry, values, owners, built, storages)
        return True
    if entry.kind == direct.ISLAND:
        visit(entry.args[2])
        return True
    return step(entry, values, current())


def count_written(calls: CallList, first: int, end: int, owners: list[Any]) -> None:
    """Count the writes of the entries from `first` to `end` to external tensors."""
    if not slots.taping and direct.count_writes(calls.written, first, end, owners):
        return
    change: Written
    for change in calls.writes:
        if first <= change.place < end:
            count_writes(owners[change.owner], change.number)


def count_writes(owner: Tensor, number: int) -> None:
    """Count writes to an external tensor."""
    for _ in range(number):
        count(owner._storage_)


def assign(entry: Entry, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]) -> None:
    """Set the `.grad` of leaves."""
    leaf: int
    before: int
    count: int = len(entry.groups)
    if count and direct.renew(entry.renewals, values, owners, Tensor, next_serials(count)):
        return
    at: int = 0
    for leaf, description in entry.args:
        meta: AutogradMeta = meta_of(owners[leaf])
        before = entry.groups[at] if count else -1
        if before >= 0:
            if direct.renew(entry.renewals[16 * at : 16 * at + 16], values, owners, Tensor, next_serials(1)):
                at += 1
                continue
            if meta.grad is owners[before]:
                owners[before] = None
        at += 1
        meta.grad = build(description, values, owners, built, storages)


def call(entry: Entry, values: list[Any], modes: Modes) -> bool:
    """Run an entry that returns new arrays; return whether it ran."""
    result: Any = NotImplemented
    if entry.native is not None:
        if entry.simple:
            result = direct.on_registers(entry.native, entry.args, entry.places, values)
        else:
            result = direct.on_registers(entry.native, arguments(entry, values), entry.constants, values)
    if result is NotImplemented:
        if entry.op is None:
            return False
        result = dispatch.computed_by_body(entry.op, tensors(entry, values), modes)
    return stored(entry, values, result)


def step(entry: Entry, values: list[Any], modes: Modes) -> bool:
    """Run an entry of another kind than CALL; return whether it ran."""
    if entry.kind == WRITE:
        entry.op.complete(tensors(entry, values), 0, modes)
        return True
    if entry.kind == VIEW:
        return stored(entry, values, strided(values[entry.places[0]], *entry.args[1:]))
    if entry.kind == COPY:
        return stored(entry, values, copy_of(entry.args[0]))
    if entry.kind == ADD:
        accumulate.add_quietly(values[entry.places[0]], values[entry.places[1]], modes)
        return True
    known: bytes = entry.layouts[0]
    if entry.native is None:
        return bytes_of(values[entry.places[0]]) == known
    return bytes_of(np.array(entry.native(*arguments(entry, values)))) == known


def bytes_of(array: Any) -> bytes:
    """Return the values of an array as bytes, in the order of its dimensions."""
    return array.tobytes()


def arguments(entry: Entry, values: list[Any]) -> tuple[Any, ...]:
    """Return the arguments of an entry, with the arrays of registers."""
    result: list[Any] = list(entry.args)
    places: tuple[int, ...] = entry.places
    place: int
    for at in range(len(places)):
        place = places[at]
        if place >= 0:
            result[at] = values[place]
        elif place == NESTED:
            result[at] = sequence_of(entry.args[at], values)
    return tuple(result)


def sequence_of(nested: Nested, values: list[Any]) -> list[Any]:
    """Return the arrays and constants of a sequence."""
    result: list[Any] = list(nested.values)
    place: int
    for at in range(len(nested.places)):
        place = nested.places[at]
        if place >= 0:
            result[at] = values[place]
    return result


def tensors(entry: Entry, values: list[Any]) -> tuple[Any, ...]:
    """Return the arguments of an entry, with new tensors for arrays; they share storages as recorded.

    A register that is given twice is one tensor: a write may read its target where it may not read parts of it.
    """
    result: list[Any] = list(entry.args)
    places: tuple[int, ...] = entry.places
    storages: dict[int, Any] = {}
    known: dict[int, Any] = {}
    place: int
    group: int
    for at in range(len(places)):
        place = places[at]
        if place >= 0:
            group = entry.groups[at] if entry.groups else -1
            if group < 0:
                result[at] = wrap_flagged(values[place], 0)
            elif place in known:
                result[at] = known[place]
            else:
                if group not in storages:
                    storages[group] = Storage(values[place])
                result[at] = known[place] = share(values[place], storages[group])
        elif place == NESTED:
            result[at] = sequence_of_tensors(entry.args[at], values)
    return tuple(result)


def sequence_of_tensors(nested: Nested, values: list[Any]) -> Any:
    """Return the tensors and constants of a sequence."""
    result: list[Any] = list(nested.values)
    place: int
    for at in range(len(nested.places)):
        place = nested.places[at]
        if place >= 0:
            result[at] = wrap_flagged(values[place], 0)
    return nested.sequence(result)


def stored(entry: Entry, values: list[Any], result: Any) -> bool:
    """Put the results of an entry into their registers; return whether they have the recorded layouts."""
    outs: tuple[int, ...] = entry.outs
    layouts: tuple[Any, ...] = entry.layouts
    register: int
    if not entry.several:
        register = outs[0]
        if not has_layout(result, layouts[0]):
            return False
        values[register] = result
        return True
    if len(result) != len(outs):
        return False
    for at in range(len(outs)):
        register = outs[at]
        if register < 0:
            continue
        if not has_layout(result[at], layouts[at]):
            return False
        values[register] = result[at]
    return True


def has_layout(array: Any, layout: Any) -> bool:
    """Return whether an array has the dtype, shape and strides of another one."""
    return direct.has_layout(array, layout)


def layout_of(array: Any) -> Any:
    """Return an array of the same dtype, shape and strides without memory of that size; it must not be read.

    Arrays of one layout share it, since most results of a list have one of few layouts.
    """
    key = array.dtype, array.shape, array.strides
    layout = LAYOUTS.get(key)
    if layout is None:
        layout = LAYOUTS[key] = on_scratch(array) if fits_scratch(array) else new_layout(array)
    return layout


def fits_scratch(array: Any) -> bool:
    """Return whether an array, moved there, would end in `SCRATCH`."""
    if array.size == 0 or min(array.strides, default=0) < 0:
        return False
    last: int = sum([(length - 1) * step for length, step in zip(array.shape, array.strides)])
    return last + array.itemsize <= len(SCRATCH)


def on_scratch(array: Any) -> Any:
    """Return an array of the same dtype, shape and strides on `SCRATCH`: it takes 150 bytes, `new_layout` 500."""
    return np.ndarray(array.shape, array.dtype, SCRATCH, 0, array.strides)


def new_layout(array: Any) -> Any:
    """Return `layout_of` an array as an array of its own."""
    return np.lib.stride_tricks.as_strided(np.empty((), array.dtype), array.shape, array.strides)


def copy_of(array: Any) -> Any:
    """Return a copy of an array with the same strides, also if elements share memory."""
    if array.size == 0:
        return new_layout(array)
    result = array.copy("K")
    if result.strides == array.strides:
        return result
    first = sum([(length - 1) * -step for length, step in zip(array.shape, array.strides) if step < 0])
    last = sum([(length - 1) * step for length, step in zip(array.shape, array.strides) if step > 0])
    memory = np.empty(first + last + array.itemsize, np.uint8)
    result = np.ndarray(array.shape, array.dtype, memory, first, array.strides)
    result[...] = array
    return result


def strided(array: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
    """Return a view of the memory of an array at a byte offset from its first element; None if impossible.

    The memory must be that of a contiguous array, and contain all elements of the view.
    """
    whole: Any = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    start = door.address_of(array) - door.address_of(whole) + offset
    try:
        return np.ndarray(shape, dtype, whole, start, strides)
    except (TypeError, ValueError, BufferError):
        return None
