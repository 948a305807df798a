"""Rows of channels: thin products with a bias, short rows that repeat, batch normalisation, resampled images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import _kernels as kernels
from wengert._kernels import norm

DTYPES = st.sampled_from([np.float32, np.float64])
F = wg.nn.functional


def drawn(seed: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def close(found: Any, wanted: Any) -> None:
    assert found.dtype == wanted.dtype
    tolerance = 2e-5 if found.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(st.integers(250, 700), st.integers(1, 5), st.integers(7, 40), st.booleans(), DTYPES, st.integers(0, 99))
def test_thin_products_with_a_bias_are_products_and_sums(rows, depth, columns, turned, dtype, seed):
    a, b = drawn(seed, (rows, depth), dtype), drawn(seed + 1, (depth, columns), dtype)
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    bias = drawn(seed + 2, (columns,), dtype)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    first, second = wg.from_numpy(a), wg.from_numpy(b)
    close(wg.mm(first, second).numpy(), exact.astype(dtype))
    close(wg.addmm(wg.from_numpy(bias), first, second).numpy(), (exact + bias).astype(dtype))
    close(F.linear(first, second.t(), wg.from_numpy(bias)).numpy(), (exact + bias).astype(dtype))
    shift = drawn(seed + 3, (rows, 1), dtype)  # not a row: added behind
    close(wg.addmm(wg.from_numpy(shift), first, second).numpy(), (exact + shift).astype(dtype))


def test_a_bias_with_gaps_is_read_where_it_lies():
    a, b, bias = wg.rand(300, 2), wg.rand(2, 9), wg.rand(9, 2)[:, 0]
    assert wg.equal(wg.addmm(bias, a, b), wg.addmm(bias.contiguous(), a, b))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 40), st.integers(1, 600), DTYPES, st.booleans(), st.integers(0, 99))
def test_short_rows_meet_each_row_of_a_matrix(rows, width, dtype, first, seed):
    matrix, row = drawn(seed, (rows, width), dtype), drawn(seed + 1, (width,), dtype)
    pair = (row, matrix) if first else (matrix, row)
    left, right = map(wg.from_numpy, pair)
    for function, wanted in ((wg.sub, np.subtract), (wg.maximum, np.maximum), (wg.div, np.divide)):
        assert np.array_equal(function(left, right).numpy(), wanted(*pair))
    if not first:
        left.mul_(right)
        assert np.array_equal(left.numpy(), drawn(seed, (rows, width), dtype) * row)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.data())
def test_operands_meet_along_any_dimensions(shape, data):
    shapes = [[length if data.draw(st.booleans()) else 1 for length in shape] for _ in range(2)]
    a, b = (np.random.default_rng(k).normal(size=each) for k, each in enumerate(shapes))
    assert np.array_equal((wg.from_numpy(a) - wg.from_numpy(b)).numpy(), a - b)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 70), st.integers(1, 70), DTYPES, st.booleans(), st.booleans(), st.integers(0, 99))
def test_batch_normalisation_of_rows_of_channels(count, channels, dtype, affine, training, seed):
    if kernels.native is None:
        pytest.skip("the interpreted build has no native kernels")
    x, grad = drawn(seed, (count, channels), dtype), drawn(seed + 1, (count, channels), dtype)
    weight, bias = (drawn(seed + k, (channels,), dtype) for k in (2, 3)) if affine else (None, None)
    found = kernels.batch_norm_statistics(x, 1e-5)
    for each, wanted in zip(found, norm.batch_norm_statistics(x, 1e-5), strict=True):
        close(each, wanted)
    mean, invstd, _ = found
    close(kernels.batch_norm_apply(x, mean, invstd, weight, bias), norm.batch_norm_apply(x, mean, invstd, weight, bias))
    made = kernels.batch_norm_backward(grad, x, mean, invstd, weight, training)
    for each, wanted in zip(made, norm.batch_norm_backward(grad, x, mean, invstd, weight, training), strict=True):
        assert (each is None) == (wanted is None)
        if each is not None:
            np.testing.assert_allclose(each, wanted, rtol=2e-4 if dtype == np.float32 else 1e-9, atol=2e-4)


def test_channels_that_end_in_nan_and_infinity_keep_them_apart():
    x = wg.ones(40, 35)
    x[3, 7], x[4, 30] = float("nan"), float("inf")
    made = F.batch_norm(x, None, None, training=True)
    bad = made.isnan().any(0).nonzero().flatten().tolist()
    assert bad == [7, 30]


def shares(length: int, count: int) -> np.ndarray:
    """The matrix of linear interpolation from `length` to `count` points, corners not aligned."""
    made = np.zeros((count, length))
    for at in range(count):
        source = max((at + 0.5) * length / count - 0.5, 0.0)
        low = min(int(source), length - 1)
        made[at, low] += 1 - (source - low)
        made[at, min(low + 1, length - 1)] += source - low
    return made


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 90), st.integers(1, 90), st.integers(0, 9))
def test_images_resampled_are_products_with_shares(height, width, rows, columns, seed):
    x = drawn(seed, (2, 3, height, width), np.float64)
    found = F.interpolate(wg.from_numpy(x), size=(rows, columns), mode="bilinear").numpy()
    np.testing.assert_allclose(found, shares(height, rows) @ x @ shares(width, columns).T, rtol=1e-9, atol=1e-9)
    place = (np.arange(columns) * width // columns).astype(int)
    lines = F.interpolate(wg.from_numpy(x[0]), size=columns, mode="nearest").numpy()
    if width % columns == 0 or columns % width == 0:
        assert np.array_equal(lines, x[0][..., place])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 15), st.integers(1, 15), st.integers(0, 9))
def test_places_sampled_in_strips_are_those_sampled_one_by_one(height, width, rows, columns, seed):
    image = wg.from_numpy(drawn(seed, (2, 3, height, width), np.float64))
    grid = wg.from_numpy(drawn(seed + 1, (2, rows, columns, 2), np.float64))
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            found = F.grid_sample(image, grid, mode, padding, False)
            for row in range(0, rows, 4):
                for column in range(0, columns, 4):
                    one = F.grid_sample(image, grid[:, row : row + 1, column : column + 1], mode, padding, False)
                    wg.testing.assert_close(one[..., 0, 0], found[..., row, column], rtol=1e-12, atol=1e-12)


def test_a_batch_with_singular_matrices_has_the_gradients_of_each_alone():
    random = np.random.default_rng(5)
    batch = random.normal(size=(6, 4, 4))
    batch[2, 1] = batch[2, 0]
    batch[4] = 0
    together = wg.from_numpy(batch).requires_grad_()
    (first,) = wg.autograd.grad(wg.linalg.det(together).sum(), together, create_graph=True)
    for at in range(6):
        alone = wg.from_numpy(batch[at]).requires_grad_()
        (own,) = wg.autograd.grad(wg.linalg.det(alone), alone)
        wg.testing.assert_close(first[at].detach(), own, rtol=1e-6, atol=1e-9)
    regular = wg.from_numpy(batch[[0, 2]]).requires_grad_()
    (slopes,) = wg.autograd.grad(wg.linalg.det(regular).sum(), regular, create_graph=True)
    assert wg.autograd.grad(slopes[0].sum(), regular)[0][0].isfinite().all()


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 17), st.integers(1, 4), DTYPES, st.integers(0, 99))
def test_determinants_of_small_matrices(side, count, dtype, seed):
    batch = drawn(seed, (count, side, side), dtype)
    found = wg.linalg.det(wg.from_numpy(batch)).numpy()
    wanted = np.linalg.det(batch.astype(np.float64))
    scale = np.prod(np.linalg.norm(batch.astype(np.float64), axis=2), axis=1)
    assert found.dtype == dtype
    assert np.all(np.abs(found - wanted) <= scale * (1e-5 if dtype == np.float32 else 1e-13))
