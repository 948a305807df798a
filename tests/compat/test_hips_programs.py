"""Programs for HIPS autograd give what they give there; see `tools/hips_parity.py`, which records that."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import wengert.compat.hips as autograd
import wengert.compat.hips.numpy as np

FOLDER = Path(__file__).parent
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs = load("programs", FOLDER / "programs.py")
parity = load("hips_parity", FOLDER.parents[1] / "tools" / "hips_parity.py")


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_what_hips_autograd_gives(program):
    found = json.loads(json.dumps(programs.numbers(program(autograd, np))))
    assert parity.differences(program.__name__, found, EXPECTED[program.__name__]) == []


def test_what_is_kept_is_that_of_these_programs():
    assert set(EXPECTED) == {program.__name__ for program in programs.PROGRAMS}


def test_a_difference_is_found():
    assert parity.differences("it", {"a": [1.0, 2.0]}, {"a": [1.0, 2.1]}) == ["it, a[1]: 2.0 instead of 2.1"]
    assert parity.differences("it", [1.0], {"a": [1.0]})
