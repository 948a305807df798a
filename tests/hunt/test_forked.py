"""The judge of all hunts: what happens in a child is told, one finding for each kind, and the hunt goes on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from tools.hunt.forked import Limits, run, sift

LONG = 600.0
FEW = Limits(seconds=600.0, memory=256 << 20, tries=5)


def attempt(text):
    """Does what the text of a try says."""
    if text == "crash()":
        os.kill(os.getpid(), signal.SIGSEGV)
    if text == "hang()":
        time.sleep(LONG)
    if text == "write()":
        Path("written").write_text("by a try")
    if text == "memory()":
        try:
            np.empty(1 << 30, np.uint8)
        except MemoryError:
            return "no memory"
    return text if text.startswith("wrong") else None


def test_tries_in_which_nothing_is_wrong_are_counted():
    assert sift(["f()"] * 12, attempt, LONG, FEW) == (12, [])


def test_a_complaint_is_a_finding_with_the_text_that_gives_it():
    count, found = sift(["f()", "wrong()", "f()"], attempt, LONG, FEW)
    assert count == 3
    assert found == ["wrong()\n    wrong()"]


def test_complaints_that_differ_in_numbers_only_are_one_finding():
    assert len(sift(["wrong(1)", "wrong(2)", "wrong('a')"], attempt, LONG, FEW)[1]) == 2


def test_a_crash_is_a_finding_and_the_tries_after_it_are_run():
    count, found = sift(["f()", "crash()", "f()", "wrong()"], attempt, LONG, FEW)
    assert count == 4
    assert found[0].startswith("crash (SIGSEGV) in crash\n    crash()")
    assert found[1].startswith("wrong()")


def test_a_hang_is_a_finding():
    count, (finding,) = sift(["hang()"], attempt, LONG, Limits(seconds=0.5))
    assert count == 1
    assert finding.startswith("hang of more than 0.5 s in hang\n    hang()")
    assert "attempt" in finding  # where it was


def test_a_child_may_take_as_much_memory_as_its_limit_says():
    assert sift(["memory()"], attempt, LONG, FEW)[1] == ["no memory\n    memory()"]
    assert sift(["memory()"], attempt, LONG, Limits())[1] == []


def test_what_a_try_writes_is_not_left_where_the_hunt_began(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert sift(["write()"], attempt, LONG, FEW) == (1, [])
    assert not any(tmp_path.iterdir())


def test_a_crash_for_which_somebody_else_is_to_blame_is_no_finding():
    assert sift(["crash()", "f()"], attempt, LONG, FEW, excuse=lambda text: text == "crash()") == (2, [])


def test_a_crash_that_takes_the_tries_before_it_is_told_with_them():
    lines = []

    def together(text):
        lines.append(text)
        if len(lines) == 3:
            os.abort()

    (finding,) = sift(["a()", "b()", "c()"], together, LONG, FEW)[1]
    assert finding.endswith("not alone; the last of the tries before it:\na()\nb()")


def test_a_hunt_ends_when_its_time_is_up():
    count, found = sift(iter(lambda: "f()", None), attempt, 0.5, FEW)
    assert count > 0
    assert found == []


def test_a_mistake_of_the_hunt_itself_is_no_silence():
    def mistaken(text):
        raise ValueError("mistaken")

    course = run(["f()"], mistaken, FEW)
    assert course.death == "end with status 1"
    assert "ValueError: mistaken" in course.trace
