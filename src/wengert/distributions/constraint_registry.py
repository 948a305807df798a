"""`biject_to` and `transform_to`: transforms from unconstrained numbers to the values of a constraint.

`biject_to` returns a transform with a Jacobian, for densities; `transform_to` one that is better for optimisation.

Examples:
    >>> import wengert as wg
    >>> from wengert.distributions import constraints, transform_to
    >>> transform_to(constraints.positive)(wg.tensor([-1.0, 0.0]))
    tensor([0.3679, 1.0000])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, sets, structured_sets, transforms
from .transform import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Registry of transforms by class of constraint; calling it with a constraint returns the transform."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Transform]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Transform] | None = None) -> Any:
        """Register the transform to a constraint.

        Args:
            constraint: a class of constraints, or an instance of it.
            factory: function from a constraint of the class to the transform; None to return a decorator.

        Raises:
            TypeError: if `constraint` is not a constraint.
        """
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = type(constraint) if isinstance(constraint, sets.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, sets.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        """Return the transform to `constraint`.

        Raises:
            NotImplementedError: if no transform is registered.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def above(constraint: Any) -> Transform:
    """Return the transform to values above a bound, bound + exp(x); composed as in torch also for the bound 0."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


def below(constraint: Any) -> Transform:
    """Return the transform to values below a bound, bound - exp(x)."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


def between(constraint: Any) -> Transform:
    """Return the transform to an interval, a scaled sigmoid."""
    low, high = constraint.lower_bound, constraint.upper_bound
    if all(isinstance(bound, int | float) for bound in (low, high)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def of_joint_values(registry: ConstraintRegistry) -> Callable[[Any], Transform]:
    """Return the factory for independent constraints, from the transform of the base constraint."""

    def factory(constraint: Any) -> Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    return factory


def of_parts(registry: ConstraintRegistry) -> Callable[[Any], Transform]:
    """Return the factories for constraints on parts along a dimension."""

    def factory(constraint: Any) -> Transform:
        parts = [registry(part) for part in constraint.cseq]
        if isinstance(constraint, structured_sets._Cat):
            return transforms.CatTransform(parts, constraint.dim, constraint.lengths)
        return transforms.StackTransform(parts, constraint.dim)

    return factory


for registry in (biject_to, transform_to):
    registry.register(constraints.real, lambda constraint: transforms.identity_transform)
    registry.register(constraints.independent, of_joint_values(registry))
    registry.register(constraints.cat, of_parts(registry))
    registry.register(constraints.stack, of_parts(registry))
    for kind in (constraints.greater_than, constraints.greater_than_eq):
        registry.register(kind, above)
    registry.register(constraints.less_than, below)
    for between_bounds in (constraints.interval, constraints.half_open_interval):
        registry.register(between_bounds, between)
    registry.register(constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform())
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
# Transforms of whole matrices, and of values known only up to a factor, are not bijections.
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
for matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(matrices, lambda constraint: transforms.PositiveDefiniteTransform())
