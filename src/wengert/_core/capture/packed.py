"""Entries of a list as numbers: an `Entry` takes 650 to 850 bytes, these about 20.

The native loop has its own description of the entries that it runs. Those entries are needed again only where a native
function declines, in a verification, and for explanations.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .lists import CONSTANT, READ, Entry
from .signatures import flattened


class PackedEntries:
    """The entries of a list; those that are packed are built anew each time that they are read.

    Attributes:
        whole: the entries that are not packed, by their places.
        forms: what entries have in common that differ in registers and places in the program only, see `form_of`.
        codes: the code objects of the program.
        numbers: the packed entries, one after another, see `pack`.
        starts: for each entry where its numbers begin, -1 if it is not packed.
    """

    whole: dict[int, Entry]
    forms: list[Any]
    codes: list[Any]
    numbers: array[int]
    starts: array[int]

    __slots__ = ("whole", "codes", "forms", "numbers", "starts")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.whole = {}
        numbers, starts = array("i"), array("i")
        forms: dict[Any, tuple[int, Any]] = {}
        codes: dict[int, tuple[int, Any]] = {}
        for at, entry in enumerate(entries):
            if is_packable(entry):
                starts.append(len(numbers))
                pack(entry, numbers, forms, codes)
            else:
                starts.append(-1)
                self.whole[at] = entry
        self.forms = [form for _, form in forms.values()]
        self.codes = [code for _, code in codes.values()]
        self.numbers, self.starts = narrowed(numbers), narrowed(starts)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, at: int) -> Entry:
        start = self.starts[at]
        return self.whole[at] if start < 0 else self.unpacked(start)

    def __iter__(self) -> Iterator[Entry]:
        return map(self.__getitem__, range(len(self)))

    def unpacked(self, start: int) -> Entry:
        """Return the entry whose numbers begin at `start`."""
        numbers: list[int] = self.numbers[start : start + 4].tolist()
        number, code, offset, frees = numbers
        kind, native, op, title, args, layouts, several, uncertain, constants, *counts = self.forms[number]
        entry = Entry(kind, native, op, title)
        entry.args, entry.layouts, entry.constants = args, layouts, (CONSTANT,) * constants
        entry.several, entry.uncertain, entry.runs_native = several, uncertain, True
        entry.origin = (self.codes[code], offset) if code >= 0 else None
        registers = []
        start += 4
        for count in (*counts, frees):
            registers.append(tuple(self.numbers[start : start + count]))
            start += count
        entry.places, entry.groups, entry.outs, entry.frees = registers
        return entry


def narrowed(numbers: array[int]) -> array[int]:
    """Return numbers in as few bytes as they need."""
    values = np.frombuffer(numbers, np.intc)
    small = values.size == 0 or (values.min() >= -1 << 15 and values.max() < 1 << 15)
    return array("h", values.astype(np.int16).tobytes()) if small else numbers


def is_packable(entry: Entry) -> bool:
    """Return whether an entry can be packed: the native loop runs it, and it has no sequences and no lasting effect."""
    return entry.runs_native and entry.simple and not entry.counts and not entry.lasting and not entry.draws


def share_constants(entries: list[Entry]) -> None:
    """Let entries with equal attributes have the same objects."""
    known: dict[Any, Any] = {}
    entry: Entry
    for entry in entries:
        if len(entry.args) > 0:
            entry.args = known.setdefault(flattened(entry.args, []), entry.args)
        if entry.kind == READ:
            entry.layouts = known.setdefault(entry.layouts, entry.layouts)
        elif len(entry.layouts) == 1:  # `lists.layout_of` returns one object for equal layouts
            entry.layouts = known.setdefault(id(entry.layouts[0]), entry.layouts)
        entry.title = known.setdefault(entry.title, entry.title)


def form_of(entry: Entry) -> tuple[Any, ...]:
    """Return the attributes of an entry that are packed once for several entries."""
    called = entry.kind, entry.native, entry.op, entry.title, entry.args, entry.layouts
    numbers = len(entry.constants), len(entry.places), len(entry.groups), len(entry.outs)
    return *called, entry.several, entry.uncertain, *numbers


def pack(
    entry: Entry, numbers: array[int], forms: dict[Any, tuple[int, Any]], codes: dict[int, tuple[int, Any]]
) -> None:
    """Append the numbers of an entry: of its form, its line, its registers.

    Args:
        forms: (number, form) of each form, by a key.
        codes: (number, code object) of each code object, by its identity.
    """
    form = form_of(entry)
    key = tuple([value if isinstance(value, int) else id(value) for value in form])
    number, _ = forms.setdefault(key, (len(forms), form))
    line = -1, 0
    if entry.origin is not None:
        code, offset = entry.origin
        line = codes.setdefault(id(code), (len(codes), code))[0], offset
    numbers.extend((number, *line, len(entry.frees)))
    for registers in (entry.places, entry.groups, entry.outs, entry.frees):
        numbers.extend(registers)
