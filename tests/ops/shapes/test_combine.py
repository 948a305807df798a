"""Combinations and grids, beside itertools."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

import wengert as wg


@given(st.integers(0, 5), st.integers(0, 4), st.booleans())
def test_combinations_are_those_of_itertools(count, r, again):
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    found = wg.combinations(wg.arange(count), r, again)
    assert found.tolist() == ([list(each) for each in choose(range(count), r)] if r else [])
    grid = wg.cartesian_prod(wg.arange(count), wg.arange(2), wg.arange(r))
    assert grid.tolist() == [list(each) for each in itertools.product(range(count), range(2), range(r))]


def test_meshgrid_of_no_indexing_is_that_of_matrices():
    with pytest.warns(UserWarning, match="required to pass the indexing argument"):
        assert wg.meshgrid(wg.ones(2), wg.ones(3), indexing=None)[0].shape == (2, 3)
