"""The table of `docs/from_numpy.md`: both sides of each row compute the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import wengert as wg

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "from_numpy.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([^|]*) \| `([^`|]*)` \| `([^`|]*)` \|$", re.MULTILINE)
TABLE = PAGE.partition("<!-- table:")[2].partition("<!-- end of table -->")[0]
ROWS = ROW.findall(TABLE)
RANDOM_ROW = re.compile(r"^\| `(rng[^`]*)` \| `([^`]*)`", re.MULTILINE)


def arrays():
    """The operands that the page names."""
    random = np.random.default_rng(0)
    a, b, root = random.normal(size=(3, 4)), random.normal(size=(3, 4)), random.normal(size=(3, 3))
    u, v = random.normal(size=4), random.normal(size=4)
    return {"a": a, "b": b, "s": root @ root.T + np.eye(3), "u": u, "v": v, "n": np.array([3, 1, 3, 0])}


def parts(value):
    """The arrays and numbers in a result, with their dtypes."""
    if isinstance(value, (tuple, list)):
        return [part for element in value for part in parts(element)]
    array = value.numpy() if isinstance(value, wg.Tensor) else np.asarray(value)
    return [array]


def same(left, right):
    """Whether two results agree in dtype, shape and values."""
    return len(left) == len(right) and all(
        x.dtype == y.dtype and x.shape == y.shape and np.allclose(x, y, equal_nan=True) for x, y in zip(left, right)
    )


def sides(numpy_code, wengert_code):
    """Both sides of a row, evaluated."""
    tensors = {name: wg.from_numpy(array) for name, array in arrays().items()}
    left = eval(numpy_code, {"np": np}, arrays())
    return parts(left), parts(eval(wengert_code, {"wg": wg}, tensors))


@pytest.mark.parametrize(("about", "numpy_code", "wengert_code"), ROWS, ids=[row[1] for row in ROWS])
def test_both_sides_of_a_row_compute_the_same(about, numpy_code, wengert_code):
    assert same(*sides(numpy_code, wengert_code)), about


def test_each_row_of_the_table_is_read():
    lines = [line for line in TABLE.splitlines() if line.startswith("| ") and "`" in line]
    assert len(lines) == len(ROWS) > 70


def test_a_row_that_is_wrong_is_found():
    assert not same(*sides("a.std(axis=0)", "a.std(dim=0)"))
    assert not same(*sides("np.ones(2)", "wg.ones(2)"))
    assert not same(*sides("np.median(u)", "u.median()"))


def test_the_random_numbers_have_the_shapes_of_numpys():
    rows = [row for row in RANDOM_ROW.findall(PAGE) if "default_rng" not in row[0]]
    assert len(rows) == 7
    n = np.arange(4)
    p = np.full(4, 0.25)
    mean, std = np.zeros(3), np.ones(3)
    tensors = {name: wg.from_numpy(array) for name, array in {"n": n, "p": p, "mean": mean, "std": std}.items()}
    tensors["g"] = wg.Generator().manual_seed(0)
    names = {"rng": np.random.default_rng(0), "n": n, "p": p, "mean": mean, "std": std}
    for numpy_code, wengert_code in rows:
        left, right = eval(numpy_code, names), eval(wengert_code, {"wg": wg}, tensors)
        assert np.shape(left) == tuple(right.shape), wengert_code
