"""Places among sorted elements, and membership, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

NUMBERS = st.lists(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, float("nan"), float("inf")]), min_size=1, max_size=90
)
ORDINARY = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=90)


@given(ORDINARY, NUMBERS, st.booleans())
def test_places_among_sorted_elements_are_those_of_numpy(edges, values, right):
    edges = sorted(edges)
    found = wg.searchsorted(wg.tensor(edges), wg.tensor(values), right=right)
    wanted = np.searchsorted(np.array(edges), np.array(values), "right" if right else "left")
    wanted[np.isnan(values)] = len(edges)
    assert found.tolist() == wanted.tolist()
    rows = wg.searchsorted(wg.tensor([edges, edges]), wg.tensor([values, values]), right=right)
    assert rows.tolist() == [found.tolist()] * 2
    assert wg.bucketize(wg.tensor(values), wg.tensor(edges), right=right).tolist() == found.tolist()
    assert wg.bucketize(values[0], wg.tensor(edges), right=right).item() == found[0].item()


def test_searching_takes_a_row_of_edges_for_each_member_of_a_batch():
    edges = wg.tensor([[1.0, 3.0, 5.0], [0.0, 2.0, 9.0]])
    values = wg.tensor([[3.0, 4.0], [2.5, 9.5]])
    found = wg.func.vmap(wg.searchsorted)(edges, values)
    assert found.tolist() == [wg.searchsorted(*each).tolist() for each in zip(edges, values)]
    shared = wg.func.vmap(wg.searchsorted, (None, 0))(edges[0], values)
    assert shared.tolist() == wg.searchsorted(edges[0], values).tolist()


@given(NUMBERS, ORDINARY, st.booleans())
def test_membership_is_that_of_numpy(numbers, tests, invert):
    found = wg.isin(wg.tensor(numbers), wg.tensor(tests), invert=invert)
    assert found.tolist() == np.isin(numbers, tests, invert=invert).tolist()


def test_a_number_is_compared_in_the_dtype_of_the_tensor():
    x = wg.tensor([0.1, 0.7])
    assert wg.isin(x, 0.1).tolist() == [True, False]
    assert wg.searchsorted(x, 0.7).item() == wg.bucketize(0.7, x).item() == 1


def test_boundaries_and_values_come_to_one_dtype_first():
    edges = wg.tensor([0.5, 1.5], dtype=wg.bfloat16)
    assert wg.bucketize(wg.tensor([False, True]), edges).tolist() == [0, 1]
    assert wg.bucketize(wg.tensor([1, 2]).to(wg.uint16), edges).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [wg.uint16, wg.uint32, wg.uint64])
def test_a_number_is_looked_for_among_wide_unsigned_integers(dtype):
    x = wg.tensor([1, 200], dtype=dtype)
    assert wg.isin(x, 200).tolist() == [False, True] and wg.isin(x, 200, invert=True).tolist() == [True, False]
    with pytest.raises(NotImplementedError, match="isin_default_cpu"):
        wg.isin(x, x)


def test_truth_values_have_places_among_numbers_and_numbers_among_them():
    truths, numbers = wg.tensor([False, True, True]), wg.tensor([0, 1, 2])
    assert wg.searchsorted(truths, numbers).tolist() == [0, 1, 3]
    assert wg.searchsorted(numbers, truths).tolist() == [0, 1, 1]
    assert wg.bucketize(numbers.float(), truths, right=True).tolist() == [1, 3, 3]
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        wg.searchsorted(truths, truths)
