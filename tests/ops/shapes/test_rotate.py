"""Turned matrices, diagonals and blocks, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from tests.ops.tables import tables


@given(tables(5, 3), st.integers(-5, 5))
def test_what_is_turned_and_what_lies_on_diagonals_is_that_of_numpy(x, k):
    np.testing.assert_array_equal(x.rot90(k).numpy(), np.rot90(x.numpy(), k))
    assert wg.trace(x).item() == pytest.approx(np.trace(x.numpy()))
    blocks = wg.block_diag(x, x.t())
    np.testing.assert_array_equal(blocks[: len(x), : x.shape[1]].numpy(), x.numpy())
    assert blocks.shape == (sum(x.shape), sum(x.shape)) and blocks.count_nonzero() == 2 * x.count_nonzero()


def test_turned_copies_lie_as_flipped_ones():
    x = wg.arange(25.0).reshape(1, 5, 5).permute(0, 2, 1).expand(5, 5, 5)
    assert wg.rot90(x).stride() == (1, 25, 5) and wg.rot90(x, 2).stride() == (25, 1, 5)
    assert wg.rot90(x, 4).stride() == (25, 5, 1)
    assert wg.rot90(x).equal(x.flip(1).transpose(0, 1))
