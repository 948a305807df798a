"""Systems of equations: triangles with zeros, factors that are not finite, and nothing to solve."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.ops.linalg.matrices import drawn


@given(st.integers(0, 4), st.integers(0, 3), st.lists(st.integers(0, 2), max_size=2), st.booleans())
@settings(max_examples=60, deadline=None)
def test_solutions_solve_their_systems(size, columns, batch, left):
    a = drawn(*batch, size, size, dtype="complex128") + 4 * wg.eye(size, dtype=wg.complex128)
    b = drawn(*batch, *((size, columns) if left else (columns, size)), seed=1, dtype="complex128")
    for x, used in (
        (wg.linalg.solve(a, b, left=left), a),
        (wg.linalg.solve_triangular(a, b, upper=True, left=left), a.triu()),
        (wg.linalg.solve_triangular(a, b, upper=False, left=left), a.tril()),
        (wg.linalg.lu_solve(*wg.linalg.lu_factor(a), b, left=left), a),
        (wg.linalg.lu_solve(*wg.linalg.lu_factor(a), b, left=left, adjoint=True), a.mH),
    ):
        assert wg.allclose(used @ x if left else x @ used, b)


def test_zeros_on_the_diagonal_of_a_triangular_matrix_divide():
    a = wg.tensor([[1.0, 2.0], [0.0, 0.0]])
    found = wg.linalg.solve_triangular(a, wg.tensor([[1.0], [1.0]]), upper=True)
    assert found.tolist() == [[-math.inf], [math.inf]]


@pytest.mark.parametrize("dtype", [wg.float64, wg.complex128])
def test_factors_that_are_not_finite_give_systems_a_solution_that_is_not(dtype):
    factors = wg.ones(2, 5, 5, dtype=dtype).tril()
    factors[0, 2, 2] = float("nan")  # LAPACK took the whole batch for singular
    found = wg.cholesky_solve(wg.ones(2, 5, 3, dtype=dtype), factors)
    assert found[1].isfinite().all() and not found[0].isfinite().any()
    solved = wg.linalg.solve_triangular(factors, wg.ones(2, 5, 3, dtype=dtype), upper=False)
    assert solved[0, :2].isfinite().all() and not solved[0, 2:].isfinite().any() and solved[1].isfinite().all()


def test_a_matrix_is_factored_although_nothing_is_to_be_solved():
    with pytest.raises(wg.linalg.LinAlgError, match="the input matrix is singular"):
        wg.linalg.solve(wg.zeros(3, 3), wg.zeros(0, 3, 1))
    assert wg.linalg.solve_ex(wg.zeros(1, 3, 3), wg.zeros(0, 3, 1)).info.tolist() == [1]
    assert wg.linalg.solve_ex(wg.zeros(3, 3), wg.zeros(0, 3, 1)).info.shape == ()
