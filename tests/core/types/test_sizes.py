"""Sizes hold integers only."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg


def test_sizes_hold_integers_only():
    assert wg.Size([True, np.int64(2), wg.tensor(3)]) == (1, 2, 3)
    assert repr(wg.Size([wg.tensor([1])])) == "torch.Size([1])"
    with pytest.raises(TypeError, match=r"takes an iterable of 'int' \(item 1 is 'float'\)"):
        wg.Size([1, 1.5])
    assert wg.Tensor(wg.Size([2, 3])).shape == (2, 3)
