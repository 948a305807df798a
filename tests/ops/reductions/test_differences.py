"""Differences, gradients and integrals, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from tests.ops.tables import NUMBERS, tables


@given(tables(), st.integers(0, 6), st.integers(-2, 1))
def test_differences_are_those_of_numpy(x, n, dim):
    np.testing.assert_array_equal(x.diff(n, dim).numpy(), np.diff(x.numpy(), n, dim))
    np.testing.assert_array_equal(
        x.diff(max(n, 1), dim, prepend=x, append=x).numpy(),
        np.diff(x.numpy(), max(n, 1), dim, prepend=x.numpy(), append=x.numpy()),
    )


@given(st.integers(1, 2), st.lists(st.floats(0.25, 2, width=16), min_size=3, max_size=6), st.data())
def test_gradients_are_those_of_numpy(order, steps, data):
    values = wg.tensor(data.draw(st.lists(NUMBERS, min_size=len(steps), max_size=len(steps))), dtype=wg.float64)
    places = wg.tensor(steps, dtype=wg.float64).cumsum(0)
    for spacing, wanted in ((None, 1.0), (0.5, 0.5), ([places], places.numpy())):
        (found,) = wg.gradient(values, spacing=spacing, edge_order=order)
        np.testing.assert_allclose(found.numpy(), np.gradient(values.numpy(), wanted, edge_order=order), atol=1e-9)


@given(tables(), st.integers(-2, 1))
def test_integrals_are_those_of_numpy(y, dim):
    integrate = getattr(np, "trapezoid", None) or np.trapz
    x = wg.arange(y.shape[dim], dtype=wg.float64).square()
    for ours, theirs in (({"dx": 0.5}, {"dx": 0.5}), ({"x": x}, {"x": x.numpy()})):
        wanted = integrate(y.numpy(), axis=dim, **theirs)
        np.testing.assert_allclose(wg.trapezoid(y, dim=dim, **ours).numpy(), wanted, atol=1e-9)
        running = wg.cumulative_trapezoid(y, dim=dim, **ours)
        if running.numel():
            np.testing.assert_allclose(running.select(dim, -1).numpy(), wanted, atol=1e-9)


def test_no_differences_are_a_copy_whatever_the_dimension():
    x = wg.tensor([1.0, 2.0])
    made = wg.diff(x, 0, 9)
    assert made.tolist() == [1, 2] and made is not x


def test_trapz_takes_truth_values_for_numbers_which_no_other_integral_does():
    y = wg.tensor([1.0, 3.0])
    assert wg.trapz(y, dx=True).item() == 2 and wg.trapz(y, dx=False).item() == 0
    with pytest.raises(RuntimeError, match="only support dx as a real number"):
        wg.trapezoid(y, dx=True)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.trapz(y, dx=2j)


@pytest.mark.parametrize("dim", [True, 0.0, "0", {0}])
def test_gradient_refuses_what_is_no_dimension(dim):
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.gradient(wg.arange(6.0).reshape(2, 3), dim=dim)


@pytest.mark.parametrize("function", [wg.trapz, wg.trapezoid])
def test_the_integral_of_nothing_asks_no_questions(function):
    nothing = wg.zeros(0, 3)
    assert function(nothing.bool(), dim=0).tolist() == [False] * 3
    assert function(nothing, wg.zeros(5, dtype=wg.bool), dim=0).tolist() == [0.0] * 3
    with pytest.raises(RuntimeError, match="received a bool input"):
        function(nothing.bool(), dim=1)


def test_the_dimension_of_no_differences_is_an_integer_too():
    assert wg.diff(wg.ones(3), 0, 7).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="argument 'dim' must be int, not NoneType"):
        wg.diff(wg.ones(3), 0, None)
