"""`wg.scipy.quad`, `quad_vec` and `fixed_quad` beside SciPy's, and their derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.integrate as integrate
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import fixed_quad, quad, quad_vec

LIMITS = [(0.0, 2.0), (2.0, -1.0), (0.5, math.inf), (-math.inf, 0.5), (-math.inf, math.inf), (math.inf, 0.0)]


def number(value: float) -> Any:
    return wg.tensor(value, dtype=wg.float64, requires_grad=True)


def bell(x: Any, a: Any, c: Any) -> Any:
    return (-a * (x - c) ** 2).exp() * (1 + x)


def numpy_bell(x: float, a: float, c: float) -> float:
    return np.exp(-a * (x - c) ** 2) * (1 + x)


@pytest.mark.parametrize("limits", LIMITS)
def test_integrals_are_those_of_scipy_and_differentiable(limits: tuple[float, float]) -> None:
    expected, error = integrate.quad(numpy_bell, *limits, args=(1.2, 0.3))
    value, estimate = quad(bell, *limits, args=(1.2, 0.3))
    assert (
        type(value) is float and value == pytest.approx(expected, rel=1e-12) and estimate == pytest.approx(error, 0.1)
    )
    inputs = (number(1.2), number(0.3))
    result, _ = quad(bell, *limits, args=inputs)
    assert result.item() == expected or result.item() == pytest.approx(expected, rel=1e-14)
    assert gradcheck(lambda a, c: quad(bell, *limits, args=(a, c))[0], inputs, check_forward_ad=True)
    if limits in LIMITS[:3]:
        assert gradgradcheck(lambda a, c: quad(bell, *limits, args=(a, c))[0], inputs, check_fwd_over_rev=True)
    vector = lambda x, a, c: wg.stack([bell(x, a, c), bell(2 * x, a, c)])  # noqa: E731
    assert gradcheck(lambda a, c: quad_vec(vector, *limits, args=(a, c))[0], inputs, check_forward_ad=True)
    np.testing.assert_allclose(quad_vec(vector, *limits, args=(1.2, 0.3))[0][0], expected, rtol=1e-7)


@settings(max_examples=20, deadline=None)
@given(st.floats(-2, 2), st.floats(-2, 2), st.floats(0.5, 2))
def test_derivatives_by_limits_follow_leibniz(low: float, high: float, rate: float) -> None:
    a, b, r = number(low), number(high), number(rate)
    f = lambda x: (r * x).sin() + x**2  # noqa: E731
    for value in (quad(f, a, b)[0], quad_vec(f, a, b)[0], fixed_quad(f, a, b, n=20)[0]):
        grads = wg.autograd.grad(value, (a, b, r), create_graph=True)
        by_rate = np.cos(rate * high) - np.cos(rate * low)
        by_rate += rate * (high * np.sin(rate * high) - low * np.sin(rate * low))
        wanted = [-np.sin(rate * low) - low**2, np.sin(rate * high) + high**2, by_rate / rate**2]
        np.testing.assert_allclose([grad.item() for grad in grads], wanted, rtol=1e-7, atol=1e-8)
        second = wg.autograd.grad(grads[1], (b, r), materialize_grads=True)
        np.testing.assert_allclose(second[0].item(), rate * np.cos(rate * high) + 2 * high, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(second[1].item(), high * np.cos(rate * high), rtol=1e-6, atol=1e-7)


def test_third_derivatives_by_a_limit_and_semi_infinite_limits() -> None:
    third = wg.func.grad(wg.func.grad(wg.func.grad(lambda b: quad(lambda x: x.exp(), 0, b)[0])))
    assert third(number(0.7).detach()).item() == pytest.approx(np.exp(0.7), rel=1e-8)
    third = wg.func.jacfwd(wg.func.grad(wg.func.jacfwd(lambda a: quad(lambda x: (-x).exp(), a, math.inf)[0])))
    assert third(number(0.7).detach()).item() == pytest.approx(-np.exp(-0.7), rel=1e-8)


def test_kinks_and_break_points() -> None:
    """The derivative with respect to the place of a kink."""
    c = number(0.3)
    for options, accuracy in (({}, 1e-3), ({"points": [0.3]}, 1e-10)):
        (gradient,) = wg.autograd.grad(quad(lambda x: (x - c).abs(), 0, 1, **options)[0], c)
        assert gradient.item() == pytest.approx(0.3 - 0.7, abs=accuracy)
    root = number(0.5)
    (gradient,) = wg.autograd.grad(quad(lambda x: x ** (-root), 0, 1)[0], root)  # 1 / (1 - root)
    assert gradient.item() == pytest.approx(4.0, rel=1e-3)


def test_what_scipy_returns_and_warns_of_is_passed_on() -> None:
    assert len(quad(lambda x: x, 0, 1, full_output=1)) == 3
    with pytest.warns(integrate.IntegrationWarning):
        quad(lambda x: 1 / x, 0, 1)
    assert len(quad(lambda x: 1 / x, 0, 1, full_output=1)) == 4
    value = quad(lambda x: x, 0, 1, weight="cos", wvar=2.0)[0]
    assert value == pytest.approx(integrate.quad(lambda x: x, 0, 1, weight="cos", wvar=2.0)[0])
    assert len(quad_vec(lambda x: x, 0, 1, full_output=True)) == 3
    with wg.no_grad():
        assert type(quad(lambda x: x * number(2.0), 0, 1)[0]) is float
    complex_value = quad_vec(lambda x: (1j * x).exp(), 0, 1)[0]
    assert complex_value == pytest.approx((np.exp(1j) - 1) / 1j)
    w = wg.tensor(1.5 + 0.5j, dtype=wg.complex128, requires_grad=True)
    assert gradcheck(lambda w: quad_vec(lambda x: (1j * w * x).exp(), 0, 1)[0], (w,), check_forward_ad=True)


def test_what_does_not_fit_is_refused() -> None:
    a = number(1.0)
    with pytest.raises(RuntimeError, match="quad: func or a limit requires gradients, but with weight="):
        quad(lambda x: a * x, 0, 1, weight="cos", wvar=2.0)
    with pytest.raises(TypeError, match=r"quad: expected the integrand to return one number, .* shape \(2,"):
        quad(lambda x: wg.stack([x, x]), 0, 1)
    with pytest.raises(TypeError, match="quad: expected the integrand to be a function, but got int"):
        quad(3, 0, 1)
    with pytest.raises(ValueError, match=r"fixed_quad: expected finite limits, but got 0.0 and inf; use quad"):
        fixed_quad(lambda x: x, 0, math.inf)
    with pytest.raises(RuntimeError, match="quad: a result of the integrand holds a batch of vmap"):
        wg.func.vmap(lambda a: quad(lambda x: a * x, 0, 1)[0])(wg.ones(3))


def test_a_fixed_rule_is_that_of_scipy() -> None:
    for n in (1, 3, 6):
        value, nothing = fixed_quad(lambda x, p: x**p, 0.5, 2, (5,), n)
        assert nothing is None and value.item() == pytest.approx(
            integrate.fixed_quad(lambda x, p: x**p, 0.5, 2, (5,), n)[0]
        )
    both = fixed_quad(lambda x: wg.stack([x, x**2]), 0, 3)[0]
    np.testing.assert_allclose(both.numpy(), [4.5, 9])
