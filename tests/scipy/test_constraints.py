"""Constraints of `wg.scipy.minimize`: functions of tensors with exact derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize as optimize
import scipy.sparse

import wengert as wg
from wengert.scipy import minimize
from wengert.scipy.constraints import opened_constraints
from wengert.scipy.vectors import Vector

# Problem 71 of Hock and Schittkowski, Test examples for nonlinear programming codes, 1981.
SOLUTION = [1.0, 4.74299963, 3.82114998, 1.37940829]
HS71 = {"a": wg.tensor([1.0, 5.0]), "b": wg.tensor([5.0, 1.0])}
BOUNDS = optimize.Bounds([1] * 4, [5] * 4)


def objective(p):
    (x, y), (z, w) = p["a"], p["b"]
    return x * w * (x + y + z) + z


def product(p):
    return p["a"].prod() * p["b"].prod()


def squares(p):
    return (p["a"] ** 2).sum() + (p["b"] ** 2).sum()


def solved(method, constraints, **options):
    found = minimize(objective, HS71, method=method, bounds=BOUNDS, constraints=constraints, **options)
    return np.concatenate([found.x["a"].numpy(), found.x["b"].numpy()])


DICTIONARIES = [
    {"type": "ineq", "fun": lambda p: product(p) - 25},
    {"type": "eq", "fun": lambda p, total: [squares(p) - total], "args": (40,)},
]
OBJECTS = [optimize.NonlinearConstraint(product, 25, np.inf), optimize.NonlinearConstraint(squares, 40, 40)]


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYQA"])
@pytest.mark.parametrize("constraints", [DICTIONARIES, tuple(OBJECTS)], ids=["dictionaries", "objects"])
def test_a_constrained_problem_is_solved(method, constraints):
    np.testing.assert_allclose(solved(method, constraints), SOLUTION, rtol=1e-3)


def test_a_single_constraint_and_linear_ones_are_passed_on():
    linear = optimize.LinearConstraint([[1.0, 1.0]], 1, 1)
    for constraints in (
        linear,
        [linear],
        optimize.NonlinearConstraint(lambda x: x.sum(), 1, 1),
        {"type": "eq", "fun": lambda x: x.sum() - 1},
    ):
        found = minimize(lambda x: (x**2).sum(), [2.0, 0.0], method="SLSQP", constraints=constraints)
        np.testing.assert_allclose(found.x, 0.5, atol=1e-5)


def curved(x):
    return [x[0] ** 2 * x[1], x.prod(), wg.stack([x[2].sin(), x[0]])]


def opened(constraint, method="trust-constr"):
    vector = Vector("minimize", "x0", wg.tensor([1.0, 2.0, 3.0]))
    return opened_constraints("minimize", vector, [constraint], method)[0]


X = np.array([1.0, 2.0, 3.0])
JACOBIAN = np.array([[4, 1, 0], [6, 3, 2], [0, 0, np.cos(3)], [1, 0, 0]])


def test_jacobians_and_hessians_of_constraints_are_exact():
    made = opened(optimize.NonlinearConstraint(curved, 0, 1, keep_feasible=True))
    np.testing.assert_allclose(made.fun(X), [2, 6, np.sin(3), 1])
    np.testing.assert_allclose(made.jac(X), JACOBIAN)
    operator = made.hess(X, np.array([1.0, 2.0, 3.0, 4.0]))
    expected = [[4, 2 + 6, 4], [2 + 6, 0, 2], [4, 2, -3 * np.sin(3)]]
    np.testing.assert_allclose(operator @ np.eye(3), expected)
    np.testing.assert_allclose(made.hess(X, np.zeros(4)) @ X, 0)
    np.testing.assert_allclose(operator @ np.eye(3), expected)
    assert made.keep_feasible and (made.lb, made.ub) == (0, 1)
    made = opened({"type": "ineq", "fun": curved})
    np.testing.assert_allclose(made["jac"](X), JACOBIAN)


def test_a_pattern_makes_the_jacobian_of_a_constraint_sparse():
    made = opened(optimize.NonlinearConstraint(curved, 0, 1, finite_diff_jac_sparsity=JACOBIAN != 0))
    assert scipy.sparse.issparse(made.jac(X)) and made.finite_diff_jac_sparsity is None
    np.testing.assert_allclose(made.jac(X).toarray(), JACOBIAN)
    np.testing.assert_allclose((made.hess(X, np.ones(4)) @ X)[2], 2 * 1 + 1 * 2 - 3 * np.sin(3))
    assert isinstance(
        opened(optimize.NonlinearConstraint(curved, 0, 1, finite_diff_jac_sparsity="find")).jac(X),
        scipy.sparse.csr_array,
    )
    with pytest.raises(ValueError, match=r"expected sparsity of shape \(4, 3\) \(results of a constraint, variables\)"):
        opened(optimize.NonlinearConstraint(curved, 0, 1, finite_diff_jac_sparsity=np.eye(3))).jac(X)


def test_derivatives_of_the_program_are_taken_as_they_are():
    own = {"jac": lambda x: wg.tensor(JACOBIAN), "hess": lambda x, weights: wg.eye(3) * weights.sum()}
    made = opened(optimize.NonlinearConstraint(curved, 0, 1, **own))
    np.testing.assert_allclose(made.jac(X), JACOBIAN)
    np.testing.assert_allclose(made.hess(X, np.ones(4)), 4 * np.eye(3))
    strategy = optimize.SR1()
    assert opened(optimize.NonlinearConstraint(curved, 0, 1, hess=strategy)).hess is strategy
    made = opened(optimize.NonlinearConstraint(curved, 0, 1, jac="3-point"))
    assert made.jac == "3-point" and type(made.hess) is optimize.BFGS
    made = opened({"type": "eq", "fun": curved, "jac": lambda x, k: k * wg.tensor(JACOBIAN), "args": (2,)})
    assert "args" not in made
    np.testing.assert_allclose(made["jac"](X), 2 * JACOBIAN)


def test_what_is_no_function_of_tensors_is_refused():
    with pytest.raises(TypeError, match="minimize: expected a constraint to be a function, but got float"):
        minimize(squares, HS71, constraints={"type": "eq", "fun": 1.0})
    with pytest.raises(TypeError, match="expected a constraint to return real tensors or numbers, but got str"):
        minimize(squares, HS71, constraints={"type": "eq", "fun": lambda p: "x"})
    with pytest.raises((KeyError, ValueError), match="type"):
        minimize(squares, HS71, constraints={"fun": squares})
