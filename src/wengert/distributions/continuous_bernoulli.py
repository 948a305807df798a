"""Continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from ..ops.neural.loss_binary import binary_cross_entropy_with_logits
from ..ops.pointwise.smooth import softplus
from ..ops.randomness.random import rand
from . import constraints
from .distribution import ExponentialFamily
from .odds import Odds
from .utils import broadcast_all, clamp_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Odds, ExponentialFamily):
    """Continuous Bernoulli distribution: numbers from 0 to 1 with a density proportional to p^x (1 - p)^(1 - x).

    Args:
        probs: the parameter p.
        logits: its log-odds; give one of `probs` and `logits`.
        lims: interval of p around 1/2, where the formulas are 0 / 0, in which series are used.
        validate_args: see `Distribution`.

    Source: Loaiza-Ganem and Cunningham, The continuous Bernoulli: fixing a pervasive error in variational autoencoders
    (2019).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        (odds,) = broadcast_all(self._take_odds(probs, logits))
        if probs is not None:
            if validate_args is not None and validate_args and not bool(constraints.unit_interval.check(odds).all()):
                raise ValueError("The parameter probs has invalid values")
            odds = clamp_probs(odds)
        self._keep_odds(probs, odds)
        self._lims = lims
        super().__init__(odds.shape, validate_args=validate_args)

    def _outside(self) -> Tensor:
        """Return a mask of the probabilities for which the formulas hold."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _away(self) -> Tensor:
        """Return the probabilities, replaced where the formulas do not hold."""
        return self.probs.where(self._outside(), self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        """Return the logarithm of the normalising constant: log(2 atanh(1 - 2 p) / (1 - 2 p))."""
        p, x = self._away(), self.probs - 0.5
        exact = ((-p).log1p() - p.log()).abs().log() - (1 - 2 * p).abs().log()
        series = math.log(2) + (4 / 3 + 104 / 45 * x * x) * x * x
        return exact.where(self._outside(), series)

    @property
    def mean(self) -> Tensor:
        """Mean: p / (2 p - 1) + 1 / (2 atanh(1 - 2 p))."""
        p, x = self._away(), self.probs - 0.5
        exact = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        return exact.where(self._outside(), 0.5 + (1 / 3 + 16 / 45 * x * x) * x)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        p, x = self._away(), self.probs - 0.5
        exact = p * (p - 1) / (1 - 2 * p) ** 2 + 1 / ((-p).log1p() - p.log()) ** 2
        return exact.where(self._outside(), 1 / 12 - (1 / 15 - 128 / 945 * x * x) * x * x)

    @property
    def stddev(self) -> Tensor:
        """Standard deviation: the square root of the variance."""
        return self.variance.sqrt()

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        p = self._away()
        exact = (p**value * (1 - p) ** (1 - value) + p - 1) / (2 * p - 1)
        values = exact.where(self._outside(), value)
        return values.masked_fill(value <= 0, 0.0).masked_fill(value >= 1, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        p = self._away()
        exact = ((-p + value * (2 * p - 1)).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return exact.where(self._outside(), value)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return -self.mean * self.logits + softplus(self.logits) - self._cont_bern_log_norm()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """Return log((exp(x) - 1) / x)."""
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        away = x.where(outside, self._lims[0] - 0.5)
        return (away.expm1() / away).log().where(outside, 0.5 * x + x * x / 24)
