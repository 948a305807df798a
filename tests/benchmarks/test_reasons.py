"""The reasons that are printed for missed targets."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import large, operators, reasons, run, small


def names():
    """Of all lines of the table that have a target, and of the table of operators."""
    chosen = [case.name for cases, _ in run.with_targets() for case in cases]
    chosen += [case.name for case in (*large.cases(), *operators.cases())]
    lines = [group.name for group in large.groups()] + [f"small calls, {kind}" for kind in small.MEANS]
    return [*chosen, *lines, "large arrays", "wengert over numpy"]


def test_every_reason_is_that_of_a_line_with_a_target():
    lines = names()
    for name, text in reasons.reasons().items():
        assert any(each.startswith(name) for each in lines), name
        assert len(text) > 40


def test_a_missed_line_is_followed_by_its_reason_and_by_none_but_its_own():
    known = {"LSTM of 64": "because " * 30, "LSTM": "in general"}
    first, *rest = reasons.explained("LSTM of 64, 50 steps   1.2 MISS (>= 1.5)", known)
    assert first.startswith("LSTM of 64") and len(rest) > 1
    assert all(line.startswith("    because") and len(line) <= reasons.WIDTH for line in rest)
    assert reasons.explained("LSTM of 256  MISS", known)[1] == "    in general"
    assert reasons.explained("something else  MISS", known)[1] == "    no reason is known"


def test_the_share_of_the_limit_is_the_reason_where_none_is_written_and_the_share_is_high():
    known = {"exp": "because"}
    assert reasons.explained("exp  MISS", known, "exp", share=0.9)[1] == "    because"
    assert reasons.explained("log  MISS", known, "log", share=0.9)[1].startswith("    90% of what the machine allows")
    assert reasons.explained("log  MISS", known, "log", share=0.5)[1] == "    no reason is known"
