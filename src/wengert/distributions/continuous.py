"""Continuous univariate distributions: uniform, exponential, Laplace, Cauchy."""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.randomness.random import rand
from . import constraints
from .distribution import Distribution, ExponentialFamily, Located
from .transformed_distribution import OfAbsolute
from .utils import broadcast_all, of_part

__all__ = ["Cauchy", "Exponential", "HalfCauchy", "Laplace", "Uniform"]


class Uniform(Distribution):
    """Uniform distribution on [low, high).

    Args:
        low: the lower bound.
        high: the upper bound.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> wg.distributions.Uniform(1.0, 0.0)
        Traceback (most recent call last):
        ValueError: Expected parameter low (Tensor of shape ()) of distribution Uniform(low: 1.0, high: 0.0) to ...
    """

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Constraints of the parameters: low < high."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Numbers from low to high."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """Mean: (low + high) / 2."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """Mode: NaN, since all values are equally likely."""
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        """Standard deviation: (high - low) / sqrt(12)."""
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self) -> Tensor:
        """Variance: (high - low)² / 12."""
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        drawn = rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        inside = (self.low <= value) & (self.high > value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """Entropy: log(high - low)."""
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """Exponential distribution: waiting times for events with `rate` per unit of time.

    Args:
        rate: the rate, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"rate": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: 1 / rate."""
        return self.rate.reciprocal()

    stddev = mean

    @property
    def mode(self) -> Tensor:
        """Mode: 0."""
        return self.rate.new_zeros(self.rate.shape)

    @property
    def variance(self) -> Tensor:
        """Variance: 1 / rate²."""
        return self.rate**-2

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """Entropy: 1 - log rate."""
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return -(-x).log()


class Laplace(Located):
    """Laplace distribution: exponential on both sides of `loc`.

    Args:
        loc: the location of the peak.
        scale: the mean distance from the peak, above 0.
        validate_args: see `Distribution`.
    """

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(loc, scale, validate_args)

    mean = mode = of_part("loc", "Mean: loc.")

    @property
    def stddev(self) -> Tensor:
        """Standard deviation: scale sqrt(2)."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self) -> Tensor:
        """Variance: 2 scale²."""
        return 2 * self.scale**2

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        u = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        away = value - 0.5
        return self.loc - self.scale * away.sign() * (-2 * away.abs()).log1p()

    def entropy(self) -> Tensor:
        """Entropy: 1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()


class Cauchy(Located):
    """Cauchy distribution.

    Args:
        loc: the location of the peak.
        scale: the half width at half maximum, above 0.
        validate_args: see `Distribution`.
    """

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(loc, scale, validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: NaN, since it does not exist."""
        return self.loc.new_full(self._extended_shape(), math.nan)

    mode = of_part("loc", "Mode: loc.")

    @property
    def variance(self) -> Tensor:
        """Variance: infinite."""
        return self.loc.new_full(self._extended_shape(), math.inf)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.loc + self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """Entropy: log(4 pi scale)."""
        return math.log(4 * math.pi) + self.scale.log()


class HalfCauchy(OfAbsolute):
    """Half-Cauchy distribution: that of |x|, where x has a Cauchy distribution around 0.

    Args:
        scale: the scale of x.
        validate_args: see `Distribution`.
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: infinite."""
        return self.base_dist.scale.new_full(self._extended_shape(), math.inf)

    variance = of_part("base_dist.variance", "Variance: infinite.")
