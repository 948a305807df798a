"""Distances between rows: NaN, infinities, ranges of numbers, dtypes and orders."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert.func import grad, vmap


@pytest.mark.parametrize("size", [1, 300])
def test_a_number_of_differences_is_none_where_one_is_nan(size):
    x = wg.tensor([[1.0, math.nan], [1.0, 3.0], [2.0, 1e-30]], requires_grad=True)
    y = x.detach().repeat(size, 1)
    assert wg.cdist(x, y, p=0.0)[:, :3].isnan().tolist() == [[True] * 3, [True, False, False], [True, False, False]]
    assert wg.cdist(x, y, p=0.0)[1:, 1:3].tolist() == [[0, 2], [2, 0]]
    assert F.pdist(x, p=0.0).isnan().tolist() == [True, True, False]
    assert wg.dist(x[0], x[1], 0).item() == 1
    assert wg.autograd.grad(wg.cdist(x, y, p=0.0).sum(), x)[0].tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("p", [1.0, 1.5, 3.0, math.inf])
def test_the_slope_of_a_difference_that_is_nan_is_nan(p):
    x = wg.tensor([[1.0, math.nan], [2.0, 3.0]], requires_grad=True)
    y = wg.tensor([[0.0, 1.0]], requires_grad=True)
    first, second = wg.autograd.grad(wg.cdist(x, y, p=p).sum(), [x, y])
    assert first[0, 1].isnan() and first[1].isfinite().all() and second[0, 1].isnan()


def test_distances_of_no_order_and_normalised_shapes_of_more_dimensions_are_refused():
    with pytest.raises(RuntimeError, match="pdist only supports non-negative p values"):
        F.pdist(wg.ones(3, 2), math.nan)
    with pytest.raises(ValueError, match="Input tensor must have at least 2 dimensions, but got 1"):
        F.rms_norm(wg.ones(12), (2, 3))


def test_counts_of_differences_have_no_slope_at_nan_either():
    x = wg.tensor([[math.nan, 1.0]], requires_grad=True)
    wg.cdist(x, wg.ones(2, 2), 0.0).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0]]


def test_the_largest_difference_has_no_slope_where_it_is_infinite():
    rows = wg.tensor([[math.inf, 1.0], [0.0, 2.0]], requires_grad=True)
    made = wg.cdist(rows, wg.tensor([[1.0, 1.0], [0.0, 2.0]]), math.inf)
    made.sum().backward()
    np.testing.assert_array_equal(rows.grad.numpy(), [[math.nan, 0], [-1, 1]])


def test_distances_between_integers_are_real_whatever_eps():
    for eps in (0, 2, False, 1e-6):
        made = F.pairwise_distance(wg.tensor([-8, 6]), wg.tensor([0, 0]), eps=eps)
        assert made.dtype is wg.float32 and made.item() == pytest.approx(math.hypot(-8 + eps, 6 + eps))


@pytest.mark.parametrize("mode", ["use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"])
def test_distances_can_be_differentiated_twice(mode):
    random = np.random.default_rng(1)
    x, y = (wg.tensor(random.standard_normal((3, 2)), requires_grad=True) for _ in range(2))
    assert wg.autograd.gradgradcheck(lambda a, b: wg.cdist(a, b, compute_mode=mode), (x, y))
    assert wg.autograd.gradgradcheck(wg.pdist, (x,))
    assert wg.autograd.gradgradcheck(lambda a: wg.pdist(a, 3.0), (x,))


SCALES = {"float16": [1e-3, 1e3], "bfloat16": [1e-30, 1e30], "float32": [1e-30, 1e30], "float64": [1e-200, 1e200]}

ROUNDING = {
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float64": 1e-12,
    "complex128": 1e-12,
}


def assert_close(result: wg.Tensor, wanted: np.ndarray, dtype: str, scale: float = 1.0) -> None:
    wide = result.detach().to(wg.complex128 if result.is_complex() else wg.float64).numpy() / scale
    np.testing.assert_allclose(wide, wanted, rtol=ROUNDING[dtype], atol=ROUNDING[dtype] * np.abs(wanted).max())


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2, 3, 7, math.inf])
@pytest.mark.parametrize(("dtype", "scale"), [(d, s) for d in ("float32", "float64") for s in SCALES[d]])
def test_distances_and_their_gradients_scale(dtype, scale, order):
    points = wg.tensor([[3.0, -4.0, 0.5], [1.0, 2.0, -2.0], [0.3, 0.0, 9.0]], dtype=getattr(wg, dtype))

    def functions(x):
        yield wg.cdist(x, -2 * x, order)
        yield wg.cdist(x, -2 * x, order, compute_mode="use_mm_for_euclid_dist")
        yield wg.pdist(x, order)
        yield wg.dist(x[0], x[1], order)
        yield F.pairwise_distance(x[0], x[1], order, eps=0.0)
        yield F.normalize(x, order, 1, eps=0.0) * (x[0, 0].detach() / 3)

    small, large = points.clone().requires_grad_(), (points * scale).requires_grad_()
    for plain, big in zip(functions(small), functions(large), strict=True):
        assert_close(big, plain.detach().double().numpy(), dtype, scale)
        wanted = wg.autograd.grad(plain.sum(), small, retain_graph=True)[0]
        for create_graph in (True, False):
            (result,) = wg.autograd.grad(big.sum(), large, retain_graph=True, create_graph=create_graph)
            assert_close(result, wanted.double().numpy(), dtype)
    for function in (lambda x: wg.cdist(x, -2 * x, order).sum(), lambda x: wg.pdist(x, order).sum()):
        wanted = grad(function)(points)
        assert_close(
            grad(lambda x, function=function: vmap(function)(x[None]).sum())(points * scale),
            wanted.double().numpy(),
            dtype,
        )
