"""The programs of the page "Compiling" and of `make bench`."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import wengert as wg
from benchmarks import compiled
from benchmarks.libraries import TorchLike
from benchmarks.timing import flatten
from wengert import _kernels as kernels

SMALL = [(name, make) for name, make, *_ in compiled.PROGRAMS if "10^6" not in name]


@pytest.mark.parametrize("make", [make for _, make in SMALL], ids=[name for name, _ in SMALL])
def test_compiled_steps_have_the_bits_of_eager_ones(make):
    ours = TorchLike("wengert")
    eager, followed = make(ours), wg.compile(make(ours))
    replayed = wg.compile(make(ours), replay=True, fullgraph=True)
    for _ in range(20):
        expected = eager()
        compiled.check(ours, expected, replayed())
        compiled.check(ours, expected, followed())
    assert any(captured.replays > 10 for signature in replayed.signatures.values() for captured in signature.lists)


@pytest.mark.parametrize("make", [make for _, make in SMALL], ids=[name for name, _ in SMALL])
def test_steps_return_finite_numbers_that_are_not_all_equal_to_zero(make):
    values = [np.asarray(value.detach()) for value in flatten(make(TorchLike("wengert"))())]
    assert all(np.all(np.isfinite(value)) for value in values) and any(np.any(value != 0) for value in values)


def test_the_pages_have_the_rows_that_were_measured():
    page = compiled.PAGE.read_text(encoding="utf-8")
    pattern = r"^\| (.*?) \| [\d.,]+ µs \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$"
    rows = re.findall(pattern, page, re.MULTILINE)
    assert [row[0] for row in rows] == [name for name, *_ in compiled.PROGRAMS]
    readme = compiled.README.read_text(encoding="utf-8")
    assert [f"| {name} | {own} / {eager} / {torch} |" for name, own, eager, torch in rows] == [
        line for line in readme.splitlines() if any(line.startswith(f"| {name} |") for name, *_ in compiled.PROGRAMS)
    ]


def test_the_page_has_the_memory_of_each_step():
    pattern = r"^\| (.*?) \| [\d.,]+ kB \| [\d.,]+ kB \| [\d.,]+ kB \|$"
    rows = re.findall(pattern, compiled.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [name for name, *_ in compiled.PROGRAMS]


@pytest.mark.skipif(kernels.native is None, reason="without the native library entries are objects of Python")
def test_a_replayed_chain_holds_less_memory_than_an_eager_one():
    code = """if True:
        import tracemalloc
        tracemalloc.start(1)
        from benchmarks.compiled import chain_of
        from benchmarks.compiled_memory import peak
        from benchmarks.libraries import TorchLike
        ours = TorchLike("wengert")
        for _ in range(2):
            sizes = [peak(ours, chain_of(4), mode) for mode in ("eager", "replayed")]
        print(*sizes)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=compiled.ROOT)
    eager, replayed = map(int, done.stdout.split())
    assert 40_000 < eager < 100_000 and replayed < eager


def test_tables_are_written_between_their_marks():
    page = compiled.PAGE.read_text(encoding="utf-8")
    once = compiled.written(page, "times", "a")
    assert once != page and compiled.written(once, "times", "b") == compiled.written(page, "times", "b")
    with pytest.raises(ValueError, match="lost the marks"):
        compiled.written("# Compiling", "times", "text")
