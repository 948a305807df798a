"""Where NumPy counts with 32 bits, dtypes and values of all results are those of other platforms."""

from __future__ import annotations

import ast
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PURE = {**os.environ, "WENGERT_PURE": "1"}

INDEXING = (
    "tests/tensor/test_indexing.py",
    "tests/ops/indexing/test_advanced.py",
    "tests/ops/indexing/test_embedding_bag.py",
    "tests/ops/order",
    "tests/ops/reductions/test_segments.py",
)
"""The tests that run on the stand-in too."""

POSITIONS = (
    *("argpartition", "argsort", "argwhere", "bincount", "choose", "digitize", "flatnonzero", "lexsort", "nonzero"),
    *("put", "ravel_multi_index", "repeat", "searchsorted", "take", "unravel_index"),
)
"""NumPy's functions that give or take positions, for which `_kernels/positions.py` has others."""


def run(*args: str) -> str:
    """What a Python of its own prints, which runs the interpreted build."""
    done = subprocess.run([sys.executable, *args], env=PURE, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


def on_narrow(code: str) -> str:
    """What a program prints on the stand-in."""
    first = f"import sys; sys.path.insert(0, {str(HERE)!r}); import narrow_indices; narrow_indices.install()\n"
    return run("-c", first + textwrap.dedent(code))


def test_the_stand_in_is_a_platform_of_32_bits():
    told = on_narrow(
        """
        import numpy as np
        x, small = np.array([3.0, 1.0]), np.zeros(2, np.int8)
        found = [np.argsort(x), x.argsort(), np.nonzero(x)[0], np.bincount(np.zeros(2, np.int32)), np.arange(3)]
        found += [np.array([1, 2]), np.unique(x, return_inverse=True)[1], np.sum(x > 2), small.sum(), np.full(2, 1)]
        print({str(each.dtype) for each in found}, np.dtype(np.intp), np.array([1, 2**40]).dtype)
        for take in (np.take, np.repeat, lambda *both: np.add.reduceat(*both)):
            try:
                take(x, np.zeros(2, np.int64))
            except TypeError as error:
                print(error)
        """
    )
    refused = "Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'"
    assert told.splitlines() == ["{'int32'} int32 int64", refused, refused, refused]


def test_all_operators_give_what_they_give_elsewhere(tmp_path):
    files = [tmp_path / "wide", tmp_path / "narrow"]
    run("tests/platforms/answers.py", str(files[0]))
    run("tests/platforms/answers.py", str(files[1]), "narrow")
    wide, narrow = (pickle.loads(each.read_bytes()) for each in files)
    assert wide.keys() == narrow.keys() and len(wide) > 3000
    other = {
        name: (repr(wanted)[:200], repr(narrow[name])[:200])
        for name, wanted in wide.items()
        if repr(wanted) != repr(narrow[name]) and "empty" not in name
    }
    assert not other


def test_the_tests_of_indexing_pass_there():
    told = run("tests/platforms/narrow_indices.py", *INDEXING)
    last = re.findall(r"\[ *(\d+)/(\d+)\]", told)[-1]
    assert last[0] == last[1] and int(last[1]) > 100


FAR = """
import numpy as np
import wengert as wg

x, far, weight = wg.arange(6.0).reshape(3, 2), wg.tensor([2**32]), wg.ones(3, 2)
CALLS = {
    "brackets": lambda: x[far],
    "two": lambda: x[far, far],
    "write": lambda: x.__setitem__(far, 1.0),
    "take": lambda: x.take(far),
    "gather": lambda: x.gather(0, far.reshape(1, 1)),
    "scatter": lambda: x.scatter(0, far.reshape(1, 1), 1.0),
    "scatter_add": lambda: x.scatter_add(0, far.reshape(1, 1), wg.ones(1, 1)),
    "index_select": lambda: x.index_select(0, far),
    "index_add": lambda: x.index_add(0, far, wg.ones(1, 2)),
    "index_copy": lambda: x.index_copy(0, far, wg.ones(1, 2)),
    "index_fill": lambda: x.index_fill(0, far, 1.0),
    "index_put": lambda: x.index_put((far,), wg.ones(())),
    "index_put_add": lambda: x.index_put((far,), wg.ones(()), accumulate=True),
    "put": lambda: x.put(far, wg.ones(1)),
    "embedding": lambda: wg.nn.functional.embedding(far, weight),
    "embedding_bag": lambda: wg.nn.functional.embedding_bag(far, weight, wg.tensor([0])),
    "max_unpool1d": lambda: wg.nn.functional.max_unpool1d(wg.ones(1, 1, 1), far.reshape(1, 1, 1), 2),
    "nll_loss": lambda: wg.nn.functional.nll_loss(wg.zeros(1, 2), far),
}
for name, call in CALLS.items():
    try:
        print(name, "gives", call())
    except (IndexError, RuntimeError) as error:
        assert str(2**32) in str(error) or "out of" in str(error), (name, error)
"""


def test_an_index_beyond_32_bits_is_refused_and_not_cut_off():
    assert not on_narrow(FAR)


def found_in(source: str) -> list[tuple[int, str]]:
    """Where a source takes positions from NumPy, or integers of its default dtype."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        words = {each.arg for each in node.keywords}
        numpys = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        plain = numpys and node.func.attr == "arange" and "dtype" not in words
        plain = plain and not any(isinstance(each, ast.Constant) and type(each.value) is float for each in node.args)
        asked = numpys and node.func.attr == "unique" and words & {"return_inverse", "return_index", "return_counts"}
        reduced = node.func.attr == "reduceat" and ast.unparse(node.func.value) != "positions"
        if (numpys and node.func.attr in POSITIONS) or plain or asked or reduced:
            found.append((node.lineno, node.func.attr))
    return found


def test_kernels_and_operators_take_positions_from_one_place():
    package = ROOT / "src" / "wengert"
    files = [*(package / "_kernels").glob("*.py"), *(package / "ops").rglob("*.py")]
    sources = [each for each in files if each != package / "_kernels" / "positions.py"]
    assert len(sources) > 200
    assert not {str(each): found for each in sources if (found := found_in(each.read_text(encoding="utf-8")))}


@pytest.mark.parametrize(
    "line",
    ["np.argsort(x)", "np.take(x, i)", "np.arange(3)", "np.add.reduceat(x, i)", "np.unique(x, return_inverse=True)"],
)
def test_the_search_finds_what_is_planted(line):
    assert len(found_in(line)) == 1
    assert not found_in("np.arange(3, dtype=np.int64) + positions.take(x, i)")
