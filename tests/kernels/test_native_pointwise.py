"""Native element-wise functions against their NumPy twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from wengert import _kernels

BINARY = ["add", "subtract", "multiply", "divide"]
BACKWARD = ["relu_backward", "sigmoid_backward", "tanh_backward", "silu_backward"]
UNARY = ["negative", "exp", "log", "tanh", "sqrt", "absolute", "sigmoid", "silu", "relu", "erf"]
SHAPES = [(0,), (1,), (3,), (4,), (17,), (5, 7), (2, 0, 3), (200_003,), ()]
FLOATS = [np.float32, np.float64]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, 3e38, -3e38, 88.8, -103.9, 0.25, -7.5]


def same_bits_or_nan(actual: np.ndarray, expected: np.ndarray) -> bool:
    number = ~np.isnan(expected)
    return bool(
        np.array_equal(actual, expected, equal_nan=True)
        and np.array_equal(np.signbit(actual)[number], np.signbit(expected)[number])
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in BINARY for dtype in FLOATS] + [(name, np.int64) for name in BINARY[:3]],
)
def test_arithmetic_equals_the_twin_bit_for_bit(name, dtype, shape, only_native, twin, random):
    a, b = (np.asarray(random.normal(size=shape) * 50).astype(dtype) for _ in range(2))
    result = getattr(only_native, name)(a, b)
    assert type(result) is np.ndarray
    assert result.dtype == dtype
    assert same_bits_or_nan(result, twin(name)(a, b))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_arithmetic_of_special_values_follows_ieee_without_a_warning(name, dtype, only_native, twin):
    with np.errstate(over="ignore"):
        values = np.array(SPECIAL).astype(dtype)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    assert same_bits_or_nan(getattr(only_native, name)(a, b), twin(name)(a, b))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4, 5), (5,)),
        ((5,), (4, 5)),
        ((4, 5), (4, 1)),
        ((2, 3, 4, 5), (3, 1, 1)),
        ((2, 3, 4), (1, 3, 4)),
        ((2, 3, 4), ()),
        ((), (2, 3)),
        ((1,), (1, 1)),
        ((300, 500), (500,)),
        ((300, 500), (300, 1)),
        ((8, 64, 33, 9), (64, 1, 1)),
    ],
)
@pytest.mark.parametrize("name", ["add", "subtract", "divide"])
def test_blocks_broadcast_natively(name, left, right, only_native, twin, random):
    a, b = (np.asarray(random.normal(size=shape)).astype(np.float32) for shape in (left, right))
    assert same_bits_or_nan(getattr(only_native, name)(a, b), twin(name)(a, b))


@pytest.mark.parametrize(
    ("left", "right"), [((4, 1), (1, 5)), ((2, 3, 4), (2, 1, 4)), ((3, 1, 2), (4, 1)), ((2, 1), (2,)), ((0, 3), (3,))]
)
def test_other_broadcasts_come_from_the_twin(left, right, native, twin, random):
    a, b = random.normal(size=left), random.normal(size=right)
    assert np.array_equal(native.subtract(a, b), twin("subtract")(a, b))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("number", [2, -0.3, 0.0, 10**30, float("inf")])
def test_a_python_number_takes_the_dtype_of_the_array(name, number, only_native, twin):
    array = np.array([1.5, -2.0, 0.0], np.float32)
    for operands in ((array, number), (number, array)):
        result = getattr(only_native, name)(*operands)
        assert result.dtype == np.float32
        assert same_bits_or_nan(result, twin(name)(*operands))


def test_integers_wrap_around_like_the_twin(only_native, twin):
    top = np.array([2**63 - 1, -(2**63)], np.int64)
    assert np.array_equal(only_native.add(top, 1), twin("add")(top, np.int64(1)))
    assert np.array_equal(only_native.negative(top), twin("negative")(top))
    assert np.array_equal(only_native.multiply(top, top), twin("multiply")(top, top))


WHOLE = st.one_of(st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1), st.sampled_from([-1, 1, -(2**63), 2**63 - 1]))


@given(hnp.arrays(np.int64, 6, elements=WHOLE), hnp.arrays(np.int64, 6, elements=WHOLE.filter(bool)), st.data())
def test_integers_are_divided_as_the_twin_divides_them(a, b, data):
    divisor = data.draw(st.sampled_from([b, b[:1], int(b[0]), b.reshape(2, 3), np.broadcast_to(b[2:3], (6,))]))
    dividend = data.draw(st.sampled_from([a, int(a[0]), a.reshape(2, 3)]))
    if isinstance(dividend, int) and isinstance(divisor, int):
        return
    try:
        with np.errstate(over="ignore"):
            wanted = np.floor_divide(dividend, divisor), np.remainder(dividend, divisor)
    except ValueError:
        return  # the shapes do not broadcast
    np.testing.assert_array_equal(_kernels.floor_divide(dividend, divisor), wanted[0])
    np.testing.assert_array_equal(_kernels.remainder(dividend, divisor), wanted[1])


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_an_integer_division_by_zero_is_left_to_the_twin(name, native):
    a, direct = np.arange(6), getattr(native, f"direct_{name}")
    for divisor in (0, np.zeros(1, np.int64), np.array([1, 2, 3, 4, 0, 6]), np.broadcast_to(np.int64(0), (6,))):
        assert direct(a, divisor) is NotImplemented
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            getattr(_kernels, name)(a, divisor)
    assert direct(a.reshape(6, 1), np.array([[1, 0]])) is NotImplemented
    assert direct(a, 4) is not NotImplemented


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array_agree_with_the_twin(name, dtype, shape, only_native, twin, close, random):
    x = np.asarray(random.normal(size=shape) * 4).astype(dtype)
    close(getattr(only_native, name)(x), twin(name)(x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*UNARY, "gelu"])
def test_functions_of_special_values_agree_with_the_twin(name, dtype, only_native, twin):
    x = np.array([*SPECIAL[:-4], 100.0, -100.0, 20.0, -20.0]).astype(dtype)
    actual, expected = getattr(only_native, name)(x), twin(name)(x)
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=0)
    exact = np.isinf(expected) | (expected == 0)
    assert np.array_equal(np.signbit(actual)[exact], np.signbit(expected)[exact])


@pytest.mark.parametrize(
    ("name", "dtype", "wide"),
    [(name, np.float32, np.float64) for name in ("exp", "log", "tanh", "sigmoid", "silu", "erf")]
    + [(name, np.float64, np.longdouble) for name in ("exp", "log", "tanh", "sigmoid", "silu")],
)
def test_elementary_functions_err_by_at_most_three_units_in_the_last_place(
    name, dtype, wide, only_native, twin, random
):
    x = np.concatenate([random.normal(size=20_000) * scale for scale in (1e-3, 0.3, 3, 20)]).astype(dtype)
    x = np.abs(x) if name == "log" else x
    wide_x = x.astype(wide)
    exact = {"sigmoid": lambda v: 1 / (1 + np.exp(-v)), "silu": lambda v: v / (1 + np.exp(-v)), "erf": twin("erf")}
    expected = exact.get(name, getattr(np, name, None))(wide_x)
    error = np.abs(getattr(only_native, name)(x).astype(wide) - expected)
    assert np.max(error / np.spacing(np.abs(expected).astype(dtype)).astype(wide)) <= 3


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BACKWARD)
def test_derivatives_agree_with_the_twin(name, dtype, only_native, twin, close, random):
    for shape in SHAPES:
        grad, value = (np.asarray(random.normal(size=shape)).astype(dtype) for _ in range(2))
        close(getattr(only_native, name)(grad, value), twin(name)(grad, value))


def test_relu_backward_chooses_and_does_not_multiply(only_native):
    grad = np.array([np.inf, np.nan, 2.0, 3.0], np.float32)
    result = np.array([0.0, -0.0, np.nan, 1.0], np.float32)
    assert only_native.relu_backward(grad, result).tolist() == [0.0, 0.0, 2.0, 3.0]


@pytest.mark.parametrize("form", ["none", "tanh"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_and_its_derivative_agree_with_the_twin(form, dtype, only_native, twin, close, random):
    for shape in SHAPES:
        x, grad = (np.asarray(random.normal(size=shape) * 3).astype(dtype) for _ in range(2))
        close(only_native.gelu(x, form), twin("gelu")(x, form))
        close(only_native.gelu_backward(grad, x, approximate=form), twin("gelu_backward")(grad, x, form))


def test_gelu_of_single_numbers_keeps_its_digits_in_the_tail(only_native):
    x = np.linspace(-14.5, 14.5, 50_001).astype(np.float32)
    exact = np.array([value * math.erfc(-value / math.sqrt(2)) / 2 for value in x.tolist()])
    error = np.abs(only_native.gelu(x).astype(np.float64) - exact)
    units = error / np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert np.max(units[x >= -4]) <= 8
    assert np.max(units) <= 100  # the square of x is rounded before the exponential
    beyond = only_native.gelu(np.array([-15, -1e30, 15, 1e30], np.float32))
    assert beyond.tolist() == [0, 0, 15, np.float32(1e30)]
    assert np.signbit(beyond).tolist() == [True, True, False, False]


@pytest.mark.parametrize("name", ["add", "divide", "relu_backward"])
def test_what_native_code_does_not_know_comes_from_the_twin(name, native, twin, random):
    whole = random.normal(size=(6, 8)).astype(np.float32)
    transposed, strided, backwards = whole.T, whole[::2, ::3], whole[::-1]
    swapped = whole.astype(whole.dtype.newbyteorder())
    for array in (transposed, strided, backwards, swapped, whole.astype(np.float16), whole.astype(np.float64)[:, ::2]):
        assert np.array_equal(getattr(native, name)(array, array), twin(name)(array, array))
    unaligned = np.frombuffer(b"\0" + whole.tobytes(), np.float32, offset=1)
    assert np.array_equal(getattr(native, name)(unaligned, unaligned), twin(name)(unaligned, unaligned))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.complex64])
def test_few_elements_with_gaps_between_them_are_copied_together(native, dtype, random):
    whole = (random.normal(size=(4, 5, 6)) * 9).astype(dtype)
    for parts in (np.s_[:, :, 1:], np.s_[::2, 1:, ::3], np.s_[:, 2:3, 0]), (np.s_[1:], np.s_[:, :1], np.s_[..., ::2]):
        for part in parts:
            a, b = whole[part], (whole * 2)[part]
            for one, other in ((a, b), (a, b.copy()), (a.copy(), b)):
                made = native.direct_subtract(one, other)
                assert made.flags.c_contiguous and np.array_equal(made, one - other)
    for array in (whole.T, whole[:, ::-1], np.broadcast_to(whole[:1], (3, 5, 6))):
        made = native.direct_subtract(array, array)
        assert made is NotImplemented or made.strides == (array - array).strides
    assert native.direct_subtract(whole[..., 1:], whole[..., 1:].real.astype(np.float16)) is NotImplemented


def test_subclasses_of_arrays_are_left_to_the_twin(native):
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    assert native.direct_add(masked, masked) is NotImplemented
    assert np.array_equal(native.add(masked, masked), [2.0, 4.0])


@pytest.mark.parametrize("size", [5, 300_000])
def test_out_is_filled_and_returned(size, only_native, random):
    a, b = (random.normal(size=size).astype(np.float32) for _ in range(2))
    out = np.empty_like(a)
    assert only_native.add(a, b, out) is out
    assert np.array_equal(out, a + b)
    assert only_native.exp(a, out=out) is out
    expected = a * b
    assert only_native.multiply(a, b, out=a) is a
    assert np.array_equal(a, expected)


def test_out_that_overlaps_an_operand_partly_is_handled(native):
    memory = np.arange(12.0)
    expected = memory[:10] + memory[1:11]
    result = native.add(memory[:10], memory[1:11], out=memory[2:12])
    assert np.array_equal(result, expected)
    table = np.arange(6.0).reshape(2, 3)
    expected = table + table[0]
    assert np.array_equal(native.add(table, table[0], out=table), expected)


def test_a_wrong_out_raises_what_numpy_raises(native):
    a = np.ones(3, np.float32)
    with pytest.raises(ValueError, match="broadcast"):
        native.add(a, a, out=np.empty(4, np.float32))
    frozen = np.empty(3, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        native.add(a, a, out=frozen)
    with pytest.raises(TypeError):
        native.add(a)
    with pytest.raises(TypeError):
        native.add(a, a, nowhere=a)


def test_direct_forms_answer_not_implemented_for_what_they_do_not_know(only_native):
    a = np.ones((3, 4), np.float32)
    assert np.array_equal(only_native.direct_add(a, a), a + a)
    assert np.array_equal(only_native.direct_multiply(a, 2.5), a * 2.5)
    np.testing.assert_array_equal(only_native.direct_add(a, 1j), a + np.complex64(1j), strict=True)
    for other in (a.astype(np.float16), a.astype(np.uint32), a.T, None, "text", [1.0], np.float32(1)):
        assert only_native.direct_add(a, other) is NotImplemented
    assert only_native.direct_add(a[:, ::-1], a[:, ::-1]) is NotImplemented
    assert only_native.direct_divide(np.ones(2, np.int64), np.ones(2, np.int64)) is NotImplemented
    assert only_native.direct_exp(a[:, ::-1]) is NotImplemented


def test_shapes_that_do_not_broadcast_raise_what_numpy_raises(native):
    with pytest.raises(ValueError, match="broadcast"):
        native.add(np.ones((2, 3)), np.ones((2, 4)))
