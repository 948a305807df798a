"""Minima under constraints as differentiable functions of the tensors that the problem depends on.

At a minimum x of f under constraints c, there are multipliers λ that satisfy the equations of Karush, Kuhn and Tucker

    ∇f(x) = Σ λᵢ ∇cᵢ(x),    cᵢ(x) = bᵢ    for the active constraints i,

which `implicit` differentiates. They determine the derivatives of x if

- the gradients of the active constraints are linearly independent,
- no multiplier of an active inequality is zero (strict complementarity),
- the Hessian of f - Σ λᵢ cᵢ is positive definite along the directions that the active constraints leave.

A. V. Fiacco, "Introduction to Sensitivity and Stability Analysis in Nonlinear Programming", 1983.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..func import grad, jacrev
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import cat
from .evaluated import Evaluated
from .implicit import implicit
from .solutions import held, limits_of, minimum_of
from .vectors import Vector, scipy_module

NEAR = 1e-4
"""Relative distance from a bound within which a constraint may be active."""
TIGHT = 1e-8
"""Relative distance from a bound within which a constraint holds with equality."""
SMALL = 1e-6
"""Multiplier, of a constraint whose gradient has length 1, that is taken for zero; relative to a gradient above 1."""
ACCEPTED = 1e-2
"""Part of the gradient of the function that multipliers may leave."""
INDEPENDENT = 1e-8
"""Least singular value of linearly independent gradients of length 1."""

TO_DO = "detach() the tensors that the problem depends on, or call {} under no_grad(), if no derivative is needed"
UNMET = (
    "{}: cannot differentiate the minimum: the gradient of fun is not a combination of the gradients of the active "
    "constraints (the conditions of Karush, Kuhn and Tucker; a part of {:.2g} is left), so the solver has not reached "
    "a minimum; pass a smaller tol, or use another method; " + TO_DO
)
VIOLATED = (
    "{}: cannot differentiate the minimum: {} is violated, by {:.2g}, so the solver has not reached a minimum; pass a "
    "smaller tol, or a method that takes constraints ('SLSQP', 'trust-constr', 'COBYLA', 'COBYQA'); " + TO_DO
)
WEAK = (
    "{}: cannot differentiate the minimum: {} holds with equality, but its multiplier is zero, so the derivatives on "
    "both sides differ; omit it if it has no influence; " + TO_DO
)
DEPENDENT = (
    "{}: cannot differentiate the minimum: the gradients of the active constraints ({}) are linearly dependent, so the "
    "multipliers are not unique; omit constraints that follow from others; " + TO_DO
)


class Constraint:
    """A constraint, lower <= function(x) <= upper, of flat vectors.

    Attributes:
        name: name for error messages.
        function: a function of a vector that returns a vector; with its records, if it is the program's.
        lower, upper: its bounds.
    """

    def __init__(self, name: str, function: Evaluated | Callable[[Tensor], Tensor], lower: Any, upper: Any) -> None:
        self.name, self.function, self.lower, self.upper = name, function, lower, upper

    def __call__(self, x: Tensor) -> Tensor:
        """Return the values, by recorded operations."""
        return self.function.flat(x) if isinstance(self.function, Evaluated) else self.function(x)

    def is_followed(self, x: Any) -> bool:
        """Return whether the values depend on tensors other than `x` that require gradients."""
        return isinstance(self.function, Evaluated) and self.function.is_followed(x)

    def taken(self) -> Constraint:
        """Return a constraint with a copy of the function, as `Evaluated.taken`."""
        function = self.function.taken() if isinstance(self.function, Evaluated) else self.function
        return Constraint(self.name, function, self.lower, self.upper)


def read_constraints(caller: str, vector: Vector, constraints: Any) -> list[Constraint]:
    """Read constraints in the forms of `scipy.optimize.minimize`."""
    listed = list(constraints) if isinstance(constraints, (tuple, list)) else [constraints]
    names = ["the constraint"] if len(listed) == 1 else [f"constraint {at}" for at in range(len(listed))]
    return [read_constraint(caller, vector, name, one) for name, one in zip(names, listed)]


def read_constraint(caller: str, vector: Vector, name: str, constraint: Any) -> Constraint:
    """Read one constraint."""
    if isinstance(constraint, dict):
        function = Evaluated(caller, "a constraint", constraint["fun"], vector, tuple(constraint.get("args", ())))
        is_equality = constraint["type"].lower() == "eq"
        return Constraint(name, function, 0.0, 0.0 if is_equality else np.inf)
    if hasattr(constraint, "fun"):
        function = Evaluated(caller, "a constraint", constraint.fun, vector)
        return Constraint(name, function, constraint.lb, constraint.ub)
    factors = constraint.A.toarray() if hasattr(constraint.A, "toarray") else constraint.A
    matrix = from_numpy(np.array(np.atleast_2d(factors), np.float64))
    return Constraint(name, matrix.mv, constraint.lb, constraint.ub)


def minimum_under(function: Evaluated, x: Any, bounds: Any, unread: Any) -> Any:
    """Return the minimum `x` in the form of the variables, differentiable if the problem depends on more than it.

    Args:
        function: the function, with its variables.
        x: the minimum, a flat vector.
        bounds, unread: bounds and constraints, as for `scipy.optimize.minimize`.

    Raises:
        RuntimeError: if the conditions under which it has derivatives are not met.
    """
    if not np.size(unread):
        return minimum_of(function, x, bounds)
    constraints = read_constraints(function.caller, function.vector, unread)
    if not function.is_followed(x) and not any(constraint.is_followed(x) for constraint in constraints):
        return function.vector.result(x)
    caller, count = function.caller, len(x)
    function, constraints = function.taken(), [constraint.taken() for constraint in constraints]
    problem = Problem(function, constraints)
    point = from_numpy(np.array(x, np.float64))
    values, lower, upper, names = problem.limits(point, bounds)
    gradient = grad(problem.objective)(point)._array_
    jacobian = np.concatenate([jacrev(problem.constrained)(point)._array_, np.eye(count)])
    rows, targets, multipliers = active_at(caller, values, lower, upper, jacobian, gradient, names)
    at_bound = rows >= len(values) - count
    mask = np.zeros(count + np.sum(~at_bound), bool)
    mask[rows[at_bound] - (len(values) - count)] = True
    solution = np.concatenate([x, multipliers[~at_bound]])
    equation = held(problem.conditions(count, rows[~at_bound], targets[~at_bound]), solution, mask)
    result = implicit(caller, "matrix of the Karush-Kuhn-Tucker conditions", equation, solution)
    return function.vector.joined(result[:count])


class Problem:
    """A function and constraints, of flat vectors that are tensors."""

    def __init__(self, function: Evaluated, constraints: list[Constraint]) -> None:
        self.function, self.constraints = function, constraints

    def objective(self, x: Tensor) -> Tensor:
        """Return the value of the function."""
        result: Tensor = self.function.flat(x).sum()
        return result

    def constrained(self, x: Tensor) -> Tensor:
        """Return the values of all constraints."""
        result: Tensor = cat([constraint(x) for constraint in self.constraints])
        return result

    def limits(self, x: Tensor, bounds: Any) -> tuple[Any, Any, Any, list[str]]:
        """Return values, lower and upper bounds of constraints and variables as vectors, and their names."""
        low, high = limits_of(x._array_, bounds)
        values, lower, upper, names = [], [], [], []
        for constraint in self.constraints:
            value = constraint(x).detach()._array_
            values.append(value)
            lower.append(np.broadcast_to(np.asarray(constraint.lower, np.float64).ravel(), value.shape))
            upper.append(np.broadcast_to(np.asarray(constraint.upper, np.float64).ravel(), value.shape))
            many = len(value) > 1
            names += [f"element {at} of {constraint.name}" if many else constraint.name for at in range(len(value))]
        names += [f"the bound of element {at} of the variables" for at in range(len(x))]
        whole = np.concatenate([*values, x._array_])
        return whole, np.concatenate([*lower, low]), np.concatenate([*upper, high]), names

    def conditions(self, count: int, rows: Any, targets: Any) -> Callable[[Tensor], Tensor]:
        """Return the equations of Karush, Kuhn and Tucker for variables followed by multipliers.

        Args:
            count: the number of variables.
            rows: the active constraints.
            targets: their bounds.
        """
        index, bound = from_numpy(rows), from_numpy(targets)

        def active(x: Tensor) -> Tensor:
            result: Tensor = self.constrained(x)[index] - bound
            return result

        def equations(both: Tensor) -> Tensor:
            x, multipliers = both[:count], both[count:]
            stationary = grad(lambda x: self.objective(x) - (multipliers * active(x)).sum())(x)
            result: Tensor = cat([stationary, active(x)])
            return result

        return equations


def active_at(
    caller: str, values: Any, lower: Any, upper: Any, jacobian: Any, gradient: Any, names: list[str]
) -> tuple[Any, Any, Any]:
    """Return the active constraints at a minimum, their bounds, and their multipliers.

    The multipliers are those of least squares among constraints near their bounds; inequalities restrict their sign.

    Args:
        caller: name for error messages.
        values, lower, upper: values and bounds of constraints.
        jacobian: their derivatives, a row for each.
        gradient: the gradient of the function.
        names: names of the constraints for error messages.

    Raises:
        RuntimeError: if they do not determine the derivatives of the minimum.
    """
    check_feasible(caller, values, lower, upper, names)
    rows, sides, distances = candidates(values, lower, upper)
    lengths = np.linalg.norm(jacobian[rows], axis=1)
    units = jacobian[rows] / np.where(lengths > 0, lengths, 1.0)[:, None] * np.where(sides == 0, 1, sides)[:, None]
    shares = np.zeros(0)
    if len(rows):
        least = np.where(sides == 0, -np.inf, 0.0)
        shares = scipy_module(caller, "optimize").lsq_linear(units.T, gradient, (least, np.inf), "bvls", tol=1e-14).x
    size = float(np.linalg.norm(gradient))
    left = np.linalg.norm(units.T @ shares - gradient) / max(size, 1.0)
    if left > ACCEPTED:
        raise RuntimeError(UNMET.format(caller, left, caller))
    # of a multiplier and the distance from the bound, one is zero at a minimum: what is larger is not
    strict = (sides == 0) | (shares > np.maximum(SMALL * max(size, 1.0), distances))
    for at in np.flatnonzero(~strict & (distances <= TIGHT)):
        raise RuntimeError(WEAK.format(caller, names[rows[at]], caller))
    units, rows, sides = units[strict], rows[strict], sides[strict]
    if len(rows) > len(gradient) or (len(rows) and np.linalg.svd(units, compute_uv=False)[-1] < INDEPENDENT):
        raise RuntimeError(DEPENDENT.format(caller, ", ".join(names[row] for row in rows), caller))
    shares = np.linalg.lstsq(units.T, gradient)[0] if len(rows) else np.zeros(0)
    multipliers = shares * np.where(sides == 0, 1, sides) / lengths[strict]
    return rows, np.where(sides < 0, upper[rows], lower[rows]), multipliers


def candidates(values: Any, lower: Any, upper: Any) -> tuple[Any, Any, Any]:
    """Return which constraints may be active.

    Returns:
        Their numbers; 0 for equalities, 1 for those near a lower bound, -1 for those near an upper one; their distances
        from the bound, relative to it.
    """
    equal = lower == upper
    rows, sides, distances = [np.flatnonzero(equal)], [np.zeros(np.sum(equal), int)], [np.zeros(np.sum(equal))]
    for bound, side in ((lower, 1), (upper, -1)):
        finite = np.isfinite(bound) & ~equal
        distance = np.full(len(values), np.inf)
        distance[finite] = np.maximum(side * (values - bound)[finite], 0) / (1 + np.abs(bound[finite]))
        near = np.flatnonzero(distance <= NEAR)
        rows.append(near)
        sides.append(np.full(len(near), side))
        distances.append(distance[near])
    return np.concatenate(rows), np.concatenate(sides), np.concatenate(distances)


def check_feasible(caller: str, values: Any, lower: Any, upper: Any, names: list[str]) -> None:
    """Check that values are within their bounds, up to the tolerances of solvers.

    Raises:
        RuntimeError: if one is not.
    """
    beyond = np.maximum(lower - values, values - upper)
    at = int(np.argmax(beyond / (1 + np.abs(values))))
    if beyond[at] > ACCEPTED * (1 + np.abs(values[at])):
        raise RuntimeError(VIOLATED.format(caller, names[at], beyond[at], caller))
