"""Orthogonal polynomials: degrees, values beyond all numbers, derivatives."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
import scipy.special as reference
from hypothesis import given, strategies as st

import wengert as wg


@pytest.mark.parametrize("degree", [math.inf, math.nan, 1e30, -1e30])
@pytest.mark.parametrize("name", ["hermite_polynomial_h", "legendre_polynomial_p", "chebyshev_polynomial_u"])
def test_a_degree_that_no_integer_is_counts_as_negative(name, degree):
    assert getattr(wg.special, name)(wg.tensor([-8.0, 0.5]), degree).tolist() == [0.0, 0.0]


def test_polynomials_beyond_all_numbers_are_differences_of_infinities():
    degrees = wg.tensor([246.0, 247.0, 248.0, 249.0, 500.0], dtype=wg.float64)
    found = wg.special.chebyshev_polynomial_t(wg.tensor(9.0, dtype=wg.float64), degrees)
    assert found.isinf().tolist() == [False, True, True, False, False]
    assert found.isnan().tolist() == [False, False, False, True, True]


NAN, INF = math.nan, math.inf

POLYNOMIALS = [
    (f"{shifted}chebyshev_polynomial_{kind}", 2 if shifted else 1) for shifted in ("", "shifted_") for kind in "tuvw"
] + [
    (name, 1)
    for name in ("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")
]


@pytest.mark.parametrize(("name", "scale"), POLYNOMIALS)
def test_polynomials_have_the_derivatives_that_their_coefficients_say(name, scale):
    polynomial = getattr(wg.special, name)
    points = np.linspace(-1, 1, 9)
    for degree in (0, 1, 2, 5, 8):
        fitted = np.polynomial.Polynomial.fit(points, polynomial(wg.tensor(points), degree).numpy(), degree)
        x = wg.tensor(points, requires_grad=True)
        n = wg.full((9,), degree + 0.5, dtype=wg.float64, requires_grad=True)
        first, by_degree = wg.autograd.grad(polynomial(x, n).sum(), (x, n), create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        size = scale**2 * 8.0**4
        assert np.allclose(first.detach().numpy(), fitted.deriv()(points), rtol=1e-8, atol=1e-9 * size)
        assert np.allclose(second.numpy(), fitted.deriv(2)(points), rtol=1e-6, atol=1e-7 * size)
        assert not by_degree.any()


def test_derivatives_of_polynomials_of_enormous_degree_are_refused():
    x = wg.tensor([0.5], requires_grad=True)
    with pytest.raises(NotImplementedError, match="of a degree above 10000 is not implemented"):
        wg.special.chebyshev_polynomial_t(x, 10**9).backward()


DEGREES = np.arange(0, 40)


@given(st.floats(-1, 1), st.sampled_from("tuvw"), st.booleans())
def test_chebyshev_polynomials_are_what_their_recurrence_gives(x, kind, shifted):
    name = f"{'shifted_' * shifted}chebyshev_polynomial_{kind}"
    found = getattr(wg.special, name)(wg.tensor(x, dtype=wg.float64), wg.tensor(DEGREES)).numpy()
    at = 2 * x - 1 if shifted else x
    values = [1.0, {"t": at, "u": 2 * at, "v": 2 * at - 1, "w": 2 * at + 1}[kind]]
    while len(values) < len(DEGREES):
        values.append(2 * at * values[-1] - values[-2])
    np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind, right, left", [("t", 1, 1), ("u", 8, 8), ("v", 1, 15), ("w", 15, 1)])
def test_chebyshev_polynomials_of_high_degree_have_their_values_at_the_ends(kind, right, left):
    function = getattr(wg.special, f"chebyshev_polynomial_{kind}")
    assert function(wg.tensor([1.0, -1.0], dtype=wg.float64), 7).tolist() == [right, -left]


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("chebyshev_polynomial_t", reference.eval_chebyt),
        ("chebyshev_polynomial_u", reference.eval_chebyu),
        ("hermite_polynomial_h", reference.eval_hermite),
        ("hermite_polynomial_he", reference.eval_hermitenorm),
        ("laguerre_polynomial_l", reference.eval_laguerre),
        ("legendre_polynomial_p", reference.eval_legendre),
    ],
)
def test_polynomials_are_scipys(name, wanted):
    x = np.linspace(-1.5, 1.5, 13)
    for degree in (0, 1, 2, 3, 7, 20):
        found = getattr(wg.special, name)(wg.tensor(x), degree)
        np.testing.assert_allclose(found.numpy(), wanted(degree, x), rtol=1e-9, atol=1e-9)


POLYNOMIALS = [name for name in wg.special.__all__ if "polynomial" in name]


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_no_degree_takes_long(name):
    started = time.perf_counter()
    degrees = wg.tensor([2.0**62, -(2.0**62), INF, -INF, NAN, 1e5, 2.9, -0.5], dtype=wg.float64)
    found = getattr(wg.special, name)(wg.tensor(0.25, dtype=wg.float64), degrees).tolist()
    assert time.perf_counter() - started < 5
    two = getattr(wg.special, name)(wg.tensor(0.25, dtype=wg.float64), 2).item()
    assert found[1:5] == [0, 0, 0, 0] and found[6:] == [two, 1]
