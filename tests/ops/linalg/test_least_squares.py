"""Least squares: drivers, ranks, residuals, and how they lie in memory."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from tests.ops.linalg.matrices import drawn


def singular(rank: int) -> wg.Tensor:
    """A matrix of 3 rows of a smaller rank."""
    return drawn(3, rank, seed=2) @ drawn(rank, 3, seed=3)


def test_ranks_and_least_squares_of_matrices_without_full_rank():
    a = singular(2)
    assert int(wg.linalg.matrix_rank(a)) == 2
    assert int(wg.linalg.matrix_rank(a @ a.mT, hermitian=True)) == 2
    b = drawn(3, 2, seed=5)
    found = wg.linalg.lstsq(a, b, driver="gelsd")
    assert int(found.rank) == 2 and not found.residuals.numel()
    assert np.allclose(found.solution.numpy(), np.linalg.lstsq(a.numpy(), b.numpy(), rcond=None)[0])


@pytest.mark.parametrize("rows", [5, 20])
def test_the_drivers_of_least_squares_give_what_torchs_give(rows):
    a, b = drawn(rows, 4, seed=6), drawn(rows, 2, seed=7)
    shapes = {None: (0, 0, 0), "gelsy": (0, 0, 0), "gels": (2, 1, 0), "gelsd": (2, 0, 4), "gelss": (2, 0, 4)}
    for driver, (residuals, ranks, values) in shapes.items():
        found = wg.linalg.lstsq(a, b, driver=driver)
        assert (*found.residuals.shape, *found.singular_values.shape) == (residuals, values), driver
        assert found.rank.ndim == ranks, driver


def test_gels_refuses_what_is_not_of_full_rank_and_gives_residuals_of_all_else():
    sides = wg.ones(3, 1)
    for matrix, place in (([[1.0, 0], [0, 0], [0, 0]], 2), ([[0.0, 1], [0, 1], [0, 2]], 1)):
        with pytest.raises(wg.linalg.LinAlgError, match=rf"does not have full rank \(error code: {place}\)"):
            wg.linalg.lstsq(wg.tensor(matrix), sides, driver="gels")
    with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): .*full rank \(error code: 2\)"):
        wg.linalg.lstsq(wg.stack([wg.eye(3, 2), wg.eye(3, 1) @ wg.eye(1, 2)]), wg.ones(2, 3, 1), driver="gels")
    made = wg.linalg.lstsq(wg.zeros(3, 2), sides * 0, driver="gels")
    assert made.solution.tolist() == [[0], [0]]
    assert made.residuals.tolist() == [0]


def test_ranks_lie_in_rows_whatever_the_order_of_the_batch():
    a, b = wg.rand(2, 3, 4, 2).transpose(0, 1), wg.rand(3, 2, 4, 1)
    found = wg.linalg.lstsq(a, b, driver="gelsd")
    assert found.rank.tolist() == [[2, 2]] * 3 and found.rank.stride() == (2, 1)
    assert found.singular_values.stride() == (4, 2, 1)


def test_residuals_of_least_squares_are_rows():
    a, b = (wg.rand(3, 3, 4, 2).permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0) for _ in range(2))
    assert wg.linalg.lstsq(a, b, driver="gels").residuals.stride() == (6, 2, 1)
