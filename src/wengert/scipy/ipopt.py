"""Ipopt, called by the package cyipopt, with exact sparse Jacobians and Hessians.

Ipopt: A. Wächter and L. T. Biegler, "On the implementation of an interior-point filter line-search algorithm for
large-scale nonlinear programming", Mathematical Programming 106, 2006.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._start.loading import load
from .evaluated import Evaluated
from .kkt import minimum_under
from .vectors import Vector, scipy_module

IPOPT = "minimize_ipopt"
UNBOUNDED = 1e20
"""The number that Ipopt treats as infinity."""


def minimize_ipopt(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    options: dict[str, Any] | None = None,
    *,
    jacobian_sparsity: Any = "find",
    hessian_sparsity: Any = "find",
) -> Any:
    """Minimise a function of tensors under constraints by Ipopt, with exact sparse derivatives.

    Ipopt receives the structure of the Jacobian of the constraints and of the Hessian of the Lagrangian, and the values
    of the elements that can differ from zero, computed from few products.

    Args:
        fun: returns one number; called with a container as `x0` of float64 tensors, and `args`.
        x0: initial point: tensors, arrays and numbers, as for `minimize`.
        bounds: for flat vectors, pairs `(lower, upper)` with None for no bound, or `scipy.optimize.Bounds`.
        constraints: one or several of `scipy.optimize.NonlinearConstraint`, and of dictionaries `{"type": "eq" or
            "ineq", "fun": ..., "args": ...}`; the functions are called with containers.
        tol, options: Ipopt's `tol`, and its other options by name (`max_iter`, `mu_strategy`, ...); `print_level` is 0
            by default.
        jacobian_sparsity, hessian_sparsity: the patterns of the Jacobian of all constraints, one below the other, and
            of the Hessian of the Lagrangian, as arrays; or "find" to determine them at the start.

    Returns:
        `scipy.optimize.OptimizeResult`: `x` (a container as `x0`), `success`, `status` and `message` of Ipopt, `fun`,
        `info` (Ipopt's multipliers and constraints), `nfev`, `njev`, `nhev`. If `fun` or a constraint depends on
        tensors that require gradients, `x` holds tensors with their derivatives, as for `minimize`.

    Raises:
        ImportError: if cyipopt is not installed.
        TypeError: if `x0` or a result of a function holds values other than real numbers, or an option is unknown to
            Ipopt.
        ValueError: if a constraint is not of a supported form, or a pattern does not fit.
        RuntimeError: if `x` has no derivatives although a tensor requires a gradient, as for `minimize`.
    """
    try:
        cyipopt = load("cyipopt")
    except ImportError as error:
        raise ImportError(f"{IPOPT} needs cyipopt: pip install cyipopt (or conda install cyipopt)") from error
    vector = Vector(IPOPT, "x0", x0)
    arguments = args if isinstance(args, tuple) else (args,)
    program = Program(vector, fun, arguments, constraints, jacobian_sparsity, hessian_sparsity)
    low, high = limits(bounds, vector.start.size)
    problem = cyipopt.Problem(
        n=vector.start.size, m=program.count, problem_obj=program, lb=low, ub=high, cl=program.low, cu=program.high
    )
    for name, value in {"print_level": 0, **({} if tol is None else {"tol": tol}), **(options or {})}.items():
        problem.add_option(name, value)
    x, info = problem.solve(np.array(vector.start, np.float64))
    return scipy_module(IPOPT, "optimize").OptimizeResult(
        x=minimum_under(program.function, x, bounds, constraints),
        success=info["status"] in (0, 1),
        status=info["status"],
        message=bytes(info["status_msg"]).decode(),
        fun=info["obj_val"],
        info=info,
        nfev=program.calls["objective"],
        njev=program.calls["gradient"],
        nhev=program.calls["hessian"],
    )


class Program:
    """A program in the form that cyipopt calls.

    Attributes:
        whole: the function followed by all constraints.
        constrained: the constraints alone; None if there are none.
        low, high: their bounds; `count`: their number.
        calls: number of calls of each kind.
    """

    def __init__(
        self, vector: Vector, fun: Any, args: tuple[Any, ...], constraints: Any, jacobian: Any, hessian: Any
    ) -> None:
        optimize = scipy_module(IPOPT, "optimize")
        listed = list(constraints) if isinstance(constraints, (tuple, list)) else [constraints]
        functions = [read_constraint(optimize, constraint) for constraint in listed]
        below = [function for function, _, _ in functions]
        self.function = Evaluated(IPOPT, "fun", fun, vector, args)
        self.constrained = None
        if below:
            self.constrained = Evaluated(
                IPOPT, "a constraint", lambda x: [part(x) for part in below], vector, jacobian_sparsity=jacobian
            )
        self.whole = Evaluated(
            IPOPT,
            "fun or a constraint",
            lambda x: [fun(x, *args), *(part(x) for part in below)],
            vector,
            hessian_sparsity=hessian,
        )
        start = np.array(vector.start, np.float64)
        sizes = [Evaluated(IPOPT, "a constraint", function, vector).value(start).size for function in below]
        self.low = self.spread([low for _, low, _ in functions], sizes)
        self.high = self.spread([high for _, _, high in functions], sizes)
        self.count = sum(sizes)
        self.calls = dict.fromkeys(("objective", "gradient", "hessian"), 0)
        self.rows, self.columns = np.zeros(0, int), np.zeros(0, int)
        if self.constrained is not None:
            self.rows, self.columns = places(self.constrained, "jacobian", start)
        rows, columns = places(self.whole, "hessian", start)
        lower = rows >= columns
        self.below = rows[lower], columns[lower]

    @staticmethod
    def spread(values: list[Any], sizes: list[int]) -> Any:
        """Return the bounds of all constraints as one vector."""
        parts = [np.broadcast_to(np.asarray(value, np.float64).ravel(), (size,)) for value, size in zip(values, sizes)]
        return np.clip(np.concatenate(parts) if parts else np.zeros(0), -UNBOUNDED, UNBOUNDED)

    def objective(self, x: Any) -> float:
        """Return the value of the function."""
        self.calls["objective"] += 1
        return float(self.function.number(x))

    def gradient(self, x: Any) -> Any:
        """Return its gradient."""
        self.calls["gradient"] += 1
        return self.function.gradient(x)

    def constraints(self, x: Any) -> Any:
        """Return the values of the constraints."""
        return np.zeros(0) if self.constrained is None else self.constrained.value(x)

    def jacobianstructure(self) -> tuple[Any, Any]:
        """Return rows and columns of the elements of the Jacobian that can differ from zero."""
        return self.rows, self.columns

    def jacobian(self, x: Any) -> Any:
        """Return the values of these elements."""
        if self.constrained is None:
            return np.zeros(0)
        return elements(self.constrained.jacobian(x), self.rows, self.columns)

    def hessianstructure(self) -> tuple[Any, Any]:
        """Return rows and columns of the elements of the lower triangle of the Hessian that can differ from zero."""
        return self.below

    def hessian(self, x: Any, multipliers: Any, factor: float) -> Any:
        """Return the values of these elements, for the weighted sum of function and constraints."""
        self.calls["hessian"] += 1
        weights = np.concatenate([[factor], multipliers])
        return elements(self.whole.hessian(x, weights), *self.below)


def read_constraint(optimize: Any, constraint: Any) -> tuple[Callable[[Any], Any], Any, Any]:
    """Return the function of a constraint, and its lower and upper bound.

    Raises:
        ValueError: if the constraint is not of a supported form.
    """
    if isinstance(constraint, optimize.NonlinearConstraint):
        return constraint.fun, constraint.lb, constraint.ub
    if isinstance(constraint, dict) and callable(constraint.get("fun")) and constraint.get("type") in ("eq", "ineq"):
        function, args = constraint["fun"], constraint.get("args", ())
        return lambda x: function(x, *args), 0.0, 0.0 if constraint["type"] == "eq" else np.inf
    raise ValueError(
        f"{IPOPT}: expected constraints to be NonlinearConstraint or dictionaries with 'type' ('eq' or 'ineq') and "
        f"'fun', but got {type(constraint).__name__}"
    )


def limits(bounds: Any, count: int) -> tuple[Any, Any]:
    """Return lower and upper bounds as vectors.

    Raises:
        ValueError: if the numbers of bounds and variables differ.
    """
    if bounds is None:
        bounds = [(None, None)] * count
    if hasattr(bounds, "lb"):
        low, high = np.broadcast_to(bounds.lb, (count,)), np.broadcast_to(bounds.ub, (count,))
    else:
        pairs = [(-np.inf if low is None else low, np.inf if high is None else high) for low, high in bounds]
        if len(pairs) != count:
            raise ValueError(f"{IPOPT}: expected bounds for {count} variables, but got {len(pairs)}")
        low, high = np.array(pairs, np.float64).reshape(-1, 2).T
    return np.clip(low, -UNBOUNDED, UNBOUNDED), np.clip(high, -UNBOUNDED, UNBOUNDED)


def places(function: Evaluated, which: str, x: Any) -> tuple[Any, Any]:
    """Return rows and columns of the elements of the "jacobian" or "hessian" that can differ from zero."""
    plan = function.planned(which, function.at(x))
    if plan is None:
        count = function.at(x).count if which == "jacobian" else x.size
        rows, columns = np.indices((count, x.size)).reshape(2, -1)
        return rows, columns
    coordinates = plan.pattern.tocoo()
    return coordinates.row.astype(np.int64), coordinates.col.astype(np.int64)


def elements(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return elements of a sparse or dense matrix."""
    return np.asarray(matrix[rows, columns], np.float64).ravel() if len(rows) else np.zeros(0)
