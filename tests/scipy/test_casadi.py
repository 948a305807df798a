"""`wg.scipy.casadi_function`: values, sparse Jacobians and Hessians in the real package, if it is installed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert.scipy import casadi_function
from wengert.scipy.casadi import second_places

POINT = np.linspace(0.5, 1.5, 6)


def rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum()


def several(x: Any) -> Any:
    return {"a": x[0] * x[1] - x[2], "b": x[3:] ** 3 * x[0]}


def test_without_the_package_the_message_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(ImportError, match="casadi_function needs CasADi: pip install casadi"):
        casadi_function(rosenbrock, POINT)


def test_places_of_the_derivative_of_the_jacobian() -> None:
    rows, columns = np.array([0, 1, 1]), np.array([0, 0, 2])
    bends = (np.array([0, 2, 2]), np.array([0, 0, 2]))
    table = second_places(rows, columns, bends, 2)
    assert [table[0].tolist(), table[1].tolist(), table[2].tolist()] == [[0, 1, 5, 5], [0, 0, 0, 2], [0, 1, 1, 1]]


def test_values_jacobians_and_hessians_are_exact_and_sparse() -> None:
    ca = pytest.importorskip("casadi")
    f, g = casadi_function(rosenbrock, POINT), casadi_function(several, POINT, name="g")
    x = ca.MX.sym("x", 6)
    flat = lambda x: wg.cat([part.reshape(-1) for part in several(x).values()])  # noqa: E731
    tensor = wg.tensor(POINT)
    np.testing.assert_allclose(np.array(g(POINT)).ravel(), flat(tensor).numpy())
    jacobian = ca.Function("J", [x], [ca.jacobian(g(x), x)])
    np.testing.assert_allclose(np.array(jacobian(POINT)), wg.func.jacrev(flat)(tensor).numpy())
    assert jacobian.sparsity_out(0).nnz() == 9
    hessian = ca.Function("H", [x], [ca.hessian(f(x), x)[0]])
    np.testing.assert_allclose(np.array(hessian(POINT)), wg.func.hessian(rosenbrock)(tensor).numpy(), atol=1e-9)
    assert hessian.sparsity_out(0).nnz() == 16
    weights = np.array([0.5, -1.0, 2.0, 3.0])
    weighted = ca.Function("W", [x], [ca.hessian(ca.dot(weights, g(x)), x)[0]])
    expected = wg.func.hessian(lambda x: (wg.tensor(weights) * flat(x)).sum())(tensor).numpy()
    np.testing.assert_allclose(np.array(weighted(POINT)), expected, atol=1e-9)


def test_a_program_is_solved_with_exact_hessians() -> None:
    ca = pytest.importorskip("casadi")
    f = casadi_function(rosenbrock, POINT)
    g = casadi_function(lambda x: x[:-1] * x[1:], POINT, name="g")
    x = ca.MX.sym("x", 6)
    quiet = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes"}
    solver = ca.nlpsol("solver", "ipopt", {"x": x, "f": f(x), "g": g(x)}, quiet)
    found = solver(x0=POINT, lbg=np.full(5, 0.5), ubg=np.full(5, 2.0))
    assert solver.stats()["success"] and solver.stats()["n_call_nlp_hess_l"] > 0
    np.testing.assert_allclose(np.array(found["x"]).ravel(), 1, atol=1e-5)


def test_containers_are_the_arguments() -> None:
    pytest.importorskip("casadi")
    f = casadi_function(lambda p: p["a"] * p["b"].sum(), {"a": 2.0, "b": np.ones(2)})
    assert float(f([2.0, 3.0, 4.0])) == 14
