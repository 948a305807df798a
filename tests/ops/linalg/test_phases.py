"""What depends on the phases of eigenvectors or singular vectors has no gradient, on whatever scale."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg

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
