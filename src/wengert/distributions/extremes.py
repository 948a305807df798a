"""Extreme value distributions, distributions of tails, and Kumaraswamy's distribution."""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.randomness.random import rand
from . import constraints
from .continuous import Exponential, Uniform
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform, PowerTransform
from .utils import broadcast_all, euler_constant

__all__ = ["GeneralizedPareto", "Gumbel", "Kumaraswamy", "Pareto", "Weibull"]


class Gumbel(TransformedDistribution):
    """Gumbel distribution, the limit of maxima of many numbers.

    Args:
        loc: the location of the peak.
        scale: the width, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        ends = self.loc.new_full(self.loc.shape, limits.tiny), self.loc.new_full(self.loc.shape, 1 - limits.eps)
        transforms = [
            ExpTransform().inv,
            AffineTransform(0, -self.loc.new_ones(self.loc.shape)),
            ExpTransform().inv,
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(Uniform(*ends, validate_args=validate_args), transforms, validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return exp(-exp(-(x - loc) / scale))."""
        self._checked(value)
        return (-((self.loc - value) / self.scale).exp()).exp()

    @property
    def mean(self) -> Tensor:
        """Mean: loc + scale times Euler's constant."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        """Mode: loc."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """Standard deviation: scale pi / sqrt(6)."""
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        """Variance: scale² pi² / 6."""
        return self.stddev**2

    def entropy(self) -> Tensor:
        """Entropy: log scale + 1 + Euler's constant."""
        return self.scale.log() + (1 + euler_constant)


class Pareto(TransformedDistribution):
    """Pareto distribution: numbers above a scale, with a power law density.

    Args:
        scale: the lower bound, above 0.
        alpha: the exponent of the tail, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}  # noqa: RUF012

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Numbers from the scale on."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """Mean: alpha scale / (alpha - 1); infinite up to alpha = 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        """Mode: scale."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """Variance; infinite up to alpha = 2."""
        a = self.alpha.clamp(min=2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """Weibull distribution: powers of exponential numbers.

    Args:
        scale: the scale, above 0.
        concentration: the inverse of the exponent, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(self.scale.new_ones(self.scale.shape), validate_args=validate_args)
        transforms = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(base, transforms, validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: scale Γ(1 + 1 / concentration)."""
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        part = self.concentration_reciprocal
        return self.scale**2 * ((1 + 2 * part).lgamma().exp() - (2 * (1 + part).lgamma()).exp())

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        part = self.concentration_reciprocal
        return euler_constant * (1 - part) + (self.scale * part).log() + 1


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy distribution of fractions, similar to a beta distribution, with a closed distribution function.

    Args:
        concentration1: the exponent of the fraction, above 0.
        concentration0: the exponent of 1 minus the fraction, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        a, b = self.concentration1, self.concentration0
        base = Uniform(a.new_zeros(a.shape), a.new_ones(a.shape), validate_args=validate_args)
        transforms = [PowerTransform(b.reciprocal()), AffineTransform(1.0, -1.0), PowerTransform(a.reciprocal())]
        super().__init__(base, transforms, validate_args)

    def _moment(self, n: int) -> Tensor:
        """Return the expected nth power."""
        a, b = self.concentration1, self.concentration0
        return (b.log() + (1 + n / a).lgamma() + b.lgamma() - (1 + n / a + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """Mode; NaN if a concentration is below 1, or both are 1."""
        a, b = self.concentration1, self.concentration0
        result = (((a - 1).log() - (a * b - 1).log()) / a).exp()
        return result.masked_fill((a < 1) | (b < 1), math.nan)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self._moment(2) - self._moment(1) ** 2

    def entropy(self) -> Tensor:
        """Entropy, from the harmonic number of concentration0."""
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()


class GeneralizedPareto(Distribution):
    """Generalised Pareto distribution, the limit of tails of most distributions beyond a bound.

    Args:
        loc: the bound.
        scale: the width, above 0.
        concentration: shape of the tail: a power law above 0, exponential at 0, bounded below 0.
        validate_args: see `Distribution`.

    Source: Pickands, Statistical inference using extreme order statistics (1975).
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Numbers from the bound to the end of the tail."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, end.where(self.concentration < 0, math.inf))

    def _tail(self) -> tuple[Tensor, Tensor]:
        """Return whether the tail is exponential (in floating point), and the concentration, 1 where it is."""
        flat = self.concentration.abs() < 1e-30
        return flat, self.concentration.masked_fill(flat, 1)

    def _log_tail(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number above `value`."""
        flat, k = self._tail()
        z = (value - self.loc) / self.scale
        return (-z).where(flat, -(k * z).log1p() / k)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return (1 + self.concentration) * self._log_tail(value) - self.scale.log()

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a number above `value`."""
        self._checked(value)
        return self._log_tail(value)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Return the logarithm of `cdf`."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        flat, k = self._tail()
        depth = -(-value).log1p()
        return self.loc + self.scale * depth.where(flat, (k * depth).expm1() / k)

    def _moment_below(self, value: Tensor, limit: float, beyond: float) -> Tensor:
        """Return a moment that exists below a concentration."""
        return value.where(self.concentration < limit, beyond)

    @property
    def mean(self) -> Tensor:
        """Mean: loc + scale / (1 - k); infinite from k = 1 on."""
        return self._moment_below(self.loc + self.scale / (1 - self.concentration), 1, math.inf)

    @property
    def mode(self) -> Tensor:
        """Mode: loc."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Variance: scale² / ((1 - k)² (1 - 2 k)); infinite from k = 1/2 on."""
        k = self.concentration
        return self._moment_below(self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)), 0.5, math.inf)

    def entropy(self) -> Tensor:
        """Entropy: log scale + k + 1."""
        return self.scale.log() + self.concentration + 1
