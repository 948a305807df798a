"""The programs of the page "Compiling" and of `make bench`."""

from __future__ import annotations

import re

import numpy as np
import pytest

import wengert as wg
from benchmarks import compiled
from benchmarks.libraries import TorchLike
from benchmarks.timing import flatten

SMALL = [(name, make) for name, make, _ in compiled.PROGRAMS if "10^6" not in name]


@pytest.mark.parametrize("make", [make for _, make in SMALL], ids=[name for name, _ in SMALL])
def test_replays_have_the_bits_of_eager_calls(make):
    ours = TorchLike("wengert")
    eager, replayed = make(ours), wg.compile(make(ours), replay=True, fullgraph=True)
    for _ in range(20):
        compiled.check(ours, eager(), replayed())
    assert any(captured.replays > 10 for signature in replayed.signatures.values() for captured in signature.lists)


@pytest.mark.parametrize("make", [make for _, make in SMALL], ids=[name for name, _ in SMALL])
def test_steps_return_finite_numbers_that_are_not_all_equal_to_zero(make):
    values = [np.asarray(value.detach()) for value in flatten(make(TorchLike("wengert"))())]
    assert all(np.all(np.isfinite(value)) for value in values) and any(np.any(value != 0) for value in values)


def test_the_page_has_a_row_for_each_program():
    page = compiled.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| [\d.,e+]+ µs \| ([\d.]+) \| ([\d.e+]+) \|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == [name for name, _, _ in compiled.PROGRAMS]
    assert compiled.written(page, "text") != page and compiled.written(
        compiled.written(page, "a"), "b"
    ) == compiled.written(page, "b")


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="lost the marks"):
        compiled.written("# Compiling", "text")
