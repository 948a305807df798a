"""Quantiles, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

ORDINARY = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=90)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(numbers=ORDINARY, fractions=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_quantiles_are_those_of_numpy(interpolation, numbers, fractions):
    x, q = wg.tensor(numbers, dtype=wg.float64), wg.tensor(fractions, dtype=wg.float64)
    wanted = np.quantile(x.numpy(), q.numpy(), method=interpolation)
    if interpolation != "nearest":  # which of two as near, torch and NumPy decide differently
        np.testing.assert_allclose(wg.quantile(x, q, interpolation=interpolation).numpy(), wanted, atol=1e-12)
    np.testing.assert_array_equal(
        wg.nanquantile(wg.cat([x, wg.tensor([float("nan")])]), q, interpolation=interpolation).numpy(),
        wg.quantile(x, q, interpolation=interpolation).numpy(),
    )
