"""Inverses and pseudo-inverses: tolerances, pivots, and matrices without elements."""

from __future__ import annotations

import pytest

import wengert as wg


def test_tolerances_that_do_not_broadcast_with_the_matrices_are_named():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(2\)"):
        wg.linalg.pinv(wg.ones(2, 5, 5), rtol=wg.zeros(3))


def test_the_inverse_of_a_tensor_of_too_few_dimensions_is_refused():
    with pytest.raises(RuntimeError, match="invalid slice, N = 2; size = 0"):
        wg.linalg.tensorinv(wg.tensor(0.5), ind=2)


def test_tolerances_of_matrices_without_elements_are_not_compared():
    for shape in ((0, 5, 5), (2, 0, 0), (2, 2, 0)):
        made = wg.linalg.pinv(wg.zeros(shape), rtol=wg.ones(3))
        assert made.shape == (*shape[:-2], shape[-1], shape[-2])
    with pytest.raises(RuntimeError, match=r"tensor a \(3\) must match the size of tensor b \(2\)"):
        wg.linalg.pinv(wg.zeros(2, 2, 2), rtol=wg.ones(3))


def test_the_pivot_that_is_zero_is_counted_in_the_matrix_itself():
    for matrix, pivot in (([[0.0, 1], [0, 2]], 1), ([[1.0, 2], [2, 4]], 2)):
        assert wg.linalg.inv_ex(wg.tensor(matrix))[1].item() == pivot
        with pytest.raises(RuntimeError, match=f"The diagonal element {pivot} is zero"):
            wg.linalg.inv(wg.tensor(matrix))


def test_a_tolerance_with_a_dimension_leaves_the_gradient_in_the_shape_of_the_matrix():
    x = wg.eye(2).requires_grad_()
    made = wg.linalg.pinv(x, rtol=wg.tensor([0.1]))
    assert made.shape == (1, 2, 2) and wg.autograd.grad(made.sum(), x)[0].tolist() == [[-1, -1], [-1, -1]]
