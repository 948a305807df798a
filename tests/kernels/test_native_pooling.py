"""The greatest along lines, with and without their places."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

import wengert as wg


@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 4), st.integers(1, 3), st.booleans(), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_the_greatest_along_a_line_are_those_found_with_their_places(length, kernel, stride, dilation, ceil, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(2, length)).astype(np.float32)
    x[random.random(x.shape) < 0.1] = np.nan
    if length + 2 * (kernel // 2) < dilation * (kernel - 1) + 1:
        return
    options = {"stride": stride, "padding": kernel // 2, "dilation": dilation, "ceil_mode": ceil}
    alone = wg.nn.functional.max_pool1d(wg.tensor(x), kernel, **options)
    found, _ = wg.nn.functional.max_pool1d(wg.tensor(x), kernel, return_indices=True, **options)
    np.testing.assert_array_equal(alone.numpy(), found.numpy())
