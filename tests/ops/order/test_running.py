"""Running extremes and running sums of exponentials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

NUMBERS = st.lists(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, float("nan"), float("inf")]), min_size=1, max_size=90
)


@given(NUMBERS)
def test_running_extremes_are_elements_so_far(numbers):
    x = wg.tensor(numbers)
    for function, accumulate in ((wg.cummax, np.maximum), (wg.cummin, np.minimum)):
        values, places = function(x, 0)
        np.testing.assert_array_equal(values.numpy(), accumulate.accumulate(x.numpy()))
        np.testing.assert_array_equal(x.numpy()[places.numpy()], values.numpy())
        assert (places.numpy() <= np.arange(len(numbers))).all()


def test_running_sums_of_exponentials_lose_nothing_to_large_ones():
    x = wg.tensor([-1e4, 0.0, 1e4, float("-inf")], dtype=wg.float64, requires_grad=True)
    y = x.logcumsumexp(0)
    assert y.tolist() == [-1e4, 0.0, 1e4, 1e4]
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([1.0, 1.0, 2.0, 0.0])
    _, tangent = wg.func.jvp(
        lambda each: each.logcumsumexp(0), (x.detach(),), (wg.tensor([1.0, -2.0, 3.0, 9.0]).double(),)
    )
    assert tangent.tolist() == pytest.approx([1.0, -2.0, 3.0, 3.0])


@pytest.mark.parametrize("complex_numbers", [False, True])
def test_derivatives_of_logcumsumexp_along_a_gradient_of_zero(complex_numbers):
    from wengert.autograd import functional
    from wengert.func import hessian, jacfwd, jacrev, linearize

    factors = wg.tensor([2 + 1j, 1 - 1.2j, -0.3 + 0.2j] if complex_numbers else [1.0, 1.0, 1.0]).to(wg.complex128)

    def f(x):
        sums = (x * factors if complex_numbers else x).logcumsumexp(0)
        return sums.real - sums.imag if complex_numbers else sums

    def total(x):
        return (f(x) ** 2).sum()

    x, way = wg.tensor([0.7, -0.3, 0.2], dtype=wg.float64), wg.tensor([1.0, -0.4, 0.8], dtype=wg.float64)
    step = way * 1e-5
    first = ((f(x + step) - f(x - step)) / 2e-5).numpy()
    for found in (linearize(f, x)[1](way), functional.jvp(f, x, way)[1], jacrev(f)(x) @ way, jacfwd(f)(x) @ way):
        np.testing.assert_allclose(found.numpy(), first, atol=1e-8)
    second = (hessian(total)(x) @ way).numpy()
    for found in (functional.hvp(total, x, way)[1], functional.vhp(total, x, way)[1], jacrev(jacfwd(total))(x) @ way):
        np.testing.assert_allclose(found.numpy(), second, atol=1e-10)


def test_complex_running_logarithms_of_sums_at_infinities():
    low, high = -math.inf, math.inf
    found = wg.tensor([complex(low, high), complex(low, 1), 1j, complex(math.nan, 0), 1]).logcumsumexp(0)
    assert found[:3].tolist() == [complex(low, 0), complex(low, 0), 1j]
    assert found[3:].real.isnan().all() and found[3:].imag.isnan().all()


@pytest.mark.parametrize("value", [-math.inf, math.inf, math.nan, 1.0])
def test_the_running_sum_of_one_element_has_the_slope_one(value):
    x = wg.tensor(value, requires_grad=True)
    assert wg.autograd.grad(x.logcumsumexp(0), x)[0] == 1
