"""Kernels of compressed places: sorting by counting, and products some rows at a time."""

from __future__ import annotations

import numpy as np
import pytest

from wengert._kernels import compressed, sparse


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.parametrize("most", [1, 100, 1 << 16, (1 << 16) + 1, 1 << 31])
@pytest.mark.parametrize("count", [0, 1, sparse.FEW - 1, sparse.FEW, 3000])
def test_keys_are_sorted_and_equal_ones_keep_their_order(count, most, dtype):
    keys = np.random.default_rng(0).integers(0, most, count).astype(dtype)
    assert np.array_equal(sparse.order_of(keys), np.argsort(keys, kind="stable"))


def test_large_keys_are_sorted():
    keys = np.random.default_rng(0).integers(0, 1 << 62, 1000)
    assert np.array_equal(sparse.order_of(keys), np.argsort(keys))


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("room", [1, 7, 64, 1 << 16])
@pytest.mark.parametrize("function", [np.add, np.maximum, np.minimum])
def test_a_product_is_the_same_for_any_number_of_rows_at_a_time(function, room, columns, monkeypatch):
    draw = np.random.default_rng(0)
    rows = np.sort(draw.choice([0, 1, 1, 1, 4, 5, 8], 40))
    bounds = compressed.bounds_of(np.bincount(rows, minlength=10))
    plain, values, dense = draw.integers(0, 6, 40), draw.normal(size=40), draw.normal(size=(6, columns))
    monkeypatch.setattr(compressed, "ROOM", room)
    made = compressed.product(bounds, plain, values, dense, function)
    assert np.array_equal(made, compressed.reduced(bounds, dense[plain] * values[:, None], function))


def test_a_product_without_rows_or_entries():
    nothing = np.zeros(0, np.int64)
    assert compressed.product(np.array([0]), nothing, np.zeros(0), np.ones((3, 2))).shape == (0, 2)
    assert compressed.product(np.zeros(4, np.int64), nothing, np.zeros(0), np.ones((3, 2))).tolist() == [[0, 0]] * 3
