"""Categorical distributions, and distributions derived from them."""

from __future__ import annotations

import math
from typing import Any

from .._core.state.grad_mode import no_grad
from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.create.ranges import arange
from ..ops.indexing.embedding import one_hot
from ..ops.randomness.sampling import multinomial
from ..ops.shapes.broadcast import broadcast_tensors
from . import constraints
from .distribution import Distribution
from .odds import Odds
from .utils import of_part

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class Categorical(Odds):
    """Categorical distribution: integers from 0 to n - 1, with probabilities proportional to `probs`.

    Args:
        probs: (..., n) non-negative numbers, which are divided by their sum.
        logits: (..., n) logarithms of probabilities, up to a constant; give one of `probs` and `logits`.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> d = wg.distributions.Categorical(wg.tensor([1.0, 3.0]))
        >>> d.probs, d.log_prob(wg.tensor(1)), d.entropy()
        (tensor([0.2500, 0.7500]), tensor(-0.2877), tensor(0.5623))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    has_enumerate_support = True
    _binary = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        odds = self._take_odds(probs, logits)
        if odds.dim() < 1:
            raise ValueError(f"`{'probs' if logits is None else 'logits'}` parameter must be at least one-dimensional.")
        normalised = odds / odds.sum(-1, True) if logits is None else odds - odds.logsumexp(-1, True)
        self._keep_odds(probs, normalised)
        self._num_events = odds.shape[-1]
        super().__init__(odds.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """Integers from 0 to n - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        """Mean: NaN, since outcomes are not numbers."""
        return self._param.new_full(self._extended_shape(), float("nan"))

    variance = mean

    @property
    def mode(self) -> Tensor:
        """Mode: the most likely outcome."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        count = 1
        for length in sample_shape:
            count *= length
        with no_grad():
            drawn = multinomial(self.probs.reshape(-1, self._num_events), count, True)
            return drawn.T.reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        places, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, places[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return -(self.logits.clamp(min=finfo(self.logits.dtype).min) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        return self._enumerated(arange(self._num_events), expand)


class OfCategorical(Distribution):
    """Base of families that draw from a categorical distribution, and have its parameters."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    _parts = ("_categorical",)
    _categorical: Categorical

    probs = of_part("_categorical.probs", "Probabilities along the last dimension.")
    logits = of_part("_categorical.logits", "Logarithms of the probabilities.")

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    param_shape = of_part("_categorical.param_shape", "The shape of the probabilities.")


class OneHotCategorical(OfCategorical):
    """One-hot vectors with a 1 at the index of the outcome.

    Args:
        probs: as for `Categorical`.
        logits: as for `Categorical`.
        validate_args: see `Distribution`.
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    mean = of_part("probs", "Mean: the probabilities.")

    @property
    def mode(self) -> Tensor:
        """Mode: 1 at the most likely outcome, 0 elsewhere."""
        return one_hot(self.probs.argmax(-1), self.event_shape[0]).to(self.probs)

    @property
    def variance(self) -> Tensor:
        """Variance: p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        return one_hot(self._categorical.sample(sample_shape), self.event_shape[0]).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        """Entropy: that of the outcome."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        return self._enumerated(self.probs.new_ones(self.event_shape[0]).diag_embed(), expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with straight-through gradients: those of samples are passed to the probabilities.

    Source: Bengio, Leonard and Courville, Estimating or propagating gradients through stochastic neurons (2013).
    """

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(OfCategorical):
    """Multinomial distribution: counts of the outcomes in `total_count` draws.

    Args:
        total_count: the number of draws, an int.
        probs: as for `Categorical`.
        logits: as for `Categorical`.
        validate_args: see `Distribution`.

    Raises:
        NotImplementedError: if `total_count` is not an int.
    """

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Vectors of counts with the sum `total_count`."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        """Mean: n p."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """Variance: n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return one_hot(drawn, self.event_shape[0]).sum(0).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        log_orders = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits = self.logits.masked_fill((value == 0) & (self.logits == -math.inf), 0)
        return log_orders + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """Entropy: n times that of one draw, minus the expected log number of orders, by sums over binomial counts."""
        from .counts import Binomial

        n = self.total_count
        counts = Binomial(n, self.probs)
        values = counts.enumerate_support(expand=False)[1:]
        orders = (counts.log_prob(values).exp() * (values + 1).lgamma()).sum((0, -1))
        orders_of_all = self.probs.new_full((), n + 1).lgamma()
        return n * self._categorical.entropy() - orders_of_all + orders
