"""Lengths that vectors are divided by."""

from __future__ import annotations

import wengert as wg
import wengert.nn.functional as F


def test_the_norm_of_no_order_is_that_of_order_2():
    assert wg.equal(F.normalize(wg.ones(2, 4), p=None), F.normalize(wg.ones(2, 4)))
