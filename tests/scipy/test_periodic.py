"""Periodic splines beside SciPy's, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate as interpolate

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import BSpline, CubicSpline, PchipInterpolator, make_interp_spline
from wengert.scipy.periodic import cyclic

RANDOM = np.random.default_rng(3)
POINTS = np.linspace(-9.0, 14.0, 71)


def period_of(count, *shape):
    x = np.cumsum(RANDOM.uniform(0.3, 1.5, count))
    y = RANDOM.standard_normal((count, *shape))
    y[-1] = y[0]
    return x, y


def closed(y):
    """Values over a period, of which the last one is missing."""
    return wg.cat([y, y[:1]])


def nodes(steps):
    return wg.cat([steps.new_zeros(1), steps.cumsum(0)])


@pytest.mark.parametrize("count", [2, 3, 4, 8, 30])
def test_cubic_splines_repeat_as_those_of_scipy(count):
    x, y = period_of(count, 2)
    spline, expected = CubicSpline(x, y, bc_type="periodic"), interpolate.CubicSpline(x, y, bc_type="periodic")
    for order in range(3):
        assert spline(POINTS, order).numpy() == pytest.approx(expected(POINTS, order), rel=1e-9, abs=1e-9)
    assert spline(x[0] + 0.1).numpy() == pytest.approx(spline(x[-1] + 0.1).numpy(), abs=1e-12)


@pytest.mark.parametrize("count", [2, 3, 5, 9, 30])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5, 8])
def test_splines_of_any_degree_repeat_as_those_of_scipy(count, k):
    x, y = period_of(count, 2)
    spline = make_interp_spline(x, y, k, bc_type="periodic")
    expected = interpolate.make_interp_spline(x, y, k, bc_type="periodic")
    assert spline.extrapolate == expected.extrapolate and spline.t.numpy() == pytest.approx(expected.t, abs=1e-12)
    assert spline(POINTS).numpy() == pytest.approx(expected(POINTS), rel=1e-8, abs=1e-8)
    if k > 1:
        for ends in ((1.3, 9.7), (9.7, 1.3), (2.0, 2.1), (-20.0, 3.0)):
            assert spline.integrate(*ends).numpy() == pytest.approx(expected.integrate(*ends), rel=1e-8, abs=1e-8)
        assert spline(POINTS, 1).numpy() == pytest.approx(expected(POINTS, 1), rel=1e-7, abs=1e-7)
        primitive, reference = spline.antiderivative(), expected.antiderivative()
        assert primitive.extrapolate is False and reference.extrapolate is False
        inside = np.linspace(x[0], x[-1], 9)
        assert primitive(inside).numpy() == pytest.approx(reference(inside), rel=1e-8, abs=1e-8)


def test_axes_and_options_are_those_of_scipy():
    x, y = period_of(6)
    rows = np.stack([y, 2 * y])
    for ours, theirs in ((CubicSpline, interpolate.CubicSpline), (make_interp_spline, interpolate.make_interp_spline)):
        spline, expected = ours(x, rows, axis=1, bc_type="periodic"), theirs(x, rows, axis=1, bc_type="periodic")
        assert spline(POINTS).numpy() == pytest.approx(expected(POINTS), abs=1e-9)
        assert np.isnan(spline(POINTS[0], extrapolate=False).numpy()).all()
    curve, expected = PchipInterpolator(x, y, extrapolate="periodic"), interpolate.PchipInterpolator(x, y)
    assert curve(POINTS).numpy() == pytest.approx(expected(POINTS, extrapolate="periodic"), abs=1e-9)
    spline = BSpline(expected.x, np.ones(3), 2, extrapolate="periodic")
    assert spline(POINTS).numpy() == pytest.approx(np.ones(71))


@pytest.mark.parametrize("count", [2, 3, 12])
def test_derivatives_of_cubic_splines_by_points_nodes_and_values(count):
    steps = wg.rand(count, dtype=wg.float64, generator=wg.Generator().manual_seed(1)) + 0.5
    values = wg.randn(count, 2, dtype=wg.float64, generator=wg.Generator().manual_seed(2))
    points = wg.tensor([-3.3, 0.4, 30.1], dtype=wg.float64)

    def values_at(steps, values, points):
        return CubicSpline(nodes(steps), closed(values), bc_type="periodic")(points)

    inputs = tuple(value.requires_grad_() for value in (steps, values, points))
    assert gradcheck(values_at, inputs, check_forward_ad=True) and gradgradcheck(values_at, inputs)


@pytest.mark.parametrize(("k", "count"), [(2, 7), (3, 12), (3, 3), (4, 4), (5, 26)])
def test_derivatives_of_splines_by_points_nodes_and_values(k, count):
    steps = wg.rand(count, dtype=wg.float64, generator=wg.Generator().manual_seed(1)) + 0.5
    values = wg.randn(count, dtype=wg.float64, generator=wg.Generator().manual_seed(2))
    points = wg.tensor([-3.3, 0.4, 30.1], dtype=wg.float64)

    def values_at(steps, values, points):
        spline = make_interp_spline(nodes(steps), closed(values), k, bc_type="periodic")
        return wg.cat([spline(points), spline.integrate(points[0], points[1]).reshape(1)])

    inputs = tuple(value.requires_grad_() for value in (steps, values, points))
    assert gradcheck(values_at, inputs, check_forward_ad=True)
    if count < 10:
        assert gradgradcheck(values_at, inputs)


@pytest.mark.parametrize("half", [0, 1, 2, 3])
@pytest.mark.parametrize("count", [1, 3, 9, 40])
def test_systems_on_a_circle_are_solved(half, count):
    rows = RANDOM.standard_normal((count, 2 * half + 1))
    rows[:, half] += 6
    matrix = np.zeros((count, count))
    for line in range(count):
        for at in range(-half, half + 1):
            matrix[line, (line + at) % count] += rows[line, at + half]
    right = RANDOM.standard_normal((count, 2, 2))
    expected = np.linalg.solve(matrix, right.reshape(count, -1)).reshape(right.shape)
    assert cyclic(wg.tensor(rows), wg.tensor(right)).numpy() == pytest.approx(expected)


def test_wrong_periods_say_what_is_wrong():
    x, y = np.arange(4.0), np.arange(4.0)
    for make in (CubicSpline, make_interp_spline):
        with pytest.raises(ValueError, match=r"the value there must be that at the first node; repeat the first value"):
            make(x, y, bc_type="periodic")
    with pytest.raises(ValueError, match="the knots of a periodic spline follow from the nodes; omit t"):
        make_interp_spline(x, y * 0, bc_type="periodic", t=np.arange(10.0))
    with pytest.raises(ValueError, match="CubicSpline: expected bc_type to be one of"):
        CubicSpline(x, y * 0, bc_type=("periodic", "natural"))
