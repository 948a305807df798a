"""Distinct elements and slices, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

NUMBERS = st.lists(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, float("nan"), float("inf")]), min_size=1, max_size=90
)


@given(NUMBERS)
def test_what_is_unique_makes_the_tensor_again(numbers):
    x = wg.tensor(numbers)
    for function in (wg.unique, wg.unique_consecutive):
        found, inverse, counts = function(x, return_inverse=True, return_counts=True)
        np.testing.assert_array_equal(found.numpy()[inverse.numpy()], x.numpy())
        assert counts.tolist() == np.bincount(inverse.numpy().astype(np.intp), minlength=len(found)).tolist()
    np.testing.assert_array_equal(wg.unique(x).numpy(), np.unique(x.numpy(), equal_nan=False))


@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=1, max_size=9))
def test_unique_slices_are_those_of_numpy(rows):
    found, inverse, counts = wg.unique(wg.tensor(rows), return_inverse=True, return_counts=True, dim=0)
    wanted = np.unique(np.array(rows), axis=0, return_inverse=True, return_counts=True)
    assert found.tolist() == wanted[0].tolist()
    assert inverse.tolist() == wanted[1].reshape(-1).tolist()
    assert counts.tolist() == wanted[2].tolist()
    assert len(wg.unique(wg.tensor([[1.0, float("nan")]] * 2), dim=0)) == 2
    assert wg.unique(wg.zeros(0, 2), dim=0).shape == (0, 2)
    turned = wg.unique(wg.tensor(rows).t(), dim=1)
    assert turned.tolist() == wanted[0].T.tolist()


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
def test_distinct_slices_lie_in_the_order_in_which_they_were_compared(name):
    x = wg.tensor([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])
    function = getattr(wg, name)
    assert [function(x, dim=dim).stride() for dim in range(3)] == [(4, 2, 1), (2, 4, 1), (2, 1, 4)]
