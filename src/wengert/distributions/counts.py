"""Discrete distributions of successes and counts."""

from __future__ import annotations

import math
from typing import Any

from .._core.state.grad_mode import no_grad
from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.create.ranges import arange
from ..ops.neural.loss_binary import binary_cross_entropy_with_logits
from ..ops.pointwise.smooth import log_sigmoid as logsigmoid, softplus
from ..ops.randomness.gamma_draws import _standard_gamma, binomial
from ..ops.randomness.sampling import bernoulli, poisson
from . import constraints
from .distribution import ExponentialFamily
from .odds import Odds
from .utils import broadcast_all, of_part

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


def times(count: Tensor, logarithm: Tensor) -> Tensor:
    """Return `count` times the logarithm of a probability; 0 for a count of 0, also if the probability is 0."""
    return count * logarithm.where(count != 0, 0.0)


class OneTrial(Odds):
    """Base of families whose only parameter is the probability of success."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        (odds,) = broadcast_all(self._take_odds(probs, logits))
        self._keep_odds(probs, odds)
        super().__init__(odds.shape, validate_args=validate_args)


class Bernoulli(OneTrial, ExponentialFamily):
    """Bernoulli distribution: 1 with probability `probs`, otherwise 0.

    Args:
        probs: the probability of 1.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> wg.distributions.Bernoulli(wg.tensor(0.25)).log_prob(wg.tensor([0.0, 1.0]))
        tensor([-0.2877, -1.3863])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    mean = of_part("probs", "Mean: p.")

    @property
    def mode(self) -> Tensor:
        """Mode: the more likely value; NaN if both are equally likely."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        """Variance: p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        logits, value = broadcast_all(self._log_odds, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        return self._enumerated(arange(2, dtype=self._param.dtype), expand)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return softplus(x)


class Geometric(OneTrial):
    """Geometric distribution: the number of failures before the first success.

    Args:
        probs: the probability of success, above 0.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if a probability is 0.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to be "
                f"positive but found invalid values:\n{self.probs[self.probs <= 0]}"
            )

    @property
    def mean(self) -> Tensor:
        """Mean: 1 / p - 1."""
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        """Mode: 0."""
        return self.probs.new_zeros(self.probs.shape)

    @property
    def variance(self) -> Tensor:
        """Variance: (1 / p - 1) / p."""
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """Entropy: that of one trial, divided by p."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Poisson(ExponentialFamily):
    """Poisson distribution: the number of independent events with mean `rate`.

    Args:
        rate: the mean, 0 or above.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"rate": constraints.nonnegative}  # noqa: RUF012
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    mean = variance = of_part("rate", "Mean: rate.")

    @property
    def mode(self) -> Tensor:
        """Mode: floor(rate)."""
        return self.rate.floor()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp()


class Trials(Odds):
    """Base of families with a number of trials (`total_count`) and their probability."""

    total_count: Tensor

    def _take_trials(self, total_count: Any, probs: Any, logits: Any) -> Any:
        """Store the parameters broadcast to one shape, and return the shape."""
        self.total_count, odds = broadcast_all(total_count, self._take_odds(probs, logits))
        self.total_count = self.total_count.type_as(odds)
        self._keep_odds(probs, odds)
        return odds.shape


class Binomial(Trials):
    """Binomial distribution: the number of successes in `total_count` trials.

    Args:
        total_count: the number of trials.
        probs: the probability of success.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.
    """

    arg_constraints = {  # noqa: RUF012
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._take_trials(total_count, probs, logits), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """Integers from 0 to n."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """Mean: n p."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """Mode: floor((n + 1) p), at most n."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        """Variance: n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        n = self.total_count
        log_orders = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        odds = self._log_odds
        return log_orders + times(value, logsigmoid(odds)) + times(n - value, logsigmoid(-odds))

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`.

        Raises:
            NotImplementedError: if the numbers of trials differ.
        """
        total = int(self.total_count.max())
        if int(self.total_count.min()) != total:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return self._enumerated(arange(1 + total, dtype=self._param.dtype), expand)

    def entropy(self) -> Tensor:
        """Return the entropy, by a sum over all values.

        Raises:
            NotImplementedError: if the numbers of trials differ.
        """
        if int(self.total_count.max()) != int(self.total_count.min()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_probs = self.log_prob(self.enumerate_support(False))
        return -(log_probs.exp() * log_probs).sum(0)


class NegativeBinomial(Trials):
    """Negative binomial distribution: the number of successes before `total_count` failures.

    Args:
        total_count: the number of failures, 0 or above; it need not be an integer.
        probs: the probability of success, below 1.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.
    """

    arg_constraints = {  # noqa: RUF012
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._take_trials(total_count, probs, logits), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: n exp(logits)."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        """Mode: floor((n - 1) exp(logits)), at least 0."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        """Variance: the mean, divided by the probability of failure."""
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw Poisson numbers whose rates have a gamma distribution."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return poisson(_standard_gamma(self.total_count.expand(shape)) * self.logits.exp().expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        n = self.total_count
        odds = self._log_odds
        powers = n * -softplus(odds) + times(value, -softplus(-odds))
        log_orders = (n + value).lgamma() - (1 + value).lgamma() - n.lgamma()
        return powers + log_orders.masked_fill(n + value == 0, 0.0)
