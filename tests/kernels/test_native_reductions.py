"""Native sums, means, softmax and normalisation against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

FLOATS = [np.float32, np.float64]
SHAPES = [(1,), (7,), (5, 3), (300, 501), (2, 3, 5), (4, 16, 6, 7)]


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_neighbouring_axes_are_reduced_natively(name, dtype, shape, only_native, twin, close, random):
    x = (random.normal(size=shape) + 1).astype(dtype)
    last = len(shape) - 1
    axes = [None, 0, -1, last, (0,), tuple(range(len(shape))), *([(0, 1), tuple(range(1, len(shape)))] if last else [])]
    for axis in axes:
        for keepdims in (False, True):
            close(getattr(only_native, name)(x, axis, keepdims), twin(name)(x, axis, keepdims))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", range(1, 70))
def test_sums_of_short_rows_have_all_elements_and_no_others(count, dtype, only_native):
    """Powers of two, of which each sum is exact, so that an element too many or too few shows."""
    rows = np.exp2(np.arange(3 * count) % 20).reshape(3, count).astype(dtype)
    np.testing.assert_array_equal(only_native.sum(rows, 1), [sum(row) for row in rows.tolist()])
    np.testing.assert_array_equal(only_native.sum(rows.T.copy(), 0), [sum(row) for row in rows.tolist()])


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_other_reductions_come_from_the_twin(name, native, twin, random):
    x = random.normal(size=(3, 4, 5)).astype(np.float32)
    for array, axis in (
        (x, (0, 2)),
        (x.T, 0),
        (x[:, ::2], None),
        (x.astype(np.float16), 1),
        (x[0, 0, 0:1].reshape(()), None),
    ):
        np.testing.assert_allclose(getattr(native, name)(array, axis), twin(name)(array, axis), rtol=1e-6)
    integers = np.array([[True, False], [True, True]])
    assert native.sum(integers, 0).dtype == np.int64
    for wrong in (3, (0, 0), -4):
        with pytest.raises(ValueError, match="axis"):
            native.sum(x, wrong)


def test_nothing_sums_to_zero(only_native):
    assert only_native.sum(np.zeros((0, 3), np.float32), 0).tolist() == [0, 0, 0]
    assert only_native.sum(np.zeros(0)).tolist() == 0
    assert np.isnan(only_native.mean(np.zeros(0)))
    assert only_native.sum(np.zeros((3, 0), np.float32), 0).shape == (0,)
    assert only_native.mean(np.zeros((0, 0)), 0).shape == (0,)


def test_the_error_of_a_long_sum_does_not_grow_with_its_length(only_native):
    x = np.full(3_000_001, 0.1, np.float32)
    exact = float(np.float32(0.1)) * x.size
    assert abs(float(only_native.sum(x)) - exact) <= 1e-6 * exact
    columns = np.full((300_000, 3), 0.1, np.float32)
    exact = float(np.float32(0.1)) * len(columns)
    assert np.abs(only_native.sum(columns, 0) - exact).max() <= 1e-5 * exact


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_and_its_gradient_agree_with_the_twin(name, dtype, shape, only_native, twin, close, random):
    x, grad = ((random.normal(size=shape) * 5).astype(dtype) for _ in range(2))
    result = twin(name)(x, -1)
    close(getattr(only_native, name)(x, -1), result)
    close(getattr(only_native, name)(x, len(shape) - 1), result)
    close(getattr(only_native, f"{name}_backward")(grad, result, -1), twin(f"{name}_backward")(grad, result, -1), 5)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [1, 2, 3, 10, 15, 16, 17])
@pytest.mark.parametrize("rows", [1, 7, 16, 37])
def test_short_rows_of_log_softmax_agree_with_the_twin(count, rows, dtype, only_native, twin, close, random):
    """Many of them are computed together, also where one element of a row has nearly all the weight."""
    x, grad = ((random.normal(size=(rows, count)) * 5).astype(dtype) for _ in range(2))
    x[::3, -1] = 25
    result = twin("log_softmax")(x, -1)
    close(only_native.log_softmax(x, -1), result)
    gradient = only_native.log_softmax_backward(grad, result, -1)
    close(gradient, twin("log_softmax_backward")(grad, result, -1), 5)
    for each in range(rows):
        part = slice(each, each + 1)
        assert np.array_equal(only_native.log_softmax(x[part], -1), only_native.log_softmax(x, -1)[part])
        assert np.array_equal(only_native.log_softmax_backward(grad[part], result[part], -1), gradient[part])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (2, 3, 17, 17), (4, 130, 70)])
def test_causal_softmax_agrees_with_the_twin_and_does_not_read_what_is_later(
    dtype, shape, only_native, twin, close, random
):
    x = random.normal(size=shape).astype(dtype)
    expected = twin("causal_softmax")(x)
    close(only_native.causal_softmax(x), expected)
    x[..., ~np.tri(*shape[-2:], dtype=bool)] = np.nan
    close(only_native.causal_softmax(x), expected)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_infinities_and_nan_agrees_with_the_twin(name, only_native, twin):
    inf, nan = np.inf, np.nan
    x = np.array(
        [[1, 2, inf], [inf, inf, 0], [-inf, -inf, -inf], [-inf, 0, 1], [nan, 0, 1], [1e38, -1e38, 3e38]], np.float32
    )
    np.testing.assert_allclose(getattr(only_native, name)(x, -1), twin(name)(x, -1), rtol=1e-6)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_along_another_axis_comes_from_the_twin(name, native, twin, random):
    x = random.normal(size=(3, 4)).astype(np.float32)
    assert np.array_equal(getattr(native, name)(x, 0), twin(name)(x, 0))
    assert np.array_equal(getattr(native, name)(x.T, -1), twin(name)(x.T, -1))
    assert getattr(native, name)(np.float32(2).reshape(()), 0).shape == ()
    assert getattr(native, name)(np.zeros((2, 0), np.float32), -1).shape == (2, 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(4, 3), (200, 300), (64, 16, 8, 8), (2, 3, 5), (1, 1, 1, 7)])
def test_batch_norm_agrees_with_the_twin(shape, dtype, only_native, twin, close, random):
    x, grad = (random.normal(size=shape).astype(dtype) + 3 for _ in range(2))
    weight, bias = (random.normal(size=shape[1]).astype(dtype) for _ in range(2))
    mean, invstd, variance = twin("batch_norm_statistics")(x, 1e-5)
    close(only_native.batch_norm_statistics(x, 1e-5), (mean, invstd, variance))
    for scale, shift in ((weight, bias), (weight, None), (None, bias), (None, None)):
        close(
            only_native.batch_norm_apply(x, mean, invstd, scale, shift),
            twin("batch_norm_apply")(x, mean, invstd, scale, shift),
        )
    for scale in (weight, None):
        for training in (True, False):
            arguments = (grad, x, mean, invstd, scale, training)
            close(only_native.batch_norm_backward(*arguments), twin("batch_norm_backward")(*arguments), 20)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(4, 3), (200, 300), (6, 5, 4), (1, 9)])
@pytest.mark.parametrize("count", [1, 2])
def test_layer_norm_agrees_with_the_twin(shape, count, dtype, only_native, twin, close, random):
    x, grad = ((random.normal(size=shape) * 3 + 1).astype(dtype) for _ in range(2))
    weight, bias = (random.normal(size=shape[-count:]).astype(dtype) for _ in range(2))
    for scale, shift in ((weight, bias), (weight, None), (None, bias), (None, None)):
        expected = twin("layer_norm")(x, count, scale, shift, 1e-5)
        close(only_native.layer_norm(x, count, scale, shift, 1e-5), expected, 5)
        arguments = (grad, x, count, *expected[1:], scale)
        close(only_native.layer_norm_backward(*arguments), twin("layer_norm_backward")(*arguments), 20)


def test_normalisation_of_what_native_code_does_not_know_comes_from_the_twin(native, twin, close, random):
    x = random.normal(size=(4, 6, 3)).astype(np.float32)
    for array in (x.transpose(0, 2, 1), x[::2], x.astype(np.float16)):
        statistics = twin("batch_norm_statistics")(array, 1e-5)
        close(native.batch_norm_statistics(array, 1e-5), statistics)
        close(native.layer_norm(array, 1), twin("layer_norm")(array, 1))
