"""Counts of instructions are read from callgrind's files and held to the record; valgrind itself is not needed here."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks import instructions  # noqa: E402

FEW, MANY = instructions.FEW, instructions.MANY


def profile(part, totals):
    return f"# callgrind format\npart: {part}\n\ndesc: Trigger: x\nsummary: {totals}\n\ntotals: {totals}\n"


def profiles(costs, fixed=500):
    """What callgrind writes for calls of these costs: start, import, then before, FEW turns, MANY turns."""
    texts = [profile(1, 987_654), profile(2, 1_000_000)]
    for cost in costs:
        for instructions_in_part in (123_456, fixed + FEW * cost, fixed + MANY * cost):
            texts.append(profile(len(texts) + 1, instructions_in_part))
    return texts


@pytest.fixture
def three(monkeypatch):
    monkeypatch.setattr(instructions, "CALLS", ("one", "two", "three"))


# ---- reading ---------------------------------------------------------------------------------------------------------


def test_what_a_call_costs_is_the_difference_of_many_and_few_in_whatever_order_the_files_come(three):
    found = instructions.per_call(list(reversed(profiles([100, 20_000, 7]))))
    assert found == {"import wengert": 1_000_000, "one": 100, "two": 20_000, "three": 7}


@pytest.mark.parametrize("missing", [0, 4, 8])
def test_a_missing_profile_is_refused(three, missing):
    found = profiles([1, 2, 3])
    del found[missing]
    with pytest.raises(RuntimeError, match="10 profiles, not 11"):
        instructions.per_call(found)


def test_a_profile_too_many_is_refused(three):
    with pytest.raises(RuntimeError, match="14 profiles, not 11"):
        instructions.per_call(profiles([1, 2, 3, 4]))


@pytest.mark.parametrize("text", ["", "part: 3\n", "totals: 12\n"])
def test_a_profile_without_part_or_totals_is_refused(text):
    with pytest.raises(RuntimeError, match="without its part or its totals"):
        instructions.total(text)


def test_the_compiler_is_read_from_its_note():
    assert instructions.compiler(b"\0GCC: (Debian 12.2.0-14) 12.2.0\0.text") == "GCC: (Debian 12.2.0-14) 12.2.0"
    both = b"\0GCC: (GNU) 12.2.0\0Debian clang version 14.0.6\0"
    assert instructions.compiler(both) == "clang version 14.0.6"
    assert instructions.compiler(b"nothing") == "unknown"


def test_each_call_runs_between_marks(monkeypatch):
    marks = []
    monkeypatch.setattr(os, "getppid", lambda: marks.append(None))
    try:
        instructions.run_calls(2)
    finally:
        gc.enable()
    assert len(marks) == 2 + 3 * len(instructions.CALLS)


def test_a_call_is_made_as_often_as_it_is_told():
    made = []
    instructions.repeated("made.append(1)", {"made": made})(7)
    assert len(made) == 7


# ---- comparing -------------------------------------------------------------------------------------------------------


def test_a_rise_of_more_than_five_percent_is_a_breach_with_the_name_of_the_call():
    recorded = {"x * y": 1000, "x.t()": 1000, "x[0]": 1000}
    found = instructions.breaches(recorded, {"x * y": 1051, "x.t()": 1050, "x[0]": 400})
    assert found == ["x * y: 1,051 instructions, 1,000 recorded: +5.1 %, more than 5 %"]


def test_calls_that_only_one_side_knows_are_breaches():
    first, second = instructions.breaches({"old": 1}, {"new": 1})
    assert "new: not in the record" in first
    assert second == "old: recorded, but no longer counted"


def test_set_ups_differ_by_name():
    recorded = {"NumPy": "2.4.6", "platform": "Linux x86_64", "gone": "a"}
    assert instructions.differences(recorded, dict(recorded)) == []
    found = instructions.differences(recorded, {"NumPy": "2.0.0", "platform": "Linux x86_64", "new": "b"})
    assert found == [
        "NumPy: 2.0.0 here, 2.4.6 in the record",
        "gone: unknown here, a in the record",
        "new: b here, unknown in the record",
    ]


def test_a_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "record.toml"
    setup, counts = {"compiler": 'a "quoted" \\ one'}, {"x.view(4)": 12, 'd["k"]': 3, "x[0, 1]": 4}
    instructions.write(path, setup, counts)
    assert instructions.read(path) == (setup, counts)
    assert list(instructions.read(path)[1]) == list(counts)
    assert instructions.read(tmp_path / "none.toml") == ({}, {})


def test_the_record_of_the_repository_has_all_calls():
    setup, counts = instructions.read(instructions.RECORD)
    assert list(counts) == [instructions.IMPORT, *instructions.CALLS]
    assert setup["build"] == "compiled" and "compiler" in setup


def test_the_table_shows_both_counts_and_the_change():
    lines = instructions.table({"x * y": 2000}, {"x * y": 2100, "x.t()": 7})
    assert lines[1].split() == ["x", "*", "y", "2,100", "2,000", "+5.0", "%"]
    assert lines[2].split() == ["x.t()", "7", "-"]


# ---- the whole -------------------------------------------------------------------------------------------------------


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with valgrind on which one call costs `counts`; its record."""
    counts = {"x * y": 1000}
    monkeypatch.setattr(instructions.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(instructions, "under_valgrind", lambda part, *options: json.dumps({"NumPy": "2.4.6"}))
    monkeypatch.setattr(instructions, "count", lambda layout: dict(counts))
    path = tmp_path / "record.toml"
    assert instructions.hold(path, record=True) == 0
    return path, counts


def test_what_was_recorded_is_kept(machine, capsys):
    assert instructions.hold(machine[0], record=False) == 0
    assert capsys.readouterr().out.endswith("instructions: kept\n")


def test_a_rise_fails_until_it_is_recorded(machine, capsys):
    path, counts = machine
    counts["x * y"] = 1100
    assert instructions.hold(path, record=False) == 1
    assert "x * y: 1,100 instructions, 1,000 recorded: +10.0 %, more than 5 %" in capsys.readouterr().out
    assert instructions.hold(path, record=True) == 0
    assert instructions.hold(path, record=False) == 0


def test_a_rise_in_one_layout_of_the_memory_alone_does_not_fail(machine, monkeypatch):
    asked = []

    def count(layout):
        asked.append(layout)
        return {"x * y": 1100 if layout == instructions.LAYOUTS[0] else 1001}

    monkeypatch.setattr(instructions, "count", count)
    assert instructions.hold(machine[0], record=False) == 0
    assert tuple(asked) == instructions.LAYOUTS


def test_what_is_kept_is_counted_once_and_the_smaller_count_is_recorded(machine, monkeypatch):
    path, asked = machine[0], []

    def count(layout):
        asked.append(layout)
        return {"x * y": 900 + layout}

    monkeypatch.setattr(instructions, "count", count)
    assert instructions.hold(path, record=False) == 0
    assert asked == [instructions.LAYOUTS[0]]
    assert instructions.hold(path, record=True) == 0
    assert instructions.read(path)[1] == {"x * y": 900 + min(instructions.LAYOUTS)}


def test_elsewhere_nothing_is_counted_and_the_difference_is_told(machine, monkeypatch, capsys):
    monkeypatch.setattr(instructions, "under_valgrind", lambda part, *options: json.dumps({"NumPy": "2.0.0"}))
    monkeypatch.setattr(instructions, "count", lambda layout: pytest.fail("counted"))
    assert instructions.hold(machine[0], record=False) == 0
    assert "not compared" in (said := capsys.readouterr().out) and "NumPy: 2.0.0 here, 2.4.6 in the record" in said


def test_without_valgrind_nothing_is_compared_and_nothing_can_be_recorded(machine, monkeypatch, capsys):
    monkeypatch.setattr(instructions.shutil, "which", lambda name: None)
    before = machine[0].read_text()
    assert instructions.hold(machine[0], record=False) == 0
    assert "valgrind is not installed" in capsys.readouterr().out
    assert instructions.hold(machine[0], record=True) == 1
    assert machine[0].read_text() == before


def test_a_record_that_is_not_there_is_an_error(machine, tmp_path, capsys):
    assert instructions.hold(tmp_path / "none.toml", record=False) == 1
    assert "there is no record" in capsys.readouterr().out
