"""Colourings of sparse matrices, and the elements that are found again from sums of columns."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, strategies as st

from wengert.func.sparse.colouring import column_colours, recovered, star_colours


@st.composite
def patterns(draw, symmetric=False):
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    if symmetric:
        columns = rows
    bits = draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns))
    dense = np.reshape(bits, (rows, columns))
    return dense | dense.T if symmetric else dense


@given(patterns())
def test_columns_of_one_colour_share_no_row_and_the_matrix_is_found_again(dense):
    pattern = scipy.sparse.csr_array(dense)
    colours = column_colours(pattern)
    for colour in range(colours.max() + 1):
        assert (colours == colour).any()
        assert dense[:, colours == colour].sum(axis=1).max() <= 1
    values = np.arange(1.0, dense.size + 1).reshape(dense.shape) * dense
    check_recovery(pattern, colours, values)


@given(patterns(symmetric=True))
def test_no_path_of_four_has_two_colours_and_the_symmetric_matrix_is_found_again(dense):
    pattern = scipy.sparse.csr_array(dense)
    colours = star_colours(pattern)
    near = [np.flatnonzero(row & (np.arange(len(row)) != at)) for at, row in enumerate(dense)]
    for first in range(len(near)):
        assert all(colours[first] != colours[second] for second in near[first])
        for second in near[first]:
            for third in near[second]:
                for fourth in near[third]:
                    if len({first, second, third, fourth}) == 4:
                        assert len({colours[each] for each in (first, second, third, fourth)}) > 2
    values = np.arange(1.0, dense.size + 1).reshape(dense.shape)
    check_recovery(pattern, colours, (values + values.T) * dense)


def check_recovery(pattern, colours, values):
    seeds = np.eye(colours.max() + 1)[colours]
    found = recovered(pattern, colours, values @ seeds)
    assert found.tolist() == values[pattern.nonzero()].tolist()


def test_a_wrong_colouring_is_noticed_by_the_recovery():
    dense = np.ones((2, 2), bool)
    with pytest.raises(AssertionError):
        check_recovery(scipy.sparse.csr_array(dense), np.zeros(2, int), np.array([[1.0, 2.0], [3.0, 4.0]]))
