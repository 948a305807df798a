"""`wg.scipy.minimize_ipopt`: structure and values of the derivatives, solutions by the real package if installed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.optimize as optimize

import wengert as wg
from wengert.scipy import minimize_ipopt
from wengert.scipy.ipopt import Program
from wengert.scipy.vectors import Vector


def rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum()


def neighbours(x: Any) -> Any:
    return x[:-1] * x[1:] - 1


START = np.linspace(0.5, 1.5, 6)
CONSTRAINTS = [{"type": "eq", "fun": neighbours}, optimize.NonlinearConstraint(lambda x: x.sum(), -np.inf, 9.0)]


@pytest.mark.parametrize(("jacobian", "hessian"), [("find", "find"), (None, None), (np.ones((6, 6)), np.ones((6, 6)))])
def test_structures_and_values_are_those_of_the_derivatives(jacobian: Any, hessian: Any) -> None:
    program = Program(Vector("minimize_ipopt", "x0", START), rosenbrock, (), CONSTRAINTS, jacobian, hessian)
    x, multipliers = START[::-1].copy(), np.linspace(-1, 2, 6)
    point = wg.tensor(x)
    assert program.count == 6
    np.testing.assert_array_equal(program.low, [0] * 5 + [-1e20])
    np.testing.assert_array_equal(program.high, [0] * 5 + [9])
    np.testing.assert_allclose(program.gradient(x), wg.func.grad(rosenbrock)(point).numpy())
    whole = lambda x: wg.cat([neighbours(x), x.sum().reshape(1)])  # noqa: E731
    matrix = np.zeros((6, 6))
    matrix[program.jacobianstructure()] = program.jacobian(x)
    np.testing.assert_allclose(matrix, wg.func.jacrev(whole)(point).numpy())
    lagrangian = lambda x: 0.5 * rosenbrock(x) + (wg.tensor(multipliers) * whole(x)).sum()  # noqa: E731
    matrix = np.zeros((6, 6))
    matrix[program.hessianstructure()] = program.hessian(x, multipliers, 0.5)
    np.testing.assert_allclose(matrix, np.tril(wg.func.hessian(lagrangian)(point).numpy()), atol=1e-10)
    if isinstance(jacobian, str):
        assert len(program.jacobian(x)) == 5 * 2 + 6 and len(program.hessian(x, multipliers, 1.0)) == 11


def test_without_the_package_the_message_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "cyipopt", None)
    with pytest.raises(ImportError, match="minimize_ipopt needs cyipopt: pip install cyipopt"):
        minimize_ipopt(rosenbrock, START)


@pytest.mark.parametrize("constraint", [3, {"type": "between", "fun": neighbours}, {"fun": neighbours}])
def test_other_constraints_are_refused(constraint: Any) -> None:
    with pytest.raises(ValueError, match="minimize_ipopt: expected constraints to be NonlinearConstraint"):
        Program(Vector("minimize_ipopt", "x0", START), rosenbrock, (), constraint, "find", "find")


def test_ipopt_solves_the_problem_of_hock_and_schittkowski() -> None:
    pytest.importorskip("cyipopt")
    found = minimize_ipopt(
        lambda p: p["a"] * p["b"][2] * (p["a"] + p["b"][:2].sum()) + p["b"][1],
        {"a": 1.0, "b": np.array([5.0, 5.0, 1.0])},
        bounds=[(1, 5)] * 4,
        constraints=[
            {"type": "ineq", "fun": lambda p: p["a"] * p["b"].prod() - 25},
            {"type": "eq", "fun": lambda p, total: p["a"] ** 2 + (p["b"] ** 2).sum() - total, "args": (40,)},
        ],
        tol=1e-9,
        options={"max_iter": 50},
    )
    assert found.success and found.status == 0 and found.nhev > 0
    np.testing.assert_allclose([found.x["a"], *found.x["b"]], [1, 4.743, 3.82115, 1.379408], atol=1e-5)
    assert found.fun == pytest.approx(17.0140173, abs=1e-6)


def test_ipopt_solves_a_large_sparse_problem() -> None:
    pytest.importorskip("cyipopt")
    found = minimize_ipopt(rosenbrock, np.full(400, -1.0), bounds=optimize.Bounds(-2, 2))
    assert found.success and isinstance(found.x, np.ndarray)
    assert rosenbrock(wg.tensor(found.x)) < 5


def test_solutions_of_ipopt_are_differentiable() -> None:
    pytest.importorskip("cyipopt")
    total = wg.tensor(40.0, dtype=wg.float64, requires_grad=True)

    def solution(total: Any) -> Any:
        return minimize_ipopt(
            lambda x: x[0] * x[3] * x[:3].sum() + x[2],
            [1.0, 5.0, 5.0, 1.0],
            bounds=[(1, 5)] * 4,
            constraints=[
                {"type": "ineq", "fun": lambda x: x.prod() - 25},
                {"type": "eq", "fun": lambda x, total: (x**2).sum() - total, "args": (total,)},
            ],
            tol=1e-11,
        ).x

    x = solution(total)
    slopes = np.array([wg.autograd.grad(value, total, retain_graph=True)[0].item() for value in x])
    differences = (solution(40.001) - solution(39.999)) / 0.002
    np.testing.assert_allclose(slopes, differences, atol=1e-5)
    assert slopes[0] == 0 and abs(slopes[1:]).min() > 1e-3  # the first one is at its bound
