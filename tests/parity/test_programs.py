"""Hand-written programs give what torch gave for them; its answers lie in `expected.json`, so torch is not needed."""

from __future__ import annotations

import pytest

import wengert
from tools.beside_torch import programs
from tools.beside_torch.describe import differences, observe

PROGRAMS = programs.collect()
EXPECTED = programs.read_expected()
KNOWN = programs.Known()


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_gives_what_torch_gives(name):
    found = differences(EXPECTED[name], observe(PROGRAMS[name], wengert))
    assert KNOWN.unexplained(name, found) == []


def test_every_program_has_an_answer_of_torch_and_every_answer_a_program():
    assert sorted(PROGRAMS) == sorted(EXPECTED)


def test_there_are_at_least_three_hundred_programs():
    assert len(PROGRAMS) >= 300
