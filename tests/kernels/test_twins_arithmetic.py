"""NumPy twins of element-wise functions and reductions against plain loops, and in torch's corner cases."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from wengert import _kernels
from wengert._kernels import pointwise

inf, nan = math.inf, math.nan


def test_every_native_function_has_a_twin_of_the_same_signature(native, twin):
    for name in native.twin_names():
        assert callable(twin(name))
        assert getattr(_kernels, name) is getattr(native, name)


def test_every_result_is_an_array_even_of_no_axes(twin):
    x = np.array(0.5)
    for name in ("add", "multiply", "power", "maximum", "equal", "floor_divide", "trunc_divide", "remainder"):
        assert type(twin(name)(x, x)) is np.ndarray
    for name in ("negative", "exp", "sign", "reciprocal", "rsqrt", "isnan", "relu", "sigmoid", "silu", "erf", "gelu"):
        assert type(twin(name)(x)) is np.ndarray
    for name in ("sum", "prod", "mean", "amax", "argmax", "any_along", "logsumexp", "variance"):
        assert type(twin(name)(np.ones(3))) is np.ndarray
    assert type(twin("where")(x > 0, x, x)) is np.ndarray
    assert type(twin("clamp")(x, 0.0, None)) is np.ndarray


@pytest.mark.parametrize("name", ["floor_divide", "trunc_divide", "remainder"])
def test_integer_division_equals_pythons(name, twin):
    exact = {
        "floor_divide": lambda a, b: a // b,
        "trunc_divide": lambda a, b: int(a / b),
        "remainder": lambda a, b: a % b,
    }[name]
    pairs = [(a, b) for a in range(-7, 8) for b in (-3, -2, -1, 1, 2, 5)]
    for dtype in (np.int8, np.int32, np.int64):
        a, b = (np.array(side, dtype) for side in zip(*pairs, strict=True))
        assert twin(name)(a, b).tolist() == [exact(*pair) for pair in pairs]
        assert twin(name)(a, b).dtype == dtype
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        twin(name)(np.array([1, 2]), np.array([1, 0]))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        twin(name)(np.array([1, 2]), 0)


def test_division_of_floats_by_zero_and_infinity_follows_torch(twin):
    a, b = np.array([5.0, -5.0, 1.0, -1.0]), np.array([0.0, 0.0, inf, inf])
    assert twin("floor_divide")(a, b).tolist() == [inf, -inf, 0.0, -1.0]
    assert twin("trunc_divide")(a, b).tolist()[:3] == [inf, -inf, 0.0]
    assert twin("remainder")(np.array([-1.0, 1.0]), np.array([inf, -inf])).tolist() == [inf, -inf]


def test_integer_powers_with_negative_exponents_are_zero_but_for_plus_and_minus_one(twin):
    base, exponent = np.array([2, 1, -1, -1, 0, 3]), np.array([-1, -2, -3, -2, -1, 2])
    assert twin("power")(base, exponent).tolist() == [0, 1, -1, 1, 0, 9]
    assert twin("power")(np.array([2, 3], np.uint8), np.array([3, 2], np.uint8)).dtype == np.uint8


def test_sign_is_zero_for_nan_and_a_unit_for_complex_numbers(twin):
    assert twin("sign")(np.array([nan, -0.0, 3.0, -inf])).tolist() == [0.0, 0.0, 1.0, -1.0]
    np.testing.assert_allclose(twin("sign")(np.array([3 + 4j, 0j])), [0.6 + 0.8j, 0j], rtol=1e-15)
    assert twin("sign")(np.array([True, False])).tolist() == [True, False]
    assert twin("sign")(np.array([0, 7], np.uint8)).tolist() == [0, 1]


def test_clamp_keeps_nan_and_lets_the_upper_limit_win(twin):
    x = np.array([nan, -5.0, 5.0])
    np.testing.assert_array_equal(twin("clamp")(x, -1.0, 1.0), [nan, -1.0, 1.0])
    np.testing.assert_array_equal(twin("clamp")(x, 2.0, 1.0), [nan, 1.0, 1.0])
    untouched = twin("clamp")(x, None, None)
    assert untouched is not x
    np.testing.assert_array_equal(untouched, x)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        ("silu", lambda x: x / (1 + math.exp(-x))),
        ("relu", lambda x: max(x, 0.0)),
        ("erf", math.erf),
        ("gelu", lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2))),
        ("rsqrt", lambda x: 1 / math.sqrt(x) if x > 0 else nan),
        ("reciprocal", lambda x: 1 / x),
    ],
)
def test_functions_equal_their_formula(name, exact, twin, close, random):
    x = random.normal(size=200) * 3
    close(twin(name)(x), np.array([exact(value) for value in x]))
    half = x.astype(np.float16)
    close(twin(name)(half), np.array([exact(float(value)) for value in half]).astype(np.float16))


@pytest.mark.parametrize(
    ("forward", "backward", "uses_result", "extra"),
    [
        ("sigmoid", "sigmoid_backward", True, ()),
        ("tanh", "tanh_backward", True, ()),
        ("silu", "silu_backward", False, ()),
        ("gelu", "gelu_backward", False, ("none",)),
        ("gelu", "gelu_backward", False, ("tanh",)),
    ],
)
def test_derivatives_equal_differences(forward, backward, uses_result, extra, twin, random):
    x, grad, step = random.normal(size=50) * 2, random.normal(size=50), 1e-6
    difference = (twin(forward)(x + step, *extra) - twin(forward)(x - step, *extra)) / (2 * step)
    value = twin(forward)(x, *extra) if uses_result else x
    np.testing.assert_allclose(twin(backward)(grad, value, *extra), grad * difference, rtol=1e-6, atol=1e-8)


def test_complex_derivatives_are_conjugated(twin):
    grad, result = np.array([1 + 2j]), np.array([0.3 + 0.4j])
    expected = grad * ((1 - result) * result).conj()
    np.testing.assert_allclose(twin("sigmoid_backward")(grad, result), expected)
    np.testing.assert_allclose(twin("tanh_backward")(grad, result), grad * (1 - result**2).conj())


def test_integers_and_bool_sum_to_int64(twin):
    assert twin("sum")(np.array([True, True])).tolist() == 2
    for dtype in (np.bool_, np.uint8, np.int16, np.int32):
        for name in ("sum", "prod"):
            assert twin(name)(np.ones(3, dtype)).dtype == np.int64
        assert twin("cumulative_sum")(np.ones(3, dtype), 0).dtype == np.int64
    assert twin("sum")(np.ones(3, np.int32), dtype=np.float32).dtype == np.float32


def test_half_precision_is_summed_in_float32(twin):
    x = np.full(10_000, 0.1, np.float16)
    assert abs(float(twin("sum")(x)) - 1000) < 1
    assert abs(float(twin("mean")(x)) - 0.1) < 1e-4
    assert twin("sum")(x).dtype == np.float16


@pytest.mark.parametrize("correction", [0, 1, 2.5])
def test_variance_equals_its_formula(correction, twin, random):
    x = random.normal(size=(3, 4))
    expected = [sum((v - sum(row) / 4) ** 2 for v in row) / (4 - correction) for row in x.tolist()]
    np.testing.assert_allclose(twin("variance")(x, 1, correction), expected)
    z = x + 1j * x[::-1]
    assert twin("variance")(z, None).dtype == np.float64
    np.testing.assert_allclose(
        twin("variance")(z, None), twin("variance")(z.real, None) + twin("variance")(z.imag, None)
    )


def test_variance_with_nothing_to_divide_by_is_nan_or_infinite(twin):
    assert np.isnan(twin("variance")(np.array([1.0])))
    assert twin("variance")(np.array([1.0, 2.0]), correction=3) == inf
    assert np.isnan(twin("variance")(np.zeros(0)))


def test_the_first_nan_or_the_first_of_equals_wins(twin):
    x = np.array([[1.0, nan, nan, 2.0], [2.0, 2.0, 1.0, 0.0], [-inf, -inf, -inf, -inf]])
    assert twin("argmax")(x, 1).tolist() == [1, 0, 0]
    assert twin("argmin")(x, 1).tolist() == [1, 3, 0]
    values, indices = twin("max_with_indices")(x, -1, True)
    assert (values.shape, indices.shape, indices.dtype) == ((3, 1), (3, 1), np.int64)
    assert indices.ravel().tolist() == [1, 0, 0]
    values, indices = twin("min_with_indices")(np.array([True, False]), 0)
    assert (values.tolist(), indices.tolist()) == (False, 1)
    assert twin("max_with_indices")(np.array(4), 0)[0].tolist() == 4


def test_logsumexp_does_not_overflow_and_knows_infinities(twin):
    x = np.array([[1000.0, 1000.0], [-inf, -inf], [inf, inf], [nan, 1.0], [-1000.0, -1001.0]])
    expected = [1000 + math.log(2), -inf, inf, nan, -1000 + math.log(1 + math.exp(-1))]
    np.testing.assert_allclose(twin("logsumexp")(x, 1), expected)
    assert twin("logsumexp")(x, (0, 1), True).shape == (1, 1)
    assert twin("logsumexp")(np.zeros((2, 0)), 1).tolist() == [-inf, -inf]
    z = np.array([0.5j, 1.0])
    assert cmath.isclose(complex(twin("logsumexp")(z)), cmath.log(cmath.exp(0.5j) + math.e))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_equals_its_formula(axis, twin, close, random):
    x, grad = random.normal(size=(2, 3, 4)) * 5, random.normal(size=(2, 3, 4))
    powers = np.exp(x)
    expected = powers / powers.sum(axis, keepdims=True)
    close(twin("softmax")(x, axis), expected)
    close(twin("log_softmax")(x, axis), np.log(expected))
    jacobian_product = expected * grad - expected * (expected * grad).sum(axis, keepdims=True)
    close(twin("softmax_backward")(grad, expected, axis), jacobian_product)
    close(twin("log_softmax_backward")(grad, np.log(expected), axis), grad - expected * grad.sum(axis, keepdims=True))
    assert twin("softmax")(np.array(3.0), 0).tolist() == 1.0
    assert twin("softmax")(x.astype(np.float16), axis).dtype == np.float16


def test_matrix_products_equal_loops(twin, close, random):
    a, b, bias = random.normal(size=(3, 4)), random.normal(size=(4, 5)), random.normal(size=5)
    product = np.array([[sum(a[i, k] * b[k, j] for k in range(4)) for j in range(5)] for i in range(3)])
    close(twin("matmul")(a, b), product)
    close(twin("linear")(a, b.T, bias), product + bias)
    close(twin("addmm")(bias, a, b, 0.5, 2), 0.5 * bias + 2 * product)
    assert np.isfinite(twin("addmm")(np.full(5, nan), a, b, 0)).all()
    assert twin("matmul")(a[0], b[:, 0]).shape == ()
    assert twin("matmul")(a.astype(np.float16), b.astype(np.float16)).dtype == np.float16
    assert twin("linear")(a[0], b[:, 0].copy()).shape == ()


@pytest.mark.parametrize("name", ["add", "exp", "maximum", "logical_not"])
def test_wrapped_functions_keep_their_names(name):
    function = getattr(pointwise, name)
    assert function.__name__ == name
    assert f"numpy.{name}" in function.__doc__
