"""The table of what is checked of each operator is what the checks give now, and has no empty cell.

To make it anew runs every check of every operator once more. Each of them runs in `tests/cards`, too, so that what is
wrong is found there; this finds that the page is old, for which `make test-all` is early enough.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from wengert.testing import coverage

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("make_coverage", ROOT / "tools" / "make_coverage.py")
assert spec is not None and spec.loader is not None
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)


@pytest.mark.exhaustive
def test_the_page_is_what_the_checks_give_and_has_no_empty_cell():
    table = coverage.table()
    empty = [
        (name, column) for name, cells in table.items() for column, cell in zip(coverage.COLUMNS, cells) if not cell
    ]
    assert not empty
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(table), (
        "run tools/make_coverage.py, and look at the difference"
    )


def test_a_check_that_is_gone_changes_the_table(monkeypatch):
    card = coverage.operators()["mul"]
    before = coverage.row(card)
    monkeypatch.setitem(coverage.CHECKS, "double", lambda call: False)
    assert coverage.row(card) != before and "" in coverage.row(card)
