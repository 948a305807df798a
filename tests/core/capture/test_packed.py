"""Entries of a list that are packed as numbers are read as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wengert.compiler import replaying

import wengert as wg
from wengert import _kernels as kernels
from wengert._core.capture import passes
from wengert._core.capture.lists import CALL, Entry
from wengert._core.capture.native_calls import build_calls
from wengert._core.capture.packed import PackedEntries, share_constants

WEIGHT = wg.full((4, 4), 0.1, requires_grad=True)
OPTIMISER = wg.optim.SGD([WEIGHT], lr=0.1)


def step(x: Any) -> Any:
    OPTIMISER.zero_grad()
    hidden = (x @ WEIGHT).tanh() * 2 + wg.arange(4.0)
    hidden.mul_(0.5)
    hidden = wg.cat([hidden, hidden[:1] * -0.0, hidden * 0.0]) ** 2
    if hidden[0, 0].item() > -1:
        hidden.sum().backward()
    OPTIMISER.step()
    return hidden.detach()


def gradients(x: Any) -> Any:
    leaf = x.detach().requires_grad_()
    return [wg.autograd.grad((leaf * number).sin().sum(), leaf)[0] for number in (1, 1.0, True, -0.0, 0.0)]


def a_new_leaf(x: Any) -> Any:
    return (WEIGHT * x).exp().sum() + (WEIGHT * x).exp().sum()


def facts(entry: Entry) -> tuple[Any, ...]:
    """Return all attributes of an entry, for comparison."""
    names = [name for name in dir(entry) if not name.startswith("_") and not callable(getattr(Entry, name, None))]
    return tuple([(name, identity(getattr(entry, name))) for name in names])


def identity(value: Any) -> Any:
    """Return what identifies a value: arrays of layouts must not be read."""
    if isinstance(value, tuple):
        return tuple(map(identity, value))
    return repr(value) if isinstance(value, (int, float, str)) else id(value)


@pytest.mark.skipif(kernels.native is None, reason="needs the native library")
@pytest.mark.parametrize("function", [step, gradients, a_new_leaf])
def test_packed_entries_are_read_as_they_were(function: Callable[[Any], Any], monkeypatch: Any) -> None:
    lists: list[tuple[list[Entry], PackedEntries]] = []

    def building(known: Any) -> None:
        entries = known.entries
        build_calls(known)
        lists.append((entries, known.entries))

    for module in (replaying, passes):
        monkeypatch.setattr(module, "build_calls", building)
    compiled = wg.compile(function, replay=True, fullgraph=True)
    for number in range(6):
        result = compiled(wg.full((4, 4), 0.1 * number))
        if isinstance(result, wg.Tensor) and result.requires_grad:
            result.backward()
    assert lists
    for entries, packed in lists:
        assert len(packed) == len(entries) > len(packed.whole)
        assert [facts(entry) for entry in packed] == [facts(entry) for entry in entries]
        assert [facts(packed[at]) for at in range(len(entries))] == [facts(entry) for entry in entries]


def of_line(code: Any, number: float) -> Entry:
    entry = Entry(CALL, len, None, "mul")
    entry.args, entry.places, entry.constants = (None, number), (0, -1), (-1, -1)
    entry.outs, entry.layouts, entry.frees = (1,), (np.empty(3),), (0,)
    entry.runs_native, entry.origin = True, (code, 4)
    return entry


def test_entries_share_what_is_equal_only() -> None:
    sources = {name: compile("0", name, "eval") for name in ("one.py", "other.py")}
    entries = [of_line(code, number) for code in sources.values() for number in (0, 0.0, -0.0, False, 2.0, 2.0)]
    numbers = [repr(entry.args[1]) for entry in entries]
    assert len(PackedEntries(entries).forms) == 12
    share_constants(entries)
    assert len(PackedEntries(entries).forms) == 12
    layout = np.empty(3)
    for entry in entries:
        entry.layouts = (layout,)
    share_constants(entries)
    packed = PackedEntries(entries)
    assert len(packed.forms) == 5
    assert [repr(entry.args[1]) for entry in packed] == [repr(entry.args[1]) for entry in entries] == numbers
    assert [entry.origin[0].co_filename for entry in packed] == ["one.py"] * 6 + ["other.py"] * 6


def test_a_list_of_entries_takes_little_memory() -> None:
    layout = np.empty(3)
    entries = [of_line(of_line.__code__, 2.0) for _ in range(1000)]
    for entry in entries:
        entry.layouts = (layout,)
    share_constants(entries)
    packed = PackedEntries(entries)
    arrays = (packed.numbers, packed.starts)
    assert not packed.whole and sum([array.itemsize * len(array) for array in arrays]) <= 20 * 1000
    many = PackedEntries(entries * 5)
    assert [entry.places for entry in many] == [(0, -1)] * 5000
