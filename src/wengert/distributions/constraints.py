"""Constraints on parameters and samples.

A constraint has `check(value)`, which returns for each value (a number, vector or matrix: the last `event_dim`
dimensions) whether it is valid; `is_discrete`; and `event_dim`. `biject_to` and `transform_to` return transforms from
unconstrained numbers to a constraint.

Examples:
    >>> import wengert as wg
    >>> from wengert.distributions import constraints
    >>> constraints.positive.check(wg.tensor([-1.0, 2.0]))
    tensor([False,  True])
    >>> constraints.simplex.check(wg.tensor([[0.5, 0.5], [0.5, 0.6]]))
    tensor([ True, False])
"""

from __future__ import annotations

from .sets import (
    Constraint,
    MixtureSameFamilyConstraint,
    _Boolean,
    _Dependent,
    _DependentProperty,
    _GreaterThan,
    _GreaterThanEq,
    _HalfOpenInterval,
    _IndependentConstraint,
    _IntegerGreaterThan,
    _IntegerInterval,
    _Interval,
    _LessThan,
    _Multinomial,
    _OneHot,
    _Real,
    _Simplex,
    is_dependent,
)
from .structured_sets import (
    _Cat,
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Square,
    _Stack,
    _Symmetric,
)

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
