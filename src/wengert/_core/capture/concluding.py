"""Conclusion of a recording: unused entries are left out, and temporary tensors refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door
from ..tensor.base import wrap_flagged
from .lists import CALL, COPY, GRADS, NESTED, VIEW, Entry
from .outputs import registers_of
from .recorder import Recorder, Refusal

NOTHING = -1
"""In the place of the register of a result that is None."""


def refuse_writes(recorder: Recorder) -> None:
    """Refuse a recording with writes that were not noted, or with another reason.

    Raises:
        Refusal: if a replay would not be equivalent to the call.
    """
    for storage, version, *_ in recorder.storages.values():
        if storage.version != version:
            raise Refusal("a tensor is written to by code that is not an operator (`out=`, an optimiser, `.data`)")
    if recorder.reason is not None:
        raise Refusal(recorder.reason)


def refuse_temporary(held: list[Any]) -> None:
    """Refuse tensors on external memory that the function itself created by `detach` or `.data`.

    Only the recording keeps them alive: a replay would read memory that the program may have replaced.
    """
    probe: Any = wrap_flagged(np.zeros(()), 0)
    holders = [probe], [(probe, 0)], [probe]  # as many as hold the tensors
    alone = door.references(probe)
    del probe
    for tensor in held:
        if tensor is not None and door.references(tensor) <= alone:
            raise Refusal("a tensor that is not an argument is read through `detach()` or `.data`")
    del holders


def first_effect(entries: list[Entry]) -> int:
    """Return the index of the first entry whose effect outlives the list, or -1."""
    return next((at for at, entry in enumerate(entries) if entry.lasting), -1)


def uses_of(entry: Entry) -> list[int]:
    """Return the registers that an entry reads."""
    used = [place for place in entry.places if place >= 0]
    if entry.kind == GRADS:
        return [register for _, description in entry.args for register in registers_of(description)]
    if not entry.simple:
        for place, value in zip(entry.places, entry.args):
            if place == NESTED:
                used += [inner for inner in value.places if inner >= 0]
    return used


def is_view(entry: Entry) -> bool:
    """Return whether an entry takes a view, and does nothing else."""
    return entry.kind == VIEW or (entry.kind == CALL and entry.op is not None and bool(entry.op.view))


def without_repeated_views(entries: list[Entry]) -> list[Entry]:
    """Return a list without views that are already in their registers: of the same memory, with the same strides."""
    filled: set[int] = set()
    kept: list[Entry] = []
    entry: Entry
    for entry in entries:
        if not (is_view(entry) and filled.issuperset(entry.outs)):
            kept.append(entry)
        filled.update(entry.outs)
    return kept


def shortened(entries: list[Entry], wanted: set[int]) -> tuple[list[Entry], set[int]]:
    """Return a list without unused views and constants; note the last use of each register.

    Returns:
        The list; its registers.
    """
    needed, kept = set(wanted), []
    last = set(wanted)
    entry: Entry
    for entry in reversed(without_repeated_views(entries)):
        idle = entry.kind == COPY or is_view(entry)
        if idle and not needed.intersection(entry.outs):
            continue
        used = set(uses_of(entry))
        needed.update(used)
        used.update(entry.outs)
        used.discard(NOTHING)
        entry.frees = tuple(used - last)
        last.update(used)
        kept.append(entry)
    return kept[::-1], last
