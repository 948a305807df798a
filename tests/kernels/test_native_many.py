"""Kernels of many elements that lately got loops of their own, beside what they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -3.0, 2.0**24 + 2, 1e-40, -1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan]


def powers(bases: Any, exponents: Any) -> np.ndarray:
    return wg.pow(wg.tensor(bases), exponents if isinstance(exponents, float) else wg.tensor(exponents)).numpy()


def test_powers_of_many_floats_are_within_an_ulp():
    random = np.random.default_rng(0)
    bases = np.exp(random.normal(size=20_000) * 8).astype(np.float32)
    bases[::3] *= -1
    whole = random.integers(-9, 10, 20_000).astype(np.float32)
    exponents = np.where(bases < 0, whole, random.normal(size=20_000) * 4).astype(np.float32)
    found = powers(bases, exponents)
    with np.errstate(over="ignore", under="ignore"):
        exact = np.power(bases.astype(np.float64), exponents.astype(np.float64))
        rounded = exact.astype(np.float32)
    assert np.array_equal(np.isinf(found), np.isinf(rounded))
    held = np.isfinite(rounded) & (np.abs(rounded) > 1e-37)
    apart = np.abs(found[held].astype(np.float64) - exact[held]) / np.spacing(np.abs(rounded[held]))
    assert apart.max() < 1


@pytest.mark.parametrize("exponent", [None, *SPECIAL])
def test_powers_of_special_numbers_are_those_of_the_c_library(exponent):
    bases = np.repeat(np.float32(SPECIAL), len(SPECIAL) * 4)
    exponents = np.tile(np.float32(SPECIAL), len(SPECIAL) * 4)
    with np.errstate(all="ignore"):
        expected = np.power(bases, exponents if exponent is None else np.float32(exponent))
    found = powers(bases, exponents if exponent is None else float(exponent))
    np.testing.assert_array_max_ulp(np.nan_to_num(found, nan=7), np.nan_to_num(expected, nan=7), 1)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(expected)])


def test_a_power_of_many_in_place_and_its_gradient_are_those_of_the_formula():
    x = wg.linspace(0.1, 3, 5000).requires_grad_()
    (x**1.5).sum().backward()
    wg.testing.assert_close(x.grad, 1.5 * x.detach().sqrt())
    y = x.detach().clone()
    y.pow_(2.5)
    wg.testing.assert_close(y, x.detach().square() * x.detach().sqrt())
    z = x.detach().clone()
    z.pow_(z)
    assert wg.equal(z, x.detach().pow(x.detach()))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 300), st.sampled_from([1.0, 2.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_distances_and_their_gradients_are_those_of_the_definition(rows, others, width, p, seed):
    random = np.random.default_rng(seed)
    a, b, weight = (random.normal(size=shape) for shape in ((2, rows, width), (2, others, width), (2, rows, others)))
    found = []
    for apart in (
        lambda x, y: wg.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"),
        lambda x, y: (x[:, :, None] - y[:, None]).norm(p, dim=-1),
    ):
        x, y = (wg.tensor(each, requires_grad=True) for each in (a, b))
        lengths = apart(x, y)
        (lengths * wg.tensor(weight)).sum().backward()
        found.append((lengths, x.grad, y.grad))
    for mine, formula in zip(*found, strict=True):
        wg.testing.assert_close(mine, formula)


@given(st.integers(1, 40), st.integers(1, 100), st.sampled_from([1.0, 2.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_distances_of_pairs_are_the_upper_triangle_of_all(rows, width, p, seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(rows, width))
    points[rows // 2 :] = points[: rows - rows // 2]  # some lie in one place
    above = np.triu_indices(rows, 1)
    found = []
    for apart in (
        lambda x: wg.pdist(x, p),
        lambda x: wg.cdist(x, x, p, compute_mode="donot_use_mm_for_euclid_dist")[
            wg.tensor(above[0]), wg.tensor(above[1])
        ],
    ):
        x = wg.tensor(points, requires_grad=True)
        lengths = apart(x)
        (lengths * wg.arange(len(above[0]), dtype=wg.float64)).sum().backward()
        found.append((lengths, x.grad))
    for mine, formula in zip(*found, strict=True):
        wg.testing.assert_close(mine, formula)


@given(st.integers(200, 700), st.integers(1, 6), st.integers(1, 40), st.booleans(), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_products_over_a_short_inner_dimension_are_products(rows, depth, columns, turned, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(depth, rows)).T if turned else random.normal(size=(rows, depth))
    weight, bias = random.normal(size=(columns, depth)), random.normal(size=columns)
    found = wg.nn.functional.linear(wg.from_numpy(x), wg.from_numpy(weight), wg.from_numpy(bias))
    np.testing.assert_allclose(found.numpy(), x @ weight.T + bias, rtol=1e-12, atol=1e-12)


INDEX = np.arange(12).reshape(4, 3) % 4
CALLS = {
    "layer_norm": lambda x: wg.nn.functional.layer_norm(x, (3,), wg.ones(3), wg.zeros(3)),
    "group_norm": lambda x: wg.nn.functional.group_norm(x.unsqueeze(0), 2, wg.ones(4), wg.zeros(4)),
    "scatter": lambda x: x.scatter(0, wg.tensor(INDEX), x + 1),
    "gather": lambda x: x.gather(0, wg.tensor(INDEX)),
    "angle": lambda x: x.angle(),
    "avg_pool1d": lambda x: wg.nn.functional.avg_pool1d(x, 2, 1, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_expanded_gradient_gives_what_a_dense_one_gives(name):
    random = np.random.default_rng(0)
    values, found = random.normal(size=(4, 3)).astype(np.float32), []
    for dense in (False, True):
        x = wg.tensor(values, requires_grad=True)
        result = CALLS[name](x)
        grad = wg.tensor(0.5).expand(result.shape)
        found.append(wg.autograd.grad(result, x, grad.contiguous() if dense else grad)[0])
    assert wg.equal(*found)


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, np.nan]), min_size=1, max_size=3000))
@settings(deadline=None, max_examples=30)
def test_runs_are_the_same_whether_their_numbers_and_counts_are_wanted_or_not(numbers):
    x = wg.tensor(numbers)
    values, inverse, counts = wg.unique_consecutive(x, return_inverse=True, return_counts=True)
    alone, only_inverse = wg.unique_consecutive(x), wg.unique_consecutive(x, return_inverse=True)
    assert wg.equal(alone.nan_to_num(7), values.nan_to_num(7)) and wg.equal(only_inverse[1], inverse)
    assert int(counts.sum()) == len(numbers) and wg.equal(counts, inverse.bincount())
    assert wg.equal(wg.signbit(alone), wg.signbit(values))


@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 4), st.integers(1, 3), st.booleans(), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_the_greatest_along_a_line_are_those_found_with_their_places(length, kernel, stride, dilation, ceil, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(2, length)).astype(np.float32)
    x[random.random(x.shape) < 0.1] = np.nan
    if length + 2 * (kernel // 2) < dilation * (kernel - 1) + 1:
        return
    options = {"stride": stride, "padding": kernel // 2, "dilation": dilation, "ceil_mode": ceil}
    alone = wg.nn.functional.max_pool1d(wg.tensor(x), kernel, **options)
    found, _ = wg.nn.functional.max_pool1d(wg.tensor(x), kernel, return_indices=True, **options)
    np.testing.assert_array_equal(alone.numpy(), found.numpy())
