"""Products of vectors that are perpendicular to both."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import wengert as wg
from tests.ops.tables import tables


@given(tables(3, 3).filter(lambda x: x.shape[1] == 3))
def test_cross_products_are_those_of_numpy(x):
    other = x.flip(0) + 1
    np.testing.assert_allclose(wg.cross(x, other, dim=1).numpy(), np.cross(x.numpy(), other.numpy()), atol=1e-9)


def test_a_cross_product_lies_in_rows():
    x = wg.rand(5, 3, 4).permute(2, 1, 0)
    assert wg.cross(x, x, dim=1).stride() == wg.linalg.cross(x, x, dim=1).stride() == (15, 5, 1)
