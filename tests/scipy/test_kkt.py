"""Derivatives of minima under constraints, by the conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import scipy.optimize as optimize
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import minimize
from wengert.scipy.kkt import active_at

BOTH = {"eps": 1e-4, "atol": 1e-4}
A = wg.tensor([1.5, 0.7, 2.0], dtype=wg.float64)
LIMIT = np.inf


def bowl(x: Any, a: Any) -> Any:
    return ((x - a) ** 2).sum() + 0.1 * (x[0] * x[1]) ** 2


def sphere(a: Any) -> Any:
    return {"type": "ineq", "fun": lambda x: a[0] - (x**2).sum()}


PROBLEMS: dict[str, Any] = {
    "an equality": lambda a: {"constraints": {"type": "eq", "fun": lambda x: x.sum() - a[1]}},
    "an active inequality": lambda a: {"constraints": sphere(a)},
    "an inactive inequality": lambda a: {"constraints": {"type": "ineq", "fun": lambda x: 100 - (x**2).sum() + a[0]}},
    "both": lambda a: {"constraints": [sphere(a), {"type": "eq", "fun": lambda x: x[0] - x[1] * a[2]}]},
    "arguments": lambda a: {"constraints": {"type": "eq", "fun": lambda x, b: x.sum() - b[0] * b[1], "args": (a,)}},
    "several results": lambda a: {"constraints": {"type": "ineq", "fun": lambda x: 1 - x * a}},
    "limits on both sides": lambda a: {
        "constraints": optimize.NonlinearConstraint(lambda x: wg.stack([x[0] * a[0], x.sum()]), [-1, 0.5], [0.6, 2])
    },
    "a linear constraint": lambda a: {"constraints": optimize.LinearConstraint([[1, 2, 3], [1, 0, 0]], -LIMIT, [3, 9])},
    "bounds, too": lambda a: {"constraints": sphere(a), "bounds": [(None, 0.3), (None, None), (0.2, None)]},
    "a fixed variable": lambda a: {"constraints": sphere(a), "bounds": optimize.Bounds([0.1, -9, -9], [0.1, 9, 9])},
    "a vertex": lambda a: {
        "constraints": {"type": "eq", "fun": lambda x: wg.stack([x[0] - a[0], x[1] * a[1] - 1, x[2]])}
    },
}


def solved(a: Any, name: str, method: str = "SLSQP", tol: float = 1e-13) -> Any:
    return minimize(lambda x: bowl(x, a), [0.1, 0.2, 0.3], method=method, tol=tol, **PROBLEMS[name](a)).x


@pytest.mark.parametrize("name", PROBLEMS)
def test_derivatives_by_the_parameters(name: str) -> None:
    a = A.clone().requires_grad_()
    assert gradcheck(lambda a: solved(a, name), (a,), check_forward_ad=True, **BOTH)


@pytest.mark.parametrize("name", ["both", "bounds, too", "limits on both sides"])
def test_second_derivatives(name: str) -> None:
    a = A.clone().requires_grad_()
    assert gradgradcheck(lambda a: solved(a, name), (a,), **BOTH)


@pytest.mark.parametrize("name", ["both", "bounds, too"])
def test_hessians_in_both_orders(name: str) -> None:
    weights = wg.tensor([1.0, -2.0, 0.5], dtype=wg.float64)
    last = lambda a: (solved(a, name) ** 2) @ weights  # noqa: E731
    expected = wg.func.jacrev(wg.func.grad(last))(A).numpy()
    np.testing.assert_allclose(wg.func.hessian(last)(A).numpy(), expected, rtol=1e-6, atol=1e-7)
    assert np.abs(expected).max() > 0.1


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
@pytest.mark.parametrize("name", PROBLEMS)
def test_derivatives_do_not_depend_on_the_method(name: str) -> None:
    a = A.clone().requires_grad_()
    gradients = [
        wg.autograd.grad(solved(a, name, method, tol)[0], a)[0].numpy()
        for method, tol in (("SLSQP", 1e-13), ("trust-constr", 1e-10), ("COBYQA", 1e-8))
        if (method, name) != ("COBYQA", "a fixed variable")  # SciPy passes too few variables to the constraint
    ]
    for gradient in gradients[1:]:
        np.testing.assert_allclose(gradient, gradients[0], atol=3e-3)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 6), rows=st.integers(1, 5))
def test_random_quadratic_programs(seed: int, count: int, rows: int) -> None:
    """Derivatives by all coefficients, beside differences of solutions."""
    random = np.random.default_rng(seed)
    root = random.standard_normal((count, count))
    given = [root @ root.T + np.eye(count), random.standard_normal(count), random.standard_normal((rows, count))]
    along = [random.standard_normal(np.shape(value)) for value in given]
    weights = wg.tensor(random.standard_normal(count))

    def solution(step: float, follow: bool) -> Any:
        values = [wg.tensor(value + step * way, requires_grad=follow) for value, way in zip(given, along)]
        matrix, vector, factors = values
        limits = {"type": "ineq", "fun": lambda x: 1 - factors @ x}
        found = minimize(
            lambda x: 0.5 * x @ matrix @ x - 3 * vector @ x,
            np.zeros(count),
            method="SLSQP",
            constraints=limits,
            bounds=[(-1, 1)] * count,
            tol=1e-14,
            options={"maxiter": 500},
        )
        assert found.success or found.status == 8  # no better point in the line search: rounding errors
        return found.x, values

    x, values = solution(0.0, True)
    gradients = wg.autograd.grad((x * weights).sum(), values, allow_unused=True)
    result = sum(
        float((gradient.numpy() * way).sum()) for gradient, way in zip(gradients, along) if gradient is not None
    )
    middle = (x * weights).sum().item()
    above, below = ((wg.tensor(solution(step, False)[0]) * weights).sum().item() for step in (1e-5, -1e-5))
    if abs(above - 2 * middle + below) < 1e-8:  # no constraint becomes active within the step
        np.testing.assert_allclose(result, (above - below) / 2e-5, rtol=1e-3, atol=1e-3)


def test_the_derivative_of_the_minimum_by_a_limit_is_the_multiplier() -> None:
    limit = wg.tensor(2.0, dtype=wg.float64, requires_grad=True)
    target = wg.tensor([3.0, 4.0], dtype=wg.float64)
    disc = optimize.NonlinearConstraint(lambda x: (x**2).sum() - limit**2, -LIMIT, 0)
    x = minimize(lambda x: ((x - target) ** 2).sum(), [0.1, 0.1], constraints=disc, method="SLSQP", tol=1e-12).x
    np.testing.assert_allclose(x.detach().numpy(), [1.2, 1.6], atol=1e-8)
    (gradient,) = wg.autograd.grad(((x - target) ** 2).sum(), limit)
    assert abs(gradient.item() + 6) < 1e-6  # (5 - r)²


def test_projection_on_the_simplex() -> None:
    """The derivative of the projection is that of the mean over the elements that are not zero."""
    point = wg.tensor([0.9, 0.5, -0.4, 0.3], dtype=wg.float64, requires_grad=True)
    simplex = {"type": "eq", "fun": lambda x: x.sum() - 1}
    x = minimize(
        lambda x: ((x - point) ** 2).sum(), np.full(4, 0.25), constraints=simplex, bounds=[(0, 1)] * 4, tol=1e-14
    )
    jacobian = wg.stack([wg.autograd.grad(value, point, retain_graph=True)[0] for value in x.x]).numpy()
    free = np.array([1.0, 1.0, 0.0, 1.0])
    np.testing.assert_allclose(jacobian, np.diag(free) - np.outer(free, free) / 3, atol=1e-8)


def test_containers_and_transforms() -> None:
    a = wg.tensor(0.5, dtype=wg.float64)

    def solution(a: Any) -> Any:
        limit = {"type": "eq", "fun": lambda p: p["u"] + p["v"].sum() - a}
        fun = lambda p: p["u"] ** 2 + ((p["v"] - a) ** 2).sum()  # noqa: E731
        return minimize(fun, {"u": 0.0, "v": wg.zeros(2)}, constraints=limit, tol=1e-12).x

    x = solution(a.clone().requires_grad_())
    assert x["u"].requires_grad and x["v"].shape == (2,)
    slope = wg.func.grad(lambda a: solution(a)["u"])(a)
    tangent = wg.func.jvp(lambda a: solution(a)["u"], (a,), (wg.ones_like(a),))[1]
    assert abs(slope.item() + 1 / 3) < 1e-8 and abs(tangent.item() + 1 / 3) < 1e-8


def test_without_gradients_the_result_is_an_array() -> None:
    a = A.clone().requires_grad_()
    with wg.no_grad():
        assert isinstance(solved(a, "both"), np.ndarray)
    assert isinstance(solved(A, "both"), np.ndarray)


def test_no_cycle_keeps_a_solution_alive() -> None:
    gc.collect()
    gc.disable()
    try:
        a = A.clone().requires_grad_()
        x = solved(a, "both")
        alive = weakref.ref(a)
        x.sum().backward()
        del x, a
        assert alive() is None
    finally:
        gc.enable()


def attempt(fun: Any, x0: Any, constraints: Any, **options: Any) -> Any:
    a = A.clone().requires_grad_()
    minimize(lambda x: fun(x) + (a - a).sum(), x0, constraints=constraints, **options)


@pytest.mark.filterwarnings(
    "ignore:Singular Jacobian matrix", "ignore:delta_grad == 0.0", "ignore:Method BFGS cannot handle constraints"
)
def test_what_has_no_derivative_is_refused() -> None:
    tight = {"type": "ineq", "fun": lambda x: x[0]}
    with pytest.raises(RuntimeError, match="the constraint holds with equality, but its multiplier is zero"):
        attempt(lambda x: (x**2).sum(), [0.0, 1.0], tight, method="SLSQP")
    with pytest.raises(RuntimeError, match="the bound of element 1 of the variables holds with equality"):
        attempt(lambda x: (x**2).sum(), [0.0, 1.0], {"type": "eq", "fun": lambda x: x[0]}, bounds=[(-1, 1), (0, 1)])
    twice = [{"type": "eq", "fun": lambda x: x[0] - 1}, {"type": "eq", "fun": lambda x: 2 * x[0] - 2}]
    with pytest.raises(RuntimeError, match=r"active constraints \(constraint 0, constraint 1\) are linearly dependent"):
        attempt(lambda x: (x**2).sum(), [1.0, 0.0], twice, method="trust-constr")
    ridge = {"type": "eq", "fun": lambda x: x[0] * 0 + x[1] - 1}
    with pytest.raises(RuntimeError, match="is not a combination of the gradients of the active constraints"):
        attempt(lambda x: (x**4).sum(), [1.0, 1.0], ridge, method="SLSQP", options={"maxiter": 1})
    unused = {"type": "eq", "fun": lambda x: x[0] - 1}
    with pytest.raises(RuntimeError, match=r"the constraint is violated, by 1, .* or a method that takes constraints"):
        attempt(lambda x: (x**2).sum(), [0.1, 1.0], unused, method="BFGS")
    a = A.clone().requires_grad_()
    flat = minimize(
        lambda x: (x[0] - a[0]) ** 2, [0.0, 0.0, 0.0], constraints={"type": "eq", "fun": lambda x: x[1]}, tol=1e-12
    ).x
    with pytest.raises(RuntimeError, match=r"matrix of the Karush-Kuhn-Tucker conditions .* is singular"):
        flat.sum().backward()


def test_multipliers_near_bounds_have_their_sign() -> None:
    names = ["one", "two", "three"]
    values, lower, upper = np.array([1e-6, 0.5, 0.0]), np.zeros(3), np.array([LIMIT, LIMIT, 0.0])
    jacobian = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    rows, targets, multipliers = active_at("f", values, lower, upper, jacobian, np.array([4.0, 0.0, -1.0]), names)
    assert rows.tolist() == [2, 0] and targets.tolist() == [0, 0]
    np.testing.assert_allclose(multipliers, [-1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"a part of 0\.97 is left"):
        active_at("f", values, lower, upper, jacobian, np.array([-4.0, 0.0, -1.0]), names)
