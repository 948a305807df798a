"""Constraints whose functions are functions of tensors, with exact derivatives."""

from __future__ import annotations

from typing import Any

from .evaluated import Evaluated
from .vectors import Vector, matrix, scipy_module

WITH_HESSIAN = ("trust-constr", "")
"""Methods that use the Hessians of constraints; "" is a user-defined method."""


def opened_constraints(caller: str, vector: Vector, constraints: Any, method: str) -> Any:
    """Convert constraints to functions of flat vectors; only dictionaries and `NonlinearConstraint` are changed."""
    optimize = scipy_module(caller, "optimize")
    if isinstance(constraints, (tuple, list)):
        return type(constraints)([opened(caller, optimize, vector, constraint, method) for constraint in constraints])
    return opened(caller, optimize, vector, constraints, method)


def opened(caller: str, optimize: Any, vector: Vector, constraint: Any, method: str) -> Any:
    """Convert one constraint to functions of flat vectors."""
    if isinstance(constraint, dict) and "fun" in constraint:
        return opened_dictionary(caller, vector, constraint)
    if isinstance(constraint, optimize.NonlinearConstraint):
        return opened_object(caller, optimize, vector, constraint, method)
    return constraint


def opened_dictionary(caller: str, vector: Vector, constraint: dict[str, Any]) -> dict[str, Any]:
    """Convert a constraint of the form `{"type": ..., "fun": ..., "jac": ..., "args": ...}`."""
    args = constraint.get("args", ())
    function = Evaluated(caller, "a constraint", constraint["fun"], vector, args)
    result = {key: value for key, value in constraint.items() if key != "args"}
    result["fun"] = function.value
    jac = constraint.get("jac")
    if jac is None:
        result["jac"] = function.jacobian
    elif callable(jac):
        result["jac"] = lambda x: matrix(jac(vector.container(x), *args))
    return result


def opened_object(caller: str, optimize: Any, vector: Vector, constraint: Any, method: str) -> Any:
    """Convert a `NonlinearConstraint`; SciPy's default derivatives are replaced by exact ones."""
    sparse = constraint.finite_diff_jac_sparsity if method == "trust-constr" else None
    function = Evaluated(caller, "a constraint", constraint.fun, vector, jacobian_sparsity=sparse)
    jacobian, hessian = constraint.jac, constraint.hess
    own_jacobian, own_hessian = jacobian, hessian
    if isinstance(jacobian, str) and jacobian == "2-point":
        jacobian = function.jacobian
    elif callable(own_jacobian):
        jacobian = lambda x: matrix(own_jacobian(vector.container(x)))  # noqa: E731
    if callable(own_hessian):
        hessian = lambda x, weights: matrix(own_hessian(vector.container(x), weights))  # noqa: E731
    elif method in WITH_HESSIAN and type(hessian) is optimize.BFGS and callable(jacobian):
        hessian = products_of(caller, function)
    return optimize.NonlinearConstraint(
        function.value,
        constraint.lb,
        constraint.ub,
        jac=jacobian,
        hess=hessian,
        keep_feasible=constraint.keep_feasible,
        finite_diff_rel_step=constraint.finite_diff_rel_step,
        finite_diff_jac_sparsity=constraint.finite_diff_jac_sparsity if isinstance(jacobian, str) else None,
    )


def products_of(caller: str, function: Evaluated) -> Any:
    """Return the Hessian of the weighted sum of a constraint's values, as a linear operator."""
    operator = scipy_module(caller, "sparse.linalg").LinearOperator

    def hessian(x: Any, weights: Any) -> Any:
        point, fixed = x.copy(), weights.copy()
        return operator(
            (x.size, x.size), matvec=lambda along: function.product(point, along.ravel(), fixed), dtype=float
        )

    return hessian
