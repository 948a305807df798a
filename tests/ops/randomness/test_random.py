"""Random integers in the shape of another tensor."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("high", [wg.tensor(10.0), wg.tensor(2.5), wg.tensor(True), wg.tensor(3, dtype=wg.uint8)])
def test_an_upper_bound_may_be_a_tensor(high):
    assert wg.randint_like(wg.zeros(20), high).max() < high.to(wg.int64)
    assert wg.randint_like(wg.zeros(20), high=high).min() >= 0
    with pytest.raises(RuntimeError, match="high must be a scalar tensor"):
        wg.randint_like(wg.zeros(2), high.reshape(1))
