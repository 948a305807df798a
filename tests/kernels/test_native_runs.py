"""Runs of equal elements, with and without their numbers and counts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

import wengert as wg


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, np.nan]), min_size=1, max_size=3000))
@settings(deadline=None, max_examples=30)
def test_runs_are_the_same_whether_their_numbers_and_counts_are_wanted_or_not(numbers):
    x = wg.tensor(numbers)
    values, inverse, counts = wg.unique_consecutive(x, return_inverse=True, return_counts=True)
    alone, only_inverse = wg.unique_consecutive(x), wg.unique_consecutive(x, return_inverse=True)
    assert wg.equal(alone.nan_to_num(7), values.nan_to_num(7)) and wg.equal(only_inverse[1], inverse)
    assert int(counts.sum()) == len(numbers) and wg.equal(counts, inverse.bincount())
    assert wg.equal(wg.signbit(alone), wg.signbit(values))
