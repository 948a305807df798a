"""`wg.scipy.BSpline` and `make_interp_spline` beside SciPy's, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as interpolate
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import BSpline, make_interp_spline

RANDOM = np.random.default_rng(0)
X = np.array([0.0, 0.7, 1.1, 2.0, 3.5, 4.0])
Y = RANDOM.standard_normal((6, 2))
Q = np.array([0.1, 0.85, 1.7, 3.0, 3.9, 4.3])
T = np.array([0.0, 0.0, 0.0, 0.5, 1.0, 2.2, 4.0, 4.0, 4.0])
ENDS: dict[str, Any] = {
    "not-a-knot": None,
    "natural": "natural",
    "clamped": "clamped",
    "one of both": ("clamped", "natural"),
    "known": ([(1, 0.3)], [(2, -0.2)]),
    "two at one end": ([(1, 0.3), (2, 0.1)], None),
}


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.floats(0.1, 2), min_size=1, max_size=10),
    k=st.integers(0, 5),
    nu=st.integers(0, 4),
    axis=st.integers(-3, 2),
    seed=st.integers(0, 1000),
)
def test_splines_are_those_of_scipy(steps: list[float], k: int, nu: int, axis: int, seed: int) -> None:
    x, random = np.cumsum([0.3, *steps, *[0.5] * k]), np.random.default_rng(seed)
    y = np.moveaxis(random.standard_normal((len(x), 2, 3)), 0, axis)
    points = random.uniform(x[0] - 0.3, x[-1] + 0.3, (4, 2))
    ours, theirs = make_interp_spline(x, y, k, axis=axis), interpolate.make_interp_spline(x, y, k, axis=axis)
    np.testing.assert_allclose(ours.t.numpy(), theirs.t)
    np.testing.assert_allclose(ours(x).numpy(), theirs(x), atol=1e-8)
    for extrapolate in (None, False)[: 1 + (nu <= k)]:  # beyond the knots SciPy's zero derivatives are not NaN
        wanted = theirs(points, nu, extrapolate)
        scale = max(1.0, np.nanmax(np.abs(wanted), initial=0.0))
        result = ours(points, nu, extrapolate)
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-6, atol=1e-7 * scale)
    assert ours(float(x[0])).shape == theirs(float(x[0])).shape
    if k:  # SciPy's antiderivatives of step functions vanish at the last knot
        wanted = theirs.antiderivative(2)(points)
        result = ours.antiderivative(2)(points)
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", ENDS)
def test_conditions_at_the_ends_are_those_of_scipy(name: str) -> None:
    pair = ENDS[name]
    theirs = pair
    if isinstance(pair, tuple) and not isinstance(pair[0], str):
        widened = [None if end is None else [(order, [value] * 2) for order, value in end] for end in pair]
        theirs = tuple(widened)
    ours, other = make_interp_spline(X, Y, bc_type=pair), interpolate.make_interp_spline(X, Y, bc_type=theirs)
    np.testing.assert_allclose(ours(Q).numpy(), other(Q), atol=1e-10)
    np.testing.assert_allclose(ours.c.numpy(), other.c, atol=1e-10)


def test_knots_of_the_program() -> None:
    ours, theirs = make_interp_spline(X, Y, 2, T), interpolate.make_interp_spline(X, Y, 2, T)
    np.testing.assert_allclose(ours(Q, 1).numpy(), theirs(Q, 1), atol=1e-10)


def test_integrals_are_those_of_scipy() -> None:
    for extrapolate in (True, False):
        ours, theirs = BSpline(T, Y, 2, extrapolate), interpolate.BSpline(T, Y, 2, extrapolate)
        for ends in ((0.2, 3.1), (3.0, 0.5), (-1.0, 5.0)):
            result = ours.integrate(*ends).numpy()
            if extrapolate or ends != (-1.0, 5.0):
                np.testing.assert_allclose(result, theirs.integrate(*ends), atol=1e-12)
    np.testing.assert_allclose(
        BSpline(T, Y, 2, False).integrate(-1.0, 5.0).numpy(), interpolate.BSpline(T, Y, 2).integrate(0.0, 4.0)
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("nu", [0, 1])
def test_derivatives_by_points_values_and_nodes(k: int, nu: int) -> None:
    inputs = tuple(wg.tensor(value, requires_grad=True) for value in (X, Y, Q))
    curve = lambda x, y, q: make_interp_spline(x, y, k)(q, nu)  # noqa: E731
    assert gradcheck(curve, inputs, check_forward_ad=True)
    if k > 1:
        assert gradgradcheck(lambda y, q: curve(X, y, q), inputs[1:])
    jacobians = [wg.func.jacrev(curve, (0, 1))(*inputs), wg.func.jacfwd(curve, (0, 1))(*inputs)]
    for one, other in zip(*jacobians):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), atol=1e-9)


def test_derivatives_by_knots_coefficients_and_conditions() -> None:
    apart = T + np.linspace(0, 0.1, 9)
    knots, values, points = (wg.tensor(value, requires_grad=True) for value in (apart, Y, Q))
    free = wg.tensor(T[3:6], requires_grad=True)
    whole = lambda inner: wg.cat([wg.tensor(T[:3]), inner, wg.tensor(T[6:])])  # noqa: E731
    assert gradcheck(lambda t, y, q: make_interp_spline(X, y, 2, whole(t))(q), (free, values, points))
    assert gradcheck(lambda t, c, q: BSpline(t, c, 2)(q), (knots, values, points), check_forward_ad=True)
    ends = tuple(wg.tensor(value, dtype=wg.float64, requires_grad=True) for value in (0.3, -0.2))
    assert gradcheck(lambda a, b: make_interp_spline(X, Y, bc_type=([(1, a)], [(2, b)]))(Q), ends)
    assert gradcheck(lambda c, a, b: BSpline(T, c, 2).integrate(a, b), (values, *ends))


def test_second_derivatives_by_the_nodes() -> None:
    x = wg.tensor(X, requires_grad=True)
    assert gradgradcheck(lambda x: make_interp_spline(x, Y, 3)(Q[:2]), (x,), check_fwd_over_rev=True)


def test_a_thousand_nodes_take_a_banded_system() -> None:
    x = np.linspace(0, 10, 1000)
    y = wg.tensor(np.sin(x), requires_grad=True)
    value = make_interp_spline(x, y, 5)(1.2345)
    assert abs(value.item() - np.sin(1.2345)) < 1e-12
    (gradient,) = wg.autograd.grad(value, y)
    assert abs(gradient.sum().item() - 1) < 1e-9  # constants are reproduced


@pytest.mark.parametrize(
    ("message", "attempt"),
    [
        ("expected nodes that increase", lambda: make_interp_spline([0, 2, 1, 3], [1, 2, 3, 4])),
        ("expected k to be a degree of at least 0, but got -1", lambda: make_interp_spline(X, Y, -1)),
        ("expected finite nodes and values", lambda: make_interp_spline(X, Y * np.nan)),
        ("bc_type to be None, one of not-a-knot, .*'cyclic'", lambda: make_interp_spline(X, Y, bc_type="cyclic")),
        ("orders of derivatives at an end .* to k = 1", lambda: make_interp_spline(X, Y, 1, bc_type="natural")),
        (
            "8 knots of degree 3 have 4 coefficients, but there are 6",
            lambda: make_interp_spline(X, Y, 3, [0] * 4 + [4] * 4),
        ),
        ("expected nodes between the knots", lambda: make_interp_spline(X + 1, Y, 2, T)),
        ("Schoenberg-Whitney", lambda: make_interp_spline(X, Y, 2, [0, 0, 0, 3.6, 3.7, 3.8, 4, 4, 4])),
        ("expected 1-D knots that do not decrease", lambda: BSpline([0, 2, 1], [1], 1)),
        ("expected at least 4 knots for degree 1, and 1 coefficients for 3", lambda: BSpline([0, 1, 2], [1, 2], 1)),
        ("axis 2 is out of range for 1-D", lambda: BSpline([0, 1, 2, 3], [1, 2], 1, axis=2)),
    ],
)
def test_what_does_not_fit_is_refused(message: str, attempt: Any) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_batch_is_refused() -> None:
    with pytest.raises(RuntimeError, match="interpolation: an argument holds a batch of vmap"):
        wg.func.vmap(lambda y: make_interp_spline(X, y)(Q))(wg.ones(3, 6))
