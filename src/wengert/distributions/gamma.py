"""Gamma distribution, and distributions derived from it."""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.randomness.gamma_draws import _sample_dirichlet, _standard_gamma
from ..ops.shapes.join import stack
from . import constraints
from .distribution import ExponentialFamily
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform
from .utils import broadcast_all, of_part

__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma", "InverseGamma"]


class Gamma(ExponentialFamily):
    """Gamma distribution.

    Args:
        concentration: the shape, above 0.
        rate: the inverse of the scale, above 0.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> a = wg.tensor(2.0, requires_grad=True)
        >>> d = wg.distributions.Gamma(a, 1.0)
        >>> d.log_prob(wg.tensor(1.0))
        tensor(-1., grad_fn=<SubBackward0>)
        >>> d.rsample((3,)).grad_fn is not None
        True
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012
    support: Any = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: a / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """Mode: (a - 1) / rate, at least 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """Variance: a / rate²."""
        return self.concentration / self.rate**2

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        drawn = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        drawn.detach().clamp_(min=finfo(drawn.dtype).tiny)
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        a, rate, value = broadcast_all(self.concentration, self.rate, value)
        return a.xlogy(rate) + (a - 1).xlogy(value) - rate * value - a.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return self.concentration.igamma(self.rate * value)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return (x + 1).lgamma() - (x + 1) * (-y).log()


class Chi2(Gamma):
    """Chi-squared distribution: sums of `df` squares of normal numbers.

    Args:
        df: degrees of freedom, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"df": constraints.positive}  # noqa: RUF012

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (freedom,) = broadcast_all(df)
        super().__init__(0.5 * freedom, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        new = super().expand(batch_shape, _instance)
        new.concentration, new.rate = (
            parameter.expand(new.batch_shape) for parameter in (self.concentration, self.rate)
        )
        return new

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2


class InverseGamma(TransformedDistribution):
    """Inverse gamma distribution: that of 1 / x, where x has a gamma distribution.

    Args:
        concentration: the concentration of x.
        rate: the rate of x.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True
    base_dist: Any

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args)

    concentration = of_part("base_dist.concentration", "Parameter of the distribution of x.")
    rate = of_part("base_dist.rate", "Parameter of the distribution of x.")

    @property
    def mean(self) -> Tensor:
        """Mean: rate / (a - 1); infinite up to a = 1."""
        a = self.concentration
        return (self.rate / (a - 1)).where(a > 1, math.inf)

    @property
    def mode(self) -> Tensor:
        """Mode: rate / (a + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """Variance: rate² / ((a - 1)² (a - 2)); infinite up to a = 2."""
        a = self.concentration
        return (self.rate**2 / ((a - 1) ** 2 * (a - 2))).where(a > 2, math.inf)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution: vectors of probabilities.

    Args:
        concentration: (..., n), above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: concentration divided by its sum."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """Mode: the shares of concentration - 1; a corner with infinite density if all concentrations are below 1."""
        above = (self.concentration - 1).clamp(min=0.0)
        corner = (self.concentration < 1).all(-1, keepdim=True)
        first = above.new_zeros(self.event_shape)
        first[0] = 1
        return first.where(corner, above / above.sum(-1, True))

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return _sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        a = self.concentration
        return (a - 1).xlogy(value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a, count = self.concentration, self.concentration.shape[-1]
        total = a.sum(-1)
        spread = (count - total) * total.digamma() + ((a - 1) * a.digamma()).sum(-1)
        return a.lgamma().sum(-1) - total.lgamma() - spread

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """Beta distribution: the first of two probabilities with a Dirichlet distribution.

    Args:
        concentration1: the concentration of the probability, above 0.
        concentration0: the concentration of the other probability, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012
    support = constraints.unit_interval
    has_rsample = True
    _parts = ("_dirichlet",)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        pair = stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(pair, validate_args=validate_args)
        super().__init__(pair.shape[:-1], validate_args=validate_args)

    @property
    def concentration1(self) -> Tensor:
        """Concentration of the probability."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """Concentration of the other probability."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        """Mean: a / (a + b)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """Mode: (a - 1) / (a + b - 2), or 0 or 1."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        """Variance: a b / ((a + b)² (a + b + 1))."""
        return self._dirichlet.variance[..., 0]

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return self._dirichlet.log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
