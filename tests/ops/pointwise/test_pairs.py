"""Functions of two numbers: products with logarithms, sums of exponentials, and steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg

NAN, INF = math.nan, math.inf


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


def test_complex_logarithms_of_sums_are_nan_where_a_part_is():
    x = wg.tensor([complex(math.inf, math.nan), complex(math.inf, math.inf), complex(math.nan, 1)])
    y = wg.tensor([1j, complex(1, math.nan), 1j])
    found = wg.logaddexp(x, y)
    assert found.real.isnan().all() and found.imag.isnan().all()


@pytest.mark.parametrize("function", [wg.special.xlogy, wg.special.xlog1py])
def test_the_slope_beside_a_logarithm_of_a_half_is_that_of_the_product(function):
    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    other = wg.tensor(0.60546875, dtype=wg.bfloat16)
    wanted = math.log(0.60546875 + (function is wg.special.xlog1py))
    assert wg.autograd.grad(function(x, other).sum(), x)[0].tolist() == pytest.approx([wanted, wanted], rel=1e-12)


@pytest.mark.parametrize("function", [wg.special.xlogy, wg.special.xlog1py])
def test_a_gradient_of_0_stays_so_where_the_logarithm_is_infinite(function):
    x, other = wg.tensor([2.0], requires_grad=True), wg.tensor([0.0 if function is wg.special.xlogy else -1.0])
    assert wg.autograd.grad(function(x, other), x, wg.zeros(1))[0].tolist() == [0]
