"""The tables of `docs/comparison.md`: what they say of wengert is so, and `--record` finds their places."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import comparison, derivatives_beside

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def column(table):
    """What a table of the page says of wengert, by row."""
    text = PAGE.partition(f"<!-- {table}: ")[2].partition(f"<!-- end of {table} -->")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert rows[0][0] == "wengert"
    return {row[0]: row[1] for row in rows[1:]}


@pytest.mark.parametrize(
    ("table", "ask"), [("coverage", derivatives_beside.coverage), ("derivatives", derivatives_beside.right)]
)
def test_what_a_table_says_of_wengert_is_so(table, ask):
    answers = {about: found.get("wengert", "–") for about, found in ask(["wengert"]).items()}
    assert column(table) == answers and len(answers) > 10


def test_the_size_is_that_of_the_recorded_wheel():
    assert column("start")["installed, without NumPy"] == comparison.megabytes("wengert")


def test_the_cases_run_and_a_wrong_gradient_is_found():
    for case in comparison.CASES:
        if case[3] <= 50:
            x = np.random.default_rng(1).standard_normal(case[3]) * case[4]
            functions = comparison.gradients(["wengert"], case)
            assert comparison.seconds(functions, x, 1)["wengert"] > 0
            with pytest.raises(ValueError, match="wrong returns other numbers"):
                comparison.seconds({**functions, "wrong": lambda x, f=functions["wengert"]: 2 * f(x)}, x, 1)


def test_answers_are_judged():
    space = derivatives_beside.namespaces(["wengert"])["wengert"]
    judged = derivatives_beside.judged
    assert judged("m.array(2.0)", space, np.asarray(2.0)) == "right"
    assert judged("m.array([1.0, 3.0])", space, np.asarray([1.0, 2.0])) == "3"
    assert judged("m.array(float('nan'))", space, np.asarray(0.0)) == "NaN"
    assert judged("m.nothing(1)", space, np.asarray(0.0)) == "–"
    assert judged("m.array(0.0)", space, np.asarray(1e-30)) == "0"


def test_tables_are_written_between_their_marks():
    names = re.findall(r"<!-- (\w+): written", PAGE)
    assert names == ["versions", "start", "speed", "coverage", "derivatives"]
    page = comparison.written(PAGE, dict.fromkeys(names, "| new |\n"))
    assert page.count("| new |\n") == 5 and comparison.written(page, dict.fromkeys(names, "")).count("| new |") == 0
    with pytest.raises(ValueError, match="lost the marks of the table 'other'"):
        comparison.written(PAGE, {"other": ""})
