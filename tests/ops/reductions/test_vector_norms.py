"""Norms and distances of numbers whose powers overflow or underflow, with their gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert.func import grad, hessian, jvp, vmap

ORDERS = [0.5, 1, 1.5, 2, 3, 7, 40, -1, -2, math.inf, -math.inf]
SCALES = {"float16": [1e-3, 1e3], "bfloat16": [1e-30, 1e30], "float32": [1e-30, 1e30], "float64": [1e-200, 1e200]}
COMPLEX = {"complex64": [1e-30, 1e30], "complex128": [1e-200, 1e200]}
CASES = [(dtype, scale) for dtype, scales in (SCALES | COMPLEX).items() for scale in scales]
ROUNDING = {
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float64": 1e-12,
    "complex128": 1e-12,
}


def numbers(dtype: str) -> np.ndarray:
    values = np.array([[3.0, -4.0, 0.5], [1.0, 2.0, -2.0]])
    return values * (0.6 + 0.8j) if dtype.startswith("complex") else values


def scaled(dtype: str, scale: float) -> wg.Tensor:
    return wg.tensor(numbers(dtype) * scale, dtype=getattr(wg, dtype))


def exact_norm(values: wg.Tensor, order: float, dim: int) -> wg.Tensor:
    """The norm in float64 of numbers that need no scaling."""
    size = values.abs()
    if math.isinf(order):
        return size.amax(dim) if order > 0 else size.amin(dim)
    return size.pow(order).sum(dim).pow(1 / order)


def exact(dtype: str, order: float, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Norm and gradient of the sum of all norms, of `numbers`."""
    wide = wg.complex128 if dtype.startswith("complex") else wg.float64
    values = wg.tensor(numbers(dtype), dtype=wide).requires_grad_()
    norm = exact_norm(values, order, dim)
    return norm.detach().numpy(), wg.autograd.grad(norm.sum(), values)[0].numpy()


def assert_close(result: wg.Tensor, wanted: np.ndarray, dtype: str, scale: float = 1.0) -> None:
    wide = result.detach().to(wg.complex128 if result.is_complex() else wg.float64).numpy() / scale
    np.testing.assert_allclose(wide, wanted, rtol=ROUNDING[dtype], atol=ROUNDING[dtype] * np.abs(wanted).max())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("dtype", "scale"), CASES)
def test_norms_and_their_gradients_are_right_where_powers_overflow_or_underflow(dtype, scale, order):
    values = scaled(dtype, scale)
    wanted, slope = exact(dtype, order, -1)

    def norm(x, dim=None):
        return wg.linalg.vector_norm(x, order, dim)

    assert_close(norm(values, -1), wanted, dtype, scale)
    assert_close(vmap(norm)(values), wanted, dtype, scale)
    leaf = values.clone().requires_grad_()
    for create_graph in (False, True):
        (plain,) = wg.autograd.grad(norm(leaf, -1).sum(), leaf, create_graph=create_graph)
        assert_close(plain, slope, dtype)
    assert_close(vmap(grad(norm))(values), slope, dtype)
    assert_close(grad(lambda x: vmap(norm)(x).sum())(values), slope, dtype)
    tangent = scaled(dtype, 1.0)
    along = (slope.conj() * tangent.to(wg.complex128 if values.is_complex() else wg.float64).numpy()).sum(-1).real
    assert_close(jvp(lambda x: norm(x, -1), (values,), (tangent,))[1], along, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("order", [1.5, 2, 3, 7])
def test_the_gradient_exists_where_the_norm_itself_overflows(dtype, order):
    kind = getattr(wg, dtype)
    values = wg.full((400,), wg.finfo(kind).max / 2, dtype=kind)
    assert wg.linalg.vector_norm(values, order).isinf()
    single = grad(lambda x: wg.linalg.vector_norm(x, order))
    wanted = np.full(400, 400 ** (1 / order - 1))
    assert_close(single(values), wanted, dtype)
    assert_close(vmap(single)(values[None])[0], wanted, dtype)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("order", [1.5, 2, 3])
def test_second_derivatives_of_norms_scale(scale, order):
    values = wg.tensor([3.0, 4.0, 0.5], dtype=wg.float64)
    second = hessian(lambda x: wg.linalg.vector_norm(x, order))
    assert wg.allclose(second(values * scale) * scale, second(values), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf, -1, -2])
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_norms_of_matrices_scale(scale, order):
    matrix = wg.tensor([[3.0, 1.0], [-2.0, 5.0]], dtype=wg.float64)
    for function in (lambda x: wg.linalg.matrix_norm(x, order), lambda x: wg.linalg.norm(x, order)):
        assert wg.allclose(function(matrix * scale) / scale, function(matrix), rtol=1e-12, atol=0)
        assert wg.allclose(grad(function)(matrix * scale), grad(function)(matrix), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2, 3, math.inf])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_gradients_at_zero_are_zero(dtype, order):
    zeros = wg.zeros(2, 3, dtype=getattr(wg, dtype))
    gradient = grad(lambda x: wg.linalg.vector_norm(x, order, -1).sum())
    assert wg.equal(gradient(zeros), zeros)
    assert wg.equal(vmap(grad(lambda x: wg.linalg.vector_norm(x, order)))(zeros), zeros)


def test_many_elements_and_columns_are_scaled_too():
    values = wg.full((5000, 3), 1e200, dtype=wg.float64)
    values[:, 1] = 1e-200
    values[:, 2] = 1.0
    wanted = np.array([1e200, 1e-200, 1.0]) * math.sqrt(5000)
    np.testing.assert_allclose(wg.linalg.vector_norm(values, 2, 0).numpy(), wanted, rtol=1e-12)
    assert math.isclose(wg.dist(values[:, 0], -values[:, 0]).item(), 2e200 * math.sqrt(5000), rel_tol=1e-12)
    assert math.isclose(wg.dist(wg.full((40000,), 1e200, dtype=wg.float64), wg.zeros(())).item(), 2e202, rel_tol=1e-12)


@pytest.mark.parametrize("order", [0.5, 2, 3])
def test_infinities_and_nan_stay(order):
    values = wg.tensor([[math.inf, 1.0], [math.nan, 1.0], [math.nan, math.inf]], dtype=wg.float64)
    norm = wg.linalg.vector_norm(values, order, -1)
    assert norm[0].isinf()
    assert norm[1:].isnan().all()
    distances = wg.cdist(values, wg.zeros(1, 2, dtype=wg.float64), order)[:, 0]
    assert distances[0].isinf()
    assert distances[1:].isnan().all()


@pytest.mark.parametrize("order", [1, 2, 3, 0.5, -1, -math.inf])
def test_the_norm_of_one_element_is_its_size_whatever_its_range(order):
    x = wg.tensor([[1e30, -2.0], [-3e-30, 0.0]])
    for made in (wg.linalg.vector_norm(x.unsqueeze(1), order, 1), wg.linalg.vector_norm(x.t()[:, None], order, (1,))):
        assert made.tolist() in (x.abs().tolist(), x.t().abs().tolist())
    assert wg.linalg.vector_norm(x[0, :1], order).item() == x[0, 0].item()
