"""Norms over all dimensions but one."""

from __future__ import annotations

import wengert as wg


def test_the_norms_of_single_elements_are_of_the_order_asked_for():
    x = wg.tensor([1.0, -2.0, 0.0])
    assert wg.norm_except_dim(x, 0).tolist() == [1, 1, 0]
    assert wg.norm_except_dim(x, 3).tolist() == [1, 2, 0]
