"""Native small matrix products against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

FLOATS = [np.float32, np.float64]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(1, 1, 1), (4, 4, 4), (3, 17, 5), (16, 30, 17), (64, 128, 1), (1, 500, 7)]
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
    [(2, 2, 2), (4, 32, 33), (5, 7, 31), (8, 32, 32), (7, 140, 8), (3, 300, 9), (1, 40, 60), (9, 130, 1), (6, 1, 70)],
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
