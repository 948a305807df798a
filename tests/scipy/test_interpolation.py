"""`wg.scipy.interp1d`, `CubicSpline` and `PchipInterpolator` beside SciPy's, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as interpolate
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import CubicSpline, PchipInterpolator, interp1d

RANDOM = np.random.default_rng(0)
X = np.array([0.0, 0.7, 1.1, 2.0, 3.5, 4.0])
Y = RANDOM.standard_normal((6, 2))
Q = np.array([0.1, 0.9, 1.7, 3.0, 3.9])
CURVES: dict[str, Any] = {
    "linear": lambda x, y: interp1d(x, y, axis=0),
    "cubic": lambda x, y: interp1d(x, y, "cubic", axis=0),
    "not-a-knot": CubicSpline,
    "natural": lambda x, y: CubicSpline(x, y, bc_type="natural"),
    "clamped": lambda x, y: CubicSpline(x, y, bc_type="clamped"),
    "known ends": lambda x, y: CubicSpline(x, y, bc_type=((1, 0.3), (2, -0.2))),
    "pchip": PchipInterpolator,
}
FORMS = st.sampled_from(["not-a-knot", "natural", "clamped"])
KINDS = st.sampled_from(["linear", "nearest", "nearest-up", "previous", "next"])
NODES = st.lists(st.floats(0.1, 2), min_size=2, max_size=8).map(np.cumsum)


@settings(max_examples=40, deadline=None)
@given(
    x=NODES, seed=st.integers(0, 1000), nu=st.integers(0, 3), form=st.sampled_from(["not-a-knot", "natural", "clamped"])
)
def test_splines_are_those_of_scipy(x: Any, seed: int, nu: int, form: str) -> None:
    random = np.random.default_rng(seed)
    y = random.standard_normal((2, len(x), 3))
    points = random.uniform(x[0] - 0.5, x[-1] + 0.5, (4, 2))
    for ours, theirs in (
        (CubicSpline(x, y, 1, form), interpolate.CubicSpline(x, y, 1, form)),
        (PchipInterpolator(x, y, 1), interpolate.PchipInterpolator(x, y, 1)),
        (CubicSpline(x, y, 1, form, False), interpolate.CubicSpline(x, y, 1, form, False)),
    ):
        expected = theirs(points, nu)
        scale = max(1.0, np.nanmax(np.abs(expected), initial=0.0))
        np.testing.assert_allclose(ours(points, nu).numpy(), expected, rtol=1e-7, atol=1e-8 * scale)
        np.testing.assert_allclose(ours.derivative()(points).numpy(), theirs(points, 1), rtol=1e-7, atol=1e-7 * scale)


@settings(max_examples=40, deadline=None)
@given(
    x=NODES, seed=st.integers(0, 1000), kind=st.sampled_from(["linear", "nearest", "nearest-up", "previous", "next"])
)
def test_one_dimensional_interpolation_is_that_of_scipy(x: Any, seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    y, order = random.standard_normal((3, len(x))), random.permutation(len(x))
    points = np.concatenate([random.uniform(x[0], x[-1], 6), x])
    outside = np.array([x[0] - 1, x[-1] + 1, x[0]])
    options: Any
    for options in (
        {},
        {"bounds_error": False, "fill_value": (-1.0, 2.0)},
        {"bounds_error": False, "fill_value": 5.0},
        {"bounds_error": False},
    ):
        ours, theirs = interp1d(x[order], y[:, order], kind, **options), interpolate.interp1d(x, y, kind, **options)
        np.testing.assert_allclose(ours(points).numpy(), theirs(points), atol=1e-12)
        if options:
            np.testing.assert_allclose(ours(outside).numpy(), theirs(outside), atol=1e-12)
    ours = interp1d(x, y, kind, fill_value="extrapolate")
    theirs = interpolate.interp1d(x, y, kind, fill_value="extrapolate")
    np.testing.assert_allclose(ours(outside).numpy(), theirs(outside), rtol=1e-9, atol=1e-9)
    assert ours(float(x[0])).shape == (3,)


def test_a_cubic_is_that_of_scipy() -> None:
    np.testing.assert_allclose(
        interp1d(X, Y.T, "cubic")(Q).numpy(), interpolate.interp1d(X, Y.T, "cubic")(Q), atol=1e-12
    )


@pytest.mark.parametrize("name", CURVES)
def test_derivatives_by_points_values_and_nodes(name: str) -> None:
    inputs = tuple(wg.tensor(value, requires_grad=True) for value in (X, Y, Q))
    curve = lambda x, y, q: CURVES[name](x, y)(q)  # noqa: E731
    assert gradcheck(curve, inputs, check_forward_ad=True)
    assert gradgradcheck(lambda y, q: curve(X, y, q), inputs[1:])
    jacobians = [wg.func.jacrev(curve, (0, 1))(*inputs), wg.func.jacfwd(curve, (0, 1))(*inputs)]
    for one, other in zip(*jacobians):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), atol=1e-10)


def test_second_derivatives_by_the_nodes() -> None:
    x = wg.tensor(X, requires_grad=True)
    assert gradgradcheck(lambda x: CubicSpline(x, Y)(Q), (x,), check_fwd_over_rev=True)


@pytest.mark.parametrize("kind", ["nearest", "previous", "next"])
def test_steps_have_derivatives_by_their_values_only(kind: str) -> None:
    y, q = wg.tensor(Y, requires_grad=True), wg.tensor(Q, requires_grad=True)
    value = interp1d(X, y, kind, axis=0)(q)
    by_values, by_points = wg.autograd.grad(value.sum(), (y, q), allow_unused=True)
    assert by_values.sum() == value.numel() and by_points is None


def test_a_fill_value_and_float32_get_gradients() -> None:
    fill = wg.tensor(2.0, requires_grad=True)
    y = wg.tensor([1.0, 2.0], requires_grad=True)
    (interp1d([0.0, 1.0], y, fill_value=fill, bounds_error=False)([-1.0, 0.25, 5.0]) ** 2).sum().backward()
    assert fill.grad == 8 and y.grad.dtype is wg.float32
    np.testing.assert_allclose(y.grad.numpy(), [1.875, 0.625])


def test_the_values_of_a_curve_are_fitted() -> None:
    """A spline with free values takes the form of a function, by its gradients."""
    y = wg.zeros(8, dtype=wg.float64, requires_grad=True)
    nodes, points = np.linspace(0, 3, 8), np.linspace(0, 3, 40)
    optimizer = wg.optim.Adam([y], lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        loss = ((CubicSpline(nodes, y)(points) - wg.tensor(np.sin(points))) ** 2).mean()
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-5


@pytest.mark.parametrize(
    ("message", "attempt"),
    [
        ("CubicSpline: expected nodes that increase", lambda: CubicSpline([0, 2, 1], [1, 2, 3])),
        ("expected as many values along axis 0 as nodes, at least 2", lambda: CubicSpline([0, 1], [1, 2, 3])),
        ("expected 1-D nodes", lambda: PchipInterpolator([[0, 1]], [1, 2])),
        ("CubicSpline: expected bc_type to be one of .*'cyclic'", lambda: CubicSpline(X, Y, bc_type="cyclic")),
        ("interp1d: expected kind to be one of .*'cubik'", lambda: interp1d(X, X, "cubik")),
        (
            "a point is below the interpolation range, whose end is 0.0; pass bounds_error=False",
            lambda: interp1d(X, X)(-1.0),
        ),
        ("contradict each other", lambda: interp1d(X, X, fill_value="extrapolate", bounds_error=True)),
    ],
)
def test_what_does_not_fit_is_refused(message: str, attempt: Any) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_batch_is_refused() -> None:
    with pytest.raises(RuntimeError, match="interpolation: an argument holds a batch of vmap"):
        wg.func.vmap(lambda y: CubicSpline(X, y)(Q))(wg.ones(3, 6))
