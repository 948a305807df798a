"""Counts of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import wengert as wg


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(0, 12))
def test_counts_of_integers_are_those_of_numpy(numbers, least):
    x = wg.tensor(numbers, dtype=wg.int64)
    assert wg.bincount(x, minlength=least).tolist() == np.bincount(np.array(numbers, int), minlength=least).tolist()


def test_halves_count_as_weights() -> None:
    for dtype in (wg.float16, wg.bfloat16):
        made = wg.bincount(wg.tensor([0, 1, 1]), wg.tensor([0.5, 0.25, 1], dtype=dtype))
        assert made.dtype is wg.float64 and made.tolist() == [0.5, 1.25]
