"""A fixed share of the hunt for first uses that something disturbs, and planted defects that it finds."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[2])
PARTS = 4


def found(program: str) -> list[str]:
    """The findings that a program prints, in a process that has loaded nothing."""
    begin = f"import sys; sys.path.insert(0, {ROOT!r})\nimport random\nfrom tools.hunt import loads\n"
    code = begin + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tried" in done.stdout
    return [line for line in done.stdout.splitlines() if line != "tried"]


@pytest.mark.parametrize("part", range(PARTS))
def test_a_first_use_is_whole_whatever_disturbs_it(part):
    program = f"""
    for title, wrong in loads.share({part}, {PARTS}):
        print("tried", *wrong, sep="\\n")
    """
    assert found(program) == []


PLANTED = {
    "handlers that are not held back": ("handler", "Loads.hold = lambda self: None"),
    "methods that are bound before their module is complete": ("failure", "late.bind = late.bind_at_once"),
}


@pytest.mark.parametrize("defect", sorted(PLANTED))
def test_a_planted_defect_is_found(defect):
    kind, change = PLANTED[defect]
    program = f"""
    loads.prepare()
    from wengert._core.cards import late
    from wengert._start.loading import Loads
    wanted, count = eval(loads.in_child(lambda: loads.undisturbed(loads.decomposes))[0])
    {change}
    for at in range(count // 10, count, count // 5):
        for title, wrong in loads.one("decomposes", loads.decomposes, {kind!r}, at, wanted, count):
            print("tried", *(each.replace("\\n", " ") for each in wrong), sep="\\n")
    """
    assert found(program)
