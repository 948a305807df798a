"""Sets of values: numbers, rows, and what depends on other parameters. `constraints` gives them their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor

TOLERANCE = 1e-6
"""How far sums of probabilities may be from 1."""


class Constraint:
    """A set of values.

    Attributes:
        is_discrete: whether they can be counted.
        event_dim: how many of the last dimensions one value takes.
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Tensor:
        """Whether each value lies in the set.

        Args:
            value: values, each in the last `event_dim` dimensions.

        Returns:
            A bool tensor without these dimensions.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('_')}()"


class Bounded(Constraint):
    """A constraint with bounds, which it shows.

    Attributes:
        bounds: the names of its arguments.
    """

    bounds: tuple[str, ...] = ()
    lower_bound: Any
    upper_bound: Any

    def __init__(self, *values: Any, **named: Any) -> None:
        attributes = {**dict(zip(self.bounds, values)), **named}
        if len(values) > len(self.bounds) or set(attributes) != set(self.bounds):
            raise TypeError(f"{type(self).__name__}() wants {', '.join(self.bounds)}; got {[*values, *named]}")
        vars(self).update(attributes)

    def __repr__(self) -> str:
        shown = [f"{name}={vars(self)[name]}" for name in self.bounds]
        return f"{type(self).__name__.removeprefix('_')}({', '.join(shown)})"


class _Dependent(Constraint):
    """A set that depends on other parameters: known of an instance only."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self.given = {"is_discrete": is_discrete, "event_dim": event_dim}

    def __getattribute__(self, name: str) -> Any:
        if name in ("is_discrete", "event_dim"):
            value = object.__getattribute__(self, "given")[name]
            if value is NotImplemented:
                raise NotImplementedError(f".{name} cannot be determined statically")
            return value
        return object.__getattribute__(self, name)

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """The same with what is known of all instances."""
        options: dict[str, Any] = {"is_discrete": is_discrete, "event_dim": event_dim}
        return _Dependent(**{name: self.given[name] if new is NotImplemented else new for name, new in options.items()})

    def check(self, x: Tensor) -> Tensor:
        """Cannot be said.

        Raises:
            ValueError: always.
        """
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint is known of instances only."""
    return isinstance(constraint, _Dependent | _DependentProperty)


class _DependentProperty(property, _Dependent):  # type: ignore[misc]
    """A property that gives a constraint; of the class, a constraint that is not known."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self.given = {"is_discrete": is_discrete, "event_dim": event_dim}

    def __call__(self, fn: Callable[[Any], Any]) -> _DependentProperty:  # type: ignore[override]
        """As a decorator with arguments."""
        return _DependentProperty(fn, **self.given)


class _IndependentConstraint(Constraint):
    """Values made of several values of another constraint, along their last dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        """As the other constraint."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        """That of the other constraint, and the further ones."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        """Whether all values lie there."""
        count = self.reinterpreted_batch_ndims
        result = self.base_constraint.check(value)
        if result.dim() < count:
            raise ValueError(f"Expected value.dim() >= {self.base_constraint.event_dim + count} but got {value.dim()}")
        return result.flatten(-count).all(-1) if count else result

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """Values that lie in the support of every component of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise TypeError(f"MixtureSameFamilyConstraint wants a constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        """As the components'."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        """As the components'."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        """Whether each value lies there."""
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
    """Rows with one 1, 0 elsewhere."""

    is_discrete, event_dim = True, 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _IntegerInterval(Bounded):
    """Integers from one to another."""

    is_discrete, bounds = True, ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(Bounded):
    """Integers up to one."""

    is_discrete, bounds = True, ("upper_bound",)

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(Bounded):
    """Integers from one on."""

    is_discrete, bounds = True, ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Multinomial(Constraint):
    """Rows of counts with a sum up to one."""

    is_discrete, event_dim = True, 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _Real(Constraint):
    """All but NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _GreaterThan(Bounded):
    """Above a bound."""

    bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(Bounded):
    """From a bound on."""

    bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value


class _LessThan(Bounded):
    """Below a bound."""

    bounds = ("upper_bound",)

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(Bounded):
    """From one bound to another."""

    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(Bounded):
    """From one bound to below another."""

    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Rows of probabilities."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < TOLERANCE)
