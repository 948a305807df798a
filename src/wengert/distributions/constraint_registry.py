"""`biject_to` and `transform_to`: the transform that leads from all real numbers to where a constraint wants values.

`biject_to` gives one with a Jacobian, for densities; `transform_to` one that optimisers like better.

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
    """Transforms by the kind of a constraint; called with a constraint, it gives the transform."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Transform]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Transform] | None = None) -> Any:
        """Say what leads to a constraint.

        Args:
            constraint: a class of constraints, or one of the class.
            factory: takes a constraint of it, gives the transform; without it, a decorator is returned.

        Raises:
            TypeError: no constraint.
        """
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = type(constraint) if isinstance(constraint, sets.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, sets.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        """The transform that leads to `constraint`.

        Raises:
            NotImplementedError: none is known.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def above(constraint: Any) -> Transform:
    """exp(x) from a lower bound on, composed as in torch also where that is 0."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


def below(constraint: Any) -> Transform:
    """An upper bound, less exp(x)."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


def between(constraint: Any) -> Transform:
    """A sigmoid from one bound to the other."""
    low, high = constraint.lower_bound, constraint.upper_bound
    if all(isinstance(bound, int | float) for bound in (low, high)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def of_whole_values(registry: ConstraintRegistry) -> Callable[[Any], Transform]:
    """That of the constraint on parts, for values made of them."""

    def factory(constraint: Any) -> Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    return factory


def of_parts(registry: ConstraintRegistry) -> Callable[[Any], Transform]:
    """Those of the constraints on parts along a dimension."""

    def factory(constraint: Any) -> Transform:
        parts = [registry(part) for part in constraint.cseq]
        if isinstance(constraint, structured_sets._Cat):
            return transforms.CatTransform(parts, constraint.dim, constraint.lengths)
        return transforms.StackTransform(parts, constraint.dim)

    return factory


for registry in (biject_to, transform_to):
    registry.register(constraints.real, lambda constraint: transforms.identity_transform)
    registry.register(constraints.independent, of_whole_values(registry))
    registry.register(constraints.cat, of_parts(registry))
    registry.register(constraints.stack, of_parts(registry))
    for kind in (constraints.greater_than, constraints.greater_than_eq):
        registry.register(kind, above)
    registry.register(constraints.less_than, below)
    for between_bounds in (constraints.interval, constraints.half_open_interval):
        registry.register(between_bounds, between)
    registry.register(constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform())
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
# Transforms of whole matrices, and of what is only known up to a factor, are no bijections.
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
for matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(matrices, lambda constraint: transforms.PositiveDefiniteTransform())
