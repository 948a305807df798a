"""Bits, parts and scales of numbers: what the samples of their cards do not say. The values are torch's."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._core.writes.inplace import InPlaceOp
from wengert._start.names import METHODS

NAN, INF = math.nan, math.inf


@given(st.integers(-(2**20), 2**20), st.integers(0, 30))
def test_shifts_are_those_of_python(value, count):
    x, y = wg.tensor([value]), wg.tensor([count])
    for sign in (operator.lshift, operator.rshift):
        wanted = sign(value, count)
        assert sign(x, count).tolist() == sign(value, y).tolist() == sign(x, y).tolist() == [wanted]
    left, right = x.clone(), x.clone()
    before = left
    left <<= count
    right >>= y
    assert left is before and left.tolist() == [value << count] and right.tolist() == [value >> count]


def test_a_shift_by_no_place_that_there_is():
    small = wg.tensor([5, -5], dtype=wg.int8)
    assert (small << 8).tolist() == (small << -1).tolist() == [0, 0]
    assert (small >> 9).tolist() == (small >> -1).tolist() == [0, -1]
    assert (small << 6).tolist() == [64, -64]
    assert (wg.tensor([True, False]) << 1).tolist() == [2, 0]


def test_shifts_of_what_has_no_bits_are_refused():
    for call in (lambda: wg.ones(2) << 1, lambda: 1 >> wg.ones(2), lambda: wg.tensor([1]) << 1.5):
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            call()
    with pytest.raises(TypeError, match="unsupported operand type"):
        wg.tensor([1]) << "a"


def test_divisors_and_multiples():
    assert wg.gcd(wg.tensor([-4, 0, 6]), wg.tensor([6, 0, -4])).tolist() == [2, 0, 2]
    assert wg.lcm(wg.tensor([-4, 0, 6]), wg.tensor([6, 0, -4])).tolist() == [12, 0, 12]
    assert wg.gcd(wg.tensor([6]), wg.tensor([4], dtype=wg.int8)).dtype is wg.int64


def test_powers_in_double_precision():
    x = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for found, name in ((wg.float_power(x, 2), "PowBackward0"), (wg.float_power(2, x), "PowBackward2")):
        assert found.dtype is wg.float64 and found.grad_fn.name() == name
    assert wg.float_power(wg.tensor([2]), wg.tensor([-1])).tolist() == [0.5]
    assert wg.float_power(x.detach(), 1j).dtype is wg.complex128
    with pytest.raises(RuntimeError, match=r"base given to float_power_ has dtype Float but .* requires dtype Double"):
        x.detach().float_power_(2)
    with pytest.raises(RuntimeError, match="output given to float_power has dtype Float"):
        wg.float_power(x.detach(), 2, out=wg.empty(3))
    written = x.detach().double()
    assert written.float_power_(2) is written and written.tolist() == [1, 4, 9]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.float_power(2, 3)


def test_numbers_taken_apart_and_put_together():
    x = wg.tensor([0.0, INF, NAN, -3.0, 0.1])
    parts = wg.frexp(x)
    assert parts.exponent.dtype is wg.int32 and parts.exponent.tolist() == [0, 0, 0, 2, -3]
    np.testing.assert_array_equal(wg.ldexp(parts.mantissa, parts.exponent).numpy(), x.numpy())
    out = wg.empty(5), wg.empty(5, dtype=wg.int32)
    assert wg.frexp(x, out=out)[0] is out[0] and out[1].tolist() == parts.exponent.tolist()
    assert repr(wg.frexp(wg.ones(1))).startswith("torch.return_types.frexp(\nmantissa=")
    assert wg.ldexp(wg.ones(1, dtype=wg.float16), wg.tensor([3])).dtype is wg.float16
    assert wg.ldexp(wg.tensor([3]), wg.tensor([-1])).tolist() == [1.5]


def test_a_product_with_a_logarithm_is_0_where_the_factor_is_unless_the_logarithm_is_nan():
    zero = wg.zeros(5)
    assert wg.xlogy(zero, wg.tensor([0.0, -1.0, INF, 1.0, 2.0])).tolist() == [0.0] * 5
    assert math.isnan(wg.xlogy(0, wg.tensor(NAN)).item())
    assert wg.xlogy(wg.tensor([2]), 1).tolist() == [0.0]


@pytest.mark.parametrize("dtype", [wg.complex64, wg.complex128])
def test_sums_of_exponentials_of_complex_numbers(dtype):
    x = wg.tensor([1 + 2j, 300 - 1j, -400 + 1j], dtype=dtype)
    y = wg.tensor([0.5 - 1j, 299 + 1j, -401 + 0.5j], dtype=dtype)
    scale = np.array([0, 300, -400])
    wanted = np.log(np.exp(x.numpy() - scale) + np.exp(y.numpy() - scale)) + scale
    np.testing.assert_allclose(wg.logaddexp(x, y).numpy(), wanted, rtol=1e-6)
    lowest = wg.tensor([complex(-INF, 0)], dtype=dtype)
    assert wg.logaddexp(lowest, lowest).real.item() == -INF


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("dtype", [wg.float16, wg.float32, wg.float64])
def test_sums_of_exponentials_of_many_numbers_are_those_of_few(name, dtype):
    special = np.array([0.0, -0.0, 1.0, -3.0, 80.0, INF, -INF, NAN])
    first, second = (each.ravel() for each in np.meshgrid(special, special))
    few = getattr(wg, name)(wg.tensor(first, dtype=dtype), wg.tensor(second, dtype=dtype)).numpy()
    many = [wg.tensor(np.tile(each, 64), dtype=dtype) for each in (first, second)]
    close = 4 * float(wg.finfo(dtype).eps)
    np.testing.assert_allclose(getattr(wg, name)(*many).numpy(), np.tile(few, 64), rtol=close, atol=close)


def test_steps():
    x = wg.tensor([-1.0, 0.0, -0.0, 2.0, NAN])
    assert wg.heaviside(x, wg.tensor(0.5)).tolist() == [0, 0.5, 0.5, 1, 0]
    with pytest.raises(RuntimeError, match="not yet implemented for tensors with different dtypes"):
        wg.heaviside(x, wg.tensor(1))


def test_outer_products_are_added_in_the_promoted_dtype():
    first, second = wg.tensor([1, 2]), wg.tensor([3, 4])
    found = wg.addr(wg.tensor([0.5, 0.25]), first, second, alpha=2)
    assert found.dtype is wg.float32 and found.tolist() == [[6.5, 8.25], [12.5, 16.25]]
    truth = wg.tensor([True, False])
    assert wg.addr(truth, truth, truth, beta=0).tolist() == [[True, False], [False, False]]
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        wg.addr(first, first, second, alpha=1.5)
    x = wg.ones(2, requires_grad=True)
    wg.addr(wg.zeros(2, 2), x, second).sum().backward()
    assert x.grad.tolist() == [7, 7]


def test_methods_that_write_are_functions_too():
    for name in METHODS.split():
        function, method = getattr(wg, name), getattr(wg.Tensor, name)
        assert callable(function) and function is not method  # two keys of a table of functions, as in torch
        assert not isinstance(method, InPlaceOp) or function.functional is method.functional


@pytest.mark.parametrize("name", ["exp_", "detach_", "zero_"])
def test_a_function_that_writes_takes_tensors_only(name):
    with pytest.raises(TypeError, match=r"argument '(input|self)' \(position 1\) must be Tensor, not int"):
        getattr(wg, name)(2)


def test_a_function_that_writes_returns_its_argument():
    x = wg.tensor([0.5, 1.0], requires_grad=True)
    y = x * 2
    assert wg.exp_(y) is y and y.grad_fn.name() == "ExpBackward0"
    assert wg.detach_(y) is y and y.grad_fn is None
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        wg.neg_(x)


def test_the_signs_of_python_2():
    x = wg.tensor([2.0, 4.0], requires_grad=True)
    assert x.__rdiv__(2).tolist() == [1, 0.5] and x.__div__(2).tolist() == [1, 2]
    written = x.detach().clone()
    assert written.__idiv__(2) is written and written.tolist() == [1, 2]
