"""The table of what is checked of each operator has no empty cell.

To make it runs every check of every operator once more. Each of them runs in `tests/cards`, too, so that what is
wrong is found there; this finds an operator of which something is not checked, for which `make test-all` is early
enough.
"""

from __future__ import annotations

import pytest

from tools.pages import coverage as page
from wengert.testing import coverage


@pytest.mark.exhaustive
def test_each_operator_is_checked_in_each_way_or_says_why_not():
    table = coverage.table()
    empty = [
        (name, column) for name, cells in table.items() for column, cell in zip(coverage.COLUMNS, cells) if not cell
    ]
    assert not empty
    assert all(f"| `{name}` |" in page.page(table) for name in table)


def test_a_check_that_is_gone_changes_the_table(monkeypatch):
    card = coverage.operators()["mul"]
    before = coverage.row(card)
    monkeypatch.setitem(coverage.CHECKS, "double", lambda call: False)
    assert coverage.row(card) != before and "" in coverage.row(card)
