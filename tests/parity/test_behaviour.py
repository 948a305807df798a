"""The behaviour table can be run beside torch and tells its sentences; random programs are what their seed says."""

from __future__ import annotations

import pytest

import wengert
from tools.beside_torch import mechanics, programs
from tools.beside_torch.describe import differences, observe
from tools.beside_torch.generate import compile_program

TABLE = programs.behaviour()


def test_the_table_has_a_test_for_each_of_two_hundred_sentences():
    assert len(TABLE) >= 200
    assert all(name.partition(".")[2].startswith("test_") for name in TABLE)


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_test_of_the_table_tells_its_sentence(name):
    assert TABLE[name].__doc__
    assert '"' in TABLE[name].__doc__ or "first generation" in TABLE[name].__doc__


def test_a_failing_assertion_is_told_by_its_line():
    def program(torch):
        if torch is not None:
            raise AssertionError

    found = observe(program, wengert)
    assert (found["raises"], found["says"]) == ("AssertionError", "raise AssertionError")
    assert differences({"result": None}, found)


def test_entries_that_explain_something_sometimes_only_are_not_called_unused(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('["a.*"]\nreason = "x"\nsometimes = true\n["b.*"]\nreason = "y"\n')
    known = programs.Known(path)
    assert set(known.entries) - known.used == {"b.*"}


@pytest.mark.parametrize("seed", range(25))
def test_a_random_program_of_the_mechanics_does_the_same_each_time(seed):
    text = mechanics.mechanics(seed)
    assert text == mechanics.mechanics(seed)
    program = compile_program(text)
    assert differences(observe(program, wengert), observe(program, wengert)) == []


def test_random_programs_of_the_mechanics_mostly_run_to_their_end():
    found = [observe(compile_program(mechanics.mechanics(seed)), wengert) for seed in range(100)]
    assert not any("raises" in each for each in found)
    assert sum("error" not in str(each["result"]["list"][0]) for each in found) >= 30
