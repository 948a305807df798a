"""Eigenvalues of matrices of which one triangle is not read, of equal values, and of phases."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from tests.ops.linalg.matrices import drawn as normal_matrix


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


CASES = [(dtype, scale) for dtype in ("complex64", "complex128") for scale in (1e-3, 1.0, 1e6)]


def drawn(dtype: str) -> wg.Tensor:
    random = np.random.default_rng(0)
    return wg.tensor((random.standard_normal((4, 4)) + 1j * random.standard_normal((4, 4))).astype(dtype))


def vectors(matrix: wg.Tensor) -> dict[str, wg.Tensor]:
    u, _, vh = wg.linalg.svd(matrix)
    hermitian = wg.linalg.eigh(matrix + matrix.mH).eigenvectors
    return {"eigh": hermitian, "eig": wg.linalg.eig(matrix).eigenvectors, "U": u, "Vh": vh, "both": u * vh}


@pytest.mark.parametrize(("dtype", "scale"), CASES)
@pytest.mark.parametrize("name", ["eigh", "eig", "U", "Vh", "both"])
def test_gradients_that_depend_on_phases_are_refused(name, dtype, scale):
    matrix = drawn(dtype).requires_grad_()
    loss = vectors(matrix)[name].real.sum() * scale
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        loss.backward()


@pytest.mark.parametrize(("dtype", "scale"), CASES)
@pytest.mark.parametrize("name", ["eigh", "eig", "U", "Vh"])
def test_gradients_that_do_not_depend_on_phases_are_given(name, dtype, scale):
    matrix = drawn(dtype).requires_grad_()
    weights = wg.arange(16.0).reshape(4, 4)
    for loss in ((vectors(matrix)[name].abs() ** 2 * weights).sum(), (vectors(matrix)[name].abs() ** 2).sum()):
        (grad,) = wg.autograd.grad(loss * scale, matrix)
        assert grad.isfinite().all()


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unitary_factor_has_a_gradient(scale, size):
    matrix = drawn("complex128")[:size, :size].clone().requires_grad_()
    u, _, vh = wg.linalg.svd(matrix)
    (grad,) = wg.autograd.grad((u @ vh).real.sum() * scale, matrix)
    assert grad.isfinite().all()


def test_equal_values_have_gradients_though_their_vectors_have_none():
    a = wg.eye(3, dtype=wg.float64).requires_grad_()
    for function in (wg.linalg.eigvalsh, wg.linalg.svdvals):
        (grad,) = wg.autograd.grad(function(a).sum(), a)
        assert wg.allclose(grad, wg.eye(3, dtype=wg.float64))
    (grad,) = wg.autograd.grad(wg.linalg.eigh(a).eigenvectors[0, 1], a)
    assert not bool(grad.isfinite().all())


def test_gradients_that_depend_on_the_phases_of_vectors_are_refused():
    a = normal_matrix(3, 3, dtype="complex128").requires_grad_()
    hermitian = a + a.mH
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.eigh(hermitian).eigenvectors.real.sum().backward()
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.eig(a).eigenvectors.real.sum().backward()
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.svd(a).U.real.sum().backward()
