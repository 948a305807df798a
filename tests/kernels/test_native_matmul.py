"""Native small and thin matrix products against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import _kernels

FLOATS = [np.float32, np.float64]


FEW_ROWS_OR_COLUMNS = [
    (50, 50, 1),
    (1, 50, 50),
    (16, 32, 2),
    (67, 37, 3),
    (17, 40, 8),
    (1, 9, 33),
    (1, 33, 200),
    (33, 9, 7),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [(1, 1, 1), (4, 4, 4), (3, 17, 5), (16, 30, 17), (64, 128, 1), (1, 500, 7), *FEW_ROWS_OR_COLUMNS],
)
def test_small_products_agree_with_the_twin(rows, depth, columns, dtype, only_native, twin, close, random):
    a, b, bias = (random.normal(size=shape).astype(dtype) for shape in ((rows, depth), (depth, columns), (columns,)))
    close(only_native.matmul(a, b), twin("matmul")(a, b))
    turned = np.ascontiguousarray(b.T)
    close(only_native.matmul(a, turned.T), twin("matmul")(a, turned.T))
    close(only_native.linear(a, turned, bias), twin("linear")(a, turned, bias))
    close(only_native.linear(a, turned), twin("linear")(a, turned))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [
        *[(2, 2, 2), (4, 32, 33), (5, 7, 31), (8, 32, 32), (7, 140, 8), (3, 300, 9), (1, 40, 60), (9, 130, 1)],
        *[(6, 1, 70), (40, 16, 2), (35, 140, 5)],
        *FEW_ROWS_OR_COLUMNS,
    ],
)
def test_factors_in_any_order_agree_with_the_twin(rows, depth, columns, dtype, only_native, twin, close, random):
    a, b = random.normal(size=(rows, depth)).astype(dtype), random.normal(size=(depth, columns)).astype(dtype)
    expected = twin("matmul")(a, b)
    for left in in_all_orders(a):
        for right in in_all_orders(b):
            close(only_native.matmul(left, right), expected)


def in_all_orders(matrix):
    """The same matrix laid by rows, by columns, with gaps, and backwards."""
    gaps = np.full((2 * matrix.shape[0], 3 * matrix.shape[1]), np.nan, matrix.dtype)
    gaps[::2, ::3] = matrix
    return [matrix, np.asfortranarray(matrix), gaps[::2, ::3], matrix[::-1, ::-1].copy()[::-1, ::-1]]


def test_products_with_infinities_and_nan_agree_with_the_twin(only_native, twin):
    a, b = np.array([[np.inf, 1.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [np.nan, 1.0]])
    np.testing.assert_array_equal(only_native.matmul(a, b), twin("matmul")(a, b))
    np.testing.assert_array_equal(only_native.linear(a, b), twin("linear")(a, b))


def test_other_products_come_from_the_twin(native, twin, close, random):
    a, b = random.normal(size=(60, 70)), random.normal(size=(70, 80))
    close(native.matmul(a, b), twin("matmul")(a, b))
    close(native.linear(a, b.T.copy(), b[0]), twin("linear")(a, b.T, b[0]))
    close(native.matmul(a.T[::2], a[:, ::3]), twin("matmul")(a.T[::2], a[:, ::3]))
    close(native.matmul(b[0], b[1]), twin("matmul")(b[0], b[1]))
    stack = random.normal(size=(2, 3, 4))
    close(native.matmul(stack, a[:4, :5]), twin("matmul")(stack, a[:4, :5]))
    out = np.empty((3, 2))
    assert native.matmul(a[:3, :4].copy(), a[:4, :2].copy(), out=out) is out
    integers = np.arange(6).reshape(2, 3)
    assert np.array_equal(native.matmul(integers, integers.T), twin("matmul")(integers, integers.T))
    assert native.matmul(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
    assert native.linear(a[0], b.T.copy()).shape == (80,)


def test_shapes_that_do_not_fit_raise_what_numpy_raises(native):
    for function in (native.matmul, native.linear):
        with pytest.raises(ValueError, match="matmul"):
            function(np.ones((2, 3)), np.ones((4, 5)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [2, 3, 4, 5, 7, 8, 10, 12, 16, 17, 20, 31, 33, 49, 64])
@pytest.mark.parametrize(("rows", "depth"), [(8, 300), (11, 130), (300, 3), (301, 20), (1025, 33)])
def test_narrow_products_in_any_order_agree_with_the_twin(rows, depth, columns, dtype, native, twin, close, random):
    a, b = random.normal(size=(rows, depth)).astype(dtype), random.normal(size=(depth, columns)).astype(dtype)
    expected = twin("matmul")(a, b)
    for left in in_all_orders(a):
        for right in in_all_orders(b):
            close(native.matmul(left, right), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("rows", "depth", "columns"), [(1089, 33, 3), (2050, 20, 2), (1000, 70, 8)])
def test_narrow_products_do_not_depend_on_the_number_of_threads(rows, depth, columns, dtype, native, random):
    if native.instruction_set() == "baseline":
        pytest.skip("vectors are too narrow: these products are the BLAS's")
    a, b, bias = (random.normal(size=shape).astype(dtype) for shape in ((rows, depth), (columns, depth), (columns,)))
    before, results = wg.get_num_threads(), []
    try:
        for threads in (1, 2, 8):
            wg.set_num_threads(threads)
            results.append(native.linear(a, b, bias))
    finally:
        wg.set_num_threads(before)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


@pytest.mark.skipif(not _kernels.direct, reason="there are no native functions beside the bodies")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("rows", "depth", "columns"), [(130, 10, 10), (9, 200, 5), (64, 7, 20), (33, 40, 33)])
def test_a_product_of_a_batch_is_that_of_its_matrices(rows, depth, columns, dtype, random):
    """Also where a vector reaches beyond a row: what stands behind a matrix is another one's."""
    direct = _kernels.direct
    a, b = random.normal(size=(6, rows, depth)).astype(dtype), random.normal(size=(6, depth, columns)).astype(dtype)
    before = wg.get_num_threads()
    try:
        for threads in (1, 2, 8):
            wg.set_num_threads(threads)
            whole = direct["bmm"](a, b)
            if whole is NotImplemented:  # where vectors are narrow
                continue
            for each, left, right in zip(whole, a, b):
                np.testing.assert_array_equal(each, direct["bmm"](left[None].copy(), right[None].copy())[0])
            np.testing.assert_allclose(whole, np.matmul(a, b), rtol=1e-3, atol=1e-4)
    finally:
        wg.set_num_threads(before)


@pytest.mark.parametrize(("rows", "depth", "columns"), [(1500, 300, 40), (400, 1100, 70), (2100, 520, 66)])
@pytest.mark.parametrize("turned", [False, True])
def test_large_left_factors_are_packed_in_parts(rows, depth, columns, turned, native, twin, random):
    a, b = random.normal(size=(rows, depth)).astype(np.float32), random.normal(size=(depth, columns)).astype(np.float32)
    left, right = (np.asfortranarray(a), np.asfortranarray(b)) if turned else (a, b)
    np.testing.assert_allclose(native.matmul(left, right), twin("matmul")(a, b), rtol=1e-3, atol=1e-3)


@given(st.integers(200, 700), st.integers(1, 6), st.integers(1, 40), st.booleans(), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_products_over_a_short_inner_dimension_are_products(rows, depth, columns, turned, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(depth, rows)).T if turned else random.normal(size=(rows, depth))
    weight, bias = random.normal(size=(columns, depth)), random.normal(size=columns)
    found = wg.nn.functional.linear(wg.from_numpy(x), wg.from_numpy(weight), wg.from_numpy(bias))
    np.testing.assert_allclose(found.numpy(), x @ weight.T + bias, rtol=1e-12, atol=1e-12)
