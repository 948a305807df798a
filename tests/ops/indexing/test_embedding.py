"""Rows of a table by their numbers."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("rows", [[[5], [4]], [1, 2, 2], []])
def test_rows_of_no_width_have_a_gradient(rows):
    table = wg.zeros(10, 0, requires_grad=True)
    wg.nn.functional.embedding(wg.tensor(rows, dtype=wg.int64), table).sum().backward()
    assert table.grad is not None and table.grad.shape == (10, 0)
