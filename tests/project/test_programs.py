"""The programs of other libraries: each has a line in the table, results of torch, and a line on the page."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("run_programs", ROOT / "tools" / "run_programs.py")
assert spec is not None and spec.loader is not None
tool = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = tool  # where a dataclass looks for its module
spec.loader.exec_module(tool)
PROGRAMS = tool.programs()


def test_files_table_and_records_belong_together() -> None:
    names = {program.name for program in PROGRAMS}
    assert {path.stem for path in tool.FOLDER.glob("*.py")} - {"reporting"} == names
    assert json.loads(tool.RECORDED.read_text(encoding="utf-8")).keys() == names
    assert all("==" in library for program in PROGRAMS for library in program.libraries)


def test_the_page_has_the_table_of_the_last_run() -> None:
    text = tool.PAGE.read_text(encoding="utf-8")
    table = text.split(tool.MARKS[0])[1].split(tool.MARKS[1])[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert [row[1] for row in rows] == [program.shows for program in PROGRAMS]
    assert tool.table_of([(program, row[2].removesuffix(" |")) for program, row in zip(PROGRAMS, rows)]) == table
    assert all(row[2].startswith("the same") for row in rows)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0]}, 0.0),
        ({"a": [1.0, 2.0], "b": 5}, {"a": [1.0, 2.02], "b": 5}, 0.02 / 2.02),
        ({"a": [1.0]}, {"a": [1.0, 2.0]}, math.inf),
        ({"a": 1.0}, {"b": 1.0}, math.inf),
        ({"a": "x"}, {"a": "y"}, math.inf),
        ({"a": math.nan}, {"a": math.nan}, 0.0),
        ({"a": math.nan}, {"a": 1.0}, math.inf),
    ],
)
def test_differences_are_relative_to_the_largest_number(ours, theirs, expected) -> None:
    assert tool.difference(ours, theirs) == pytest.approx(expected)


def test_a_program_that_fails_is_no_success() -> None:
    program = PROGRAMS[0]
    assert tool.outcome(program, None, {}, "ImportError: x") == "fails: ImportError: x"
    assert tool.outcome(program, {"a": 1.0}, {"a": 1.5}, "").startswith("differs by")
    assert tool.outcome(program, {"a": 1.0}, {"a": 1.0}, "") == "the same"
