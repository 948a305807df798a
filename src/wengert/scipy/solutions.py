"""Results of solvers as differentiable functions of the tensors that the problem depends on.

A root satisfies F(x, θ) = 0, a minimum without active bounds ∇f(x, θ) = 0: `implicit` differentiates both. An element
of x at an active bound stays there when θ moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor
from ..func import grad
from ..ops.create.interchange import from_numpy
from ..ops.pointwise.choose import where
from .evaluated import Evaluated
from .implicit import Equation, implicit

ON_BOUND = 1.5e-8
"""Relative distance within which an element is at a bound: the square root of the precision of float64."""


def root_of(function: Evaluated, x: Any) -> Any:
    """Return the root `x` in the form of the variables, differentiable if the function depends on more than it."""
    if not function.is_followed(x):
        return function.vector.result(x)
    function = function.taken()
    return function.vector.joined(implicit(function.caller, "Jacobian", function.flat, x))


def minimum_of(function: Evaluated, x: Any, bounds: Any) -> Any:
    """Return the minimum `x` in the form of the variables, differentiable if the function depends on more than it."""
    if not function.is_followed(x):
        return function.vector.result(x)
    function = function.taken()
    equation: Equation = grad(lambda values: function.flat(values).sum())
    active = at_bounds(x, bounds, equation(from_numpy(np.array(x, np.float64)))._array_)
    return function.vector.joined(implicit(function.caller, "Hessian", held(equation, x, active), x))


def fit_of(function: Evaluated, x: Any, active: Any, loss: Any, scale: float) -> Any:
    """Return the fit `x` in the form of the variables, differentiable if the function depends on more than it.

    Raises:
        RuntimeError: if the loss is a function, whose derivative is not known.
    """
    if not function.is_followed(x):
        return function.vector.result(x)
    function = function.taken()
    if loss not in LOSSES:
        raise RuntimeError(
            f"{function.caller}: fun depends on tensors that require gradients, but a fit with a loss that is a "
            "function is not differentiable; detach() these tensors, call it under no_grad(), or use one of "
            f"{', '.join(LOSSES)}"
        )
    rho = LOSSES[loss]
    equation: Equation = grad(lambda values: rho((function.flat(values) / scale) ** 2).sum() * (0.5 * scale**2))
    return function.vector.joined(implicit(function.caller, "Hessian of the cost", held(equation, x, active != 0), x))


def huber(z: Tensor) -> Tensor:
    """Return z up to 1, 2√z - 1 above."""
    inside = z <= 1
    result: Tensor = where(inside, z, 2 * where(inside, 1.0, z) ** 0.5 - 1)
    return result


LOSSES: dict[Any, Any] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1),
    "huber": huber,
    "cauchy": lambda z: z.log1p(),
    "arctan": lambda z: z.atan(),
}
"""Functions ρ(z) of the squared residuals z, as `scipy.optimize.least_squares` defines them."""


def held(equation: Equation, x: Any, active: Any) -> Equation:
    """Return an equation whose active elements state that x does not change."""
    if not np.any(active):
        return equation
    constant, mask = from_numpy(np.array(x, np.float64)), from_numpy(np.asarray(active, bool))

    def reduced(values: Tensor) -> Tensor:
        result: Tensor = where(mask, values - constant, equation(values))
        return result

    return reduced


def at_bounds(x: Any, bounds: Any, gradient: Any) -> Any:
    """Return a mask of the elements of a minimum that are at a bound to which the gradient pushes them."""
    lower, upper = limits_of(x, bounds)
    at_lower = np.isfinite(lower) & (x - lower <= ON_BOUND * (1 + np.abs(lower))) & (gradient > 0)
    at_upper = np.isfinite(upper) & (upper - x <= ON_BOUND * (1 + np.abs(upper))) & (gradient < 0)
    return at_lower | at_upper | (lower == upper)


def limits_of(x: Any, bounds: Any) -> tuple[Any, Any]:
    """Return the lower and upper bounds of the elements of a vector, infinite where there are none."""
    if bounds is None:
        return np.full(np.shape(x), -np.inf), np.full(np.shape(x), np.inf)
    if hasattr(bounds, "lb"):
        return np.broadcast_to(bounds.lb, np.shape(x)), np.broadcast_to(bounds.ub, np.shape(x))
    pairs = [(-np.inf if low is None else low, np.inf if high is None else high) for low, high in bounds]
    lower, upper = np.array(pairs, np.float64).T
    return lower, upper
