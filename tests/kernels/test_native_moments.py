"""Rules of variances, norms, products and logsumexp: native gradients beside float64, for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg

RULES = {
    "var": lambda x, dim: x.var(dim),
    "std": lambda x, dim: x.std(dim),
    "norm": lambda x, dim: wg.linalg.vector_norm(x, 2, dim),
    "prod": lambda x, dim: (x * 0.01 + 1).prod(dim) if dim is not None else (x * 0.0001 + 1).prod(),
    "logsumexp": lambda x, dim: x.logsumexp(tuple(range(x.ndim)) if dim is None else dim),
}
SHAPES = [(300_000,), (3, 100_000), (2, 70_000), (500, 300), (7, 9, 11)]


def gradient(name, values, dim, threads=1):
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        x = wg.tensor(values, requires_grad=True)
        found = RULES[name](x, dim)
        found.backward(wg.linspace(0.5, 1.5, max(found.numel(), 1)).reshape(found.shape).to(found.dtype))
        return x.grad.numpy()
    finally:
        wg.set_num_threads(before)


@pytest.mark.parametrize("name", RULES)
@given(shape=st.sampled_from(SHAPES), whole=st.booleans(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=12)
def test_gradients_agree_with_float64_and_do_not_depend_on_threads(name, shape, whole, seed):
    values = np.random.default_rng(seed).standard_normal(shape)
    dim = None if whole else len(shape) - 1
    single = gradient(name, values.astype(np.float32), dim)
    wide = gradient(name, values.astype(np.float32).astype(np.float64), dim)
    error = 5e-3 if name == "prod" else 2e-4  # of so many factors, each rounded
    np.testing.assert_allclose(single, wide, rtol=error, atol=error / 10 * np.abs(wide).max())
    for threads in (2, 3):
        assert np.array_equal(gradient(name, values.astype(np.float32), dim, threads), single)


@pytest.mark.parametrize("count", [5, 100_000])
def test_the_gradient_of_a_norm_of_zeros_is_zero_and_of_nan_is_nan(count):
    x = wg.zeros(3, count)
    x[1, 0] = float("nan")
    x[2, 0] = 2.0
    x.requires_grad_()
    wg.linalg.vector_norm(x, 2, 1).sum().backward()
    assert (x.grad[0] == 0).all() and x.grad[1].isnan().all()
    assert x.grad[2, 0] == 1 and (x.grad[2, 1:] == 0).all()


def test_a_product_with_zeros_has_the_gradient_that_its_other_factors_give():
    x = wg.ones(100_000)
    x[70_000] = 0.0
    x.requires_grad_()
    x.prod().backward()
    assert x.grad[70_000] == 1 and x.grad.sum() == 1


COLUMNS = [((30, 20), 0), ((5, 40, 9), 1), ((70, 600), 0), ((2, 3, 200), 1)]


@pytest.mark.parametrize(("shape", "dim"), COLUMNS, ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_logsumexp_of_columns_is_that_of_rows(shape, dim, turned):
    """Of arrays in rows, and of transposed ones whose rows are columns in memory."""
    values = np.random.default_rng(1).standard_normal(shape) * 3
    values.reshape(-1)[[0, 7, 21]] = np.inf, -np.inf, 800.0
    if not turned:
        values[..., 3] = -np.inf
    x = wg.tensor(values).requires_grad_()
    lines = x.movedim(dim, -1) if turned else x
    place = -1 if turned else dim
    found = lines.logsumexp(place)
    rows = wg.tensor(np.ascontiguousarray(np.moveaxis(values, dim, -1))).requires_grad_()
    expected = rows.logsumexp(-1)
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-12)
    weights = wg.linspace(0.5, 1.5, expected.numel(), dtype=wg.float64).reshape(expected.shape)
    found.backward(weights)
    expected.backward(weights)
    np.testing.assert_allclose(np.moveaxis(x.grad.numpy(), dim, -1), rows.grad.numpy(), rtol=1e-10, atol=1e-300)


def test_logsumexp_of_columns_keeps_what_small_terms_add():
    values = np.zeros((2, 20))
    values[1] = -np.arange(20.0) * 4 - 20
    found = wg.tensor(values).logsumexp(0).numpy()
    np.testing.assert_allclose(found, np.log1p(np.exp(values[1])), rtol=1e-12)
