"""Conditions of singular matrices, and eigenvalues of matrices of which one triangle is not read."""

from __future__ import annotations

import math

import pytest

import wengert as wg
from wengert.func import grad, vmap


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("order", [None, 2, -2, 1, -1, math.inf, -math.inf, "fro", "nuc"])
def test_the_condition_of_zeros_is_infinite(order, dtype):
    matrices = wg.stack([wg.zeros(2, 2), wg.eye(2)]).to(getattr(wg, dtype))
    for condition in (wg.linalg.cond(matrices, order), vmap(lambda a: wg.linalg.cond(a, order))(matrices)):
        assert condition[0] == math.inf
        assert math.isclose(condition[1], {"fro": 2.0, "nuc": 4.0}.get(order, 1.0), rel_tol=1e-6)


@pytest.mark.parametrize("order", [None, 1, math.inf, "fro"])
def test_the_condition_of_a_regular_matrix_keeps_its_gradient(order):
    matrix = wg.tensor([[2.0, 1.0], [0.5, 3.0]], dtype=wg.float64)
    assert wg.autograd.gradcheck(lambda a: wg.linalg.cond(a, order), matrix.clone().requires_grad_())
    assert grad(lambda a: wg.linalg.cond(a, order))(matrix).isfinite().all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("side", ["L", "U"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_only_the_triangle_that_is_read_spoils_eigenvalues(value, side, dtype):
    matrix = wg.tensor([[1.0, 2.0], [2.0, 3.0]]).to(getattr(wg, dtype))
    other, read = matrix.clone(), matrix.clone()
    place = (0, 1) if side == "L" else (1, 0)
    other[place] = value
    read[place[::-1]] = value
    wanted = wg.linalg.eigvalsh(matrix)
    for values in (wg.linalg.eigvalsh(other, side), wg.linalg.eigh(other, side).eigenvalues):
        assert wg.allclose(values, wanted)
    for values in (wg.linalg.eigvalsh(read, side), wg.linalg.eigh(read, side).eigenvalues):
        assert values.isnan().all()


def test_nan_on_the_diagonal_spoils_its_matrix_alone():
    matrices = wg.stack([wg.eye(2), wg.eye(2) * math.nan])
    values = wg.linalg.eigvalsh(matrices)
    assert wg.equal(values[0], wg.ones(2))
    assert values[1].isnan().all()


def test_the_mode_is_nan_only_where_nothing_else_is():
    nan = math.nan
    for values, mode, index in (
        ([nan, 1.0, nan, 2.0], 1.0, 1),
        ([nan, 1.0, 1.0], 1.0, 2),
        ([2.0, nan, nan, nan, 1.0, 1.0], 1.0, 5),
    ):
        found = wg.tensor(values).mode()
        assert (found.values, found.indices) == (mode, index)
        batched = vmap(lambda x: tuple(x.mode()))(wg.tensor([values]))
        assert (batched[0][0], batched[1][0]) == (mode, index)
    assert wg.tensor([nan, nan]).mode().values.isnan()
