"""Triangular factors: of matrices that have none, and how they lie in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg


@pytest.mark.parametrize("upper", [False, True])
def test_a_factor_that_does_not_exist_is_left_where_its_elimination_ended(upper):
    matrices = wg.tensor([[[4.0, 2, 1], [2, 1, 3], [1, 3, 9]], [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], np.eye(3).tolist()])
    factor, info = wg.linalg.cholesky_ex(matrices, upper=upper)
    assert info.tolist() == [2, 1, 0]
    first = wg.tensor([[2.0, 0, 0], [1, 0, 0], [0.5, 3, 9]])
    wanted = wg.stack([first, wg.diag(wg.tensor([-1.0, 1, 1])), wg.eye(3)])
    assert wg.equal(factor, wanted.mT if upper else wanted)


def test_what_is_left_of_a_complex_factor_has_a_real_pivot():
    factor, info = wg.linalg.cholesky_ex(wg.tensor([[1, 2j, 0], [-2j, 1, 5], [0, 5, 7 + 0j]]))
    assert info.item() == 2
    assert factor.tolist() == [[1, 0, 0], [-2j, -3, 0], [0, 5, 7]]


def test_triangular_factors_lie_in_columns_and_nothing_in_rows_for_the_older_function():
    for upper in (False, True):
        assert wg.cholesky(wg.zeros(0, 5, 5), upper=upper).stride() == (25, 5, 1)
        assert wg.linalg.cholesky(wg.zeros(0, 5, 5), upper=upper).stride() == (25, 1, 5)
        ones = wg.ones(1, 1, 5, 1).expand(1, 1, 5, 5)
        assert wg.linalg.cholesky_ex(ones, upper=upper).L.stride() == (25, 25, 1, 5)


@pytest.mark.parametrize("upper", [False, True])
def test_a_matrix_with_nan_is_not_positive_definite(upper):
    x = wg.eye(3).expand(2, 3, 3).clone()
    x[1, 1, 1] = math.nan
    assert wg.linalg.cholesky_ex(x, upper=upper).info.tolist() == [0, 2]
    with pytest.raises(wg.linalg.LinAlgError, match=r"Batch element 1\): .* minor of order 2 is not"):
        wg.linalg.cholesky(x, upper=upper)
