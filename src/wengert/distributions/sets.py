"""Constraints on numbers and vectors, and constraints that depend on parameters; `constraints` names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor

TOLERANCE = 1e-6
"""Largest difference of a sum of probabilities from 1."""


class Constraint:
    """Base of constraints: sets of values.

    Attributes:
        is_discrete: whether the values are discrete.
        event_dim: the number of last dimensions that form one value.
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Tensor:
        """Return whether each value is in the set.

        Args:
            value: the values, each in the last `event_dim` dimensions.

        Returns:
            A bool tensor without these dimensions.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('_')}()"


class Bounded(Constraint):
    """Base of constraints with bounds, which their text shows.

    Attributes:
        bounds: the names of its arguments.
    """

    bounds: tuple[str, ...] = ()
    lower_bound: Any
    upper_bound: Any

    def __init__(self, *values: Any, **named: Any) -> None:
        attributes = {**dict(zip(self.bounds, values)), **named}
        if len(values) > len(self.bounds) or set(attributes) != set(self.bounds):
            raise TypeError(f"{type(self).__name__}() expects {', '.join(self.bounds)}; got {[*values, *named]}")
        vars(self).update(attributes)

    def __repr__(self) -> str:
        shown = [f"{name}={vars(self)[name]}" for name in self.bounds]
        return f"{type(self).__name__.removeprefix('_')}({', '.join(shown)})"


class _Dependent(Constraint):
    """Constraint that depends on parameters, and is known only for an instance."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self.options = {"is_discrete": is_discrete, "event_dim": event_dim}

    def __getattribute__(self, name: str) -> Any:
        if name in ("is_discrete", "event_dim"):
            value = object.__getattribute__(self, "options")[name]
            if value is NotImplemented:
                raise NotImplementedError(f".{name} cannot be determined statically")
            return value
        return object.__getattribute__(self, name)

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """Return the constraint with properties that are known for all instances."""
        options: dict[str, Any] = {"is_discrete": is_discrete, "event_dim": event_dim}
        return _Dependent(
            **{name: self.options[name] if new is NotImplemented else new for name, new in options.items()}
        )

    def check(self, x: Tensor) -> Tensor:
        """Raise an error: the constraint is not known.

        Raises:
            ValueError: always; the constraint depends on an instance.
        """
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Return whether a constraint is known only for instances."""
    return isinstance(constraint, _Dependent | _DependentProperty)


class _DependentProperty(property, _Dependent):
    """Property whose value is a constraint; on the class it is a dependent constraint."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self.options = {"is_discrete": is_discrete, "event_dim": event_dim}

    def __call__(self, fn: Callable[[Any], Any]) -> _DependentProperty:  # type: ignore[override]
        """Decorate a function, with arguments."""
        return _DependentProperty(fn, **self.options)


class _IndependentConstraint(Constraint):
    """Joint values of another constraint along their last dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        """Return whether the base constraint is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """Dimensions of the base constraint, plus the joint ones."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        """Return whether all values of a joint value are valid."""
        count = self.reinterpreted_batch_ndims
        result = self.base_constraint.check(value)
        if result.dim() < count:
            raise ValueError(f"Expected value.dim() >= {self.base_constraint.event_dim + count} but got {value.dim()}")
        return result.flatten(-count).all(-1) if count else result

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """Values in the support of each component of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise TypeError(f"MixtureSameFamilyConstraint expects a constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """Return whether the components are discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """Number of last dimensions that form one value of a component."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        """Return whether each value is in the support of each component."""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return result.all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    """One-hot vectors."""

    is_discrete, event_dim = True, 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _IntegerInterval(Bounded):
    """Integers from a lower to an upper bound."""

    is_discrete, bounds = True, ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(Bounded):
    """Integers up to a bound."""

    is_discrete, bounds = True, ("upper_bound",)

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(Bounded):
    """Integers from a bound on."""

    is_discrete, bounds = True, ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Multinomial(Constraint):
    """Vectors of counts with a sum up to a bound."""

    is_discrete, event_dim = True, 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _Real(Constraint):
    """Numbers except NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _GreaterThan(Bounded):
    """Numbers above a bound."""

    bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(Bounded):
    """Numbers from a bound on."""

    bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value


class _LessThan(Bounded):
    """Numbers below a bound."""

    bounds = ("upper_bound",)

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(Bounded):
    """Numbers in a closed interval."""

    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(Bounded):
    """Numbers in a half-open interval, without the upper bound."""

    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Vectors of probabilities."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < TOLERANCE)
