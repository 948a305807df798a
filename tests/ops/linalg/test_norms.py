"""Conditions and norms of matrices: of zeros, of empty ones, and their dimensions."""

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


@pytest.mark.parametrize("order", ["nuc", 2, -2])
def test_norms_of_zero_have_gradients(order):
    a = wg.zeros(2, 2, dtype=wg.float64, requires_grad=True)
    (grad,) = wg.autograd.grad(wg.linalg.matrix_norm(a, order), a)
    assert bool(grad.isfinite().all())


@pytest.mark.parametrize("dim", [(0, 1.0), (0, wg.tensor(1.0)), (0, wg.tensor([0, 1])), (0, None)])
def test_the_dimensions_of_matrices_are_integers(dim):
    for call in (lambda x: x.norm("nuc", dim), lambda x: wg.linalg.matrix_norm(x, dim=dim)):
        with pytest.raises(TypeError):
            call(wg.rand(2, 3))


def test_the_nuclear_norm_takes_keepdim_in_the_place_of_dim():
    x = wg.rand(3, 4, dtype=wg.float64)
    assert wg.nuclear_norm(x, True).shape == (1, 1)
    assert wg.nuclear_norm(x, False).item() == pytest.approx(wg.linalg.svdvals(x).sum().item())


@pytest.mark.parametrize("ord", [1, 2, math.inf, "nuc", "fro"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 3, 0)])
def test_the_norm_of_an_empty_matrix_is_zero(shape, ord):
    assert wg.linalg.matrix_norm(wg.ones(shape), ord).tolist() in (0, [0, 0])
    assert wg.linalg.matrix_norm(wg.ones(shape), ord, keepdim=True).shape == (*shape[:-2], 1, 1)
