"""Continuous relaxations of discrete distributions, which approach them at low temperatures."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from ..ops.randomness.random import rand
from . import constraints
from .categorical import Categorical, OfCategorical
from .odds import Odds
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform
from .utils import broadcast_all, clamp_probs, of_part

__all__ = ["ExpRelaxedCategorical", "LogitRelaxedBernoulli", "RelaxedBernoulli", "RelaxedOneHotCategorical"]


class LogitRelaxedBernoulli(Odds):
    """Log-odds of a relaxed Bernoulli number.

    Args:
        temperature: the temperature, above 0.
        probs: the probability of 1.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.

    Source: Maddison, Mnih and Teh, The concrete distribution (2017).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        (odds,) = broadcast_all(self._take_odds(probs, logits))
        self._keep_odds(probs, odds)
        super().__init__(odds.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value * self.temperature
        scale = self.temperature.log() if isinstance(self.temperature, Tensor) else math.log(self.temperature)
        return scale + away - 2 * away.exp().log1p()


class Tempered(TransformedDistribution):
    """Base of relaxed families, with the parameters before the transform."""

    has_rsample = True
    base_dist: Any

    temperature = of_part("base_dist.temperature", "Temperature of the relaxation.")
    logits = of_part("base_dist.logits", "Logarithms of odds, or of probabilities.")
    probs = of_part("base_dist.probs", "Probabilities.")


class RelaxedBernoulli(Tempered):
    """Relaxed Bernoulli distribution: numbers between 0 and 1, close to 0 or 1 at low temperatures.

    Args:
        temperature: the temperature, above 0.
        probs: the probability of 1.
        logits: its log-odds; give one of `probs` and `logits`.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> p = wg.tensor([0.2, 0.7], requires_grad=True)
        >>> wg.distributions.RelaxedBernoulli(wg.tensor(0.5), p).rsample((4,)).shape
        torch.Size([4, 2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.unit_interval

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)


class ExpRelaxedCategorical(OfCategorical):
    """Logarithms of relaxed one-hot vectors.

    Args:
        temperature: the temperature, above 0.
        probs, logits, validate_args: as for `Categorical`.

    Source: Maddison, Mnih and Teh, The concrete distribution (2017); Jang, Gu and Poole, Categorical
    reparameterization with Gumbel-softmax (2017).
    """

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(rand(shape, dtype=self.logits.dtype))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(-1, True)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        count = self.event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        temperature = (
            value.new_full((), float(self.temperature))
            if not isinstance(self.temperature, Tensor)
            else (self.temperature)
        )
        scale = math.lgamma(count) + (count - 1) * temperature.log()
        scores = logits - value * temperature
        return (scores - scores.logsumexp(-1, True)).sum(-1) + scale


class RelaxedOneHotCategorical(Tempered):
    """Relaxed one-hot vectors: vectors of probabilities, close to one-hot vectors at low temperatures.

    Args:
        temperature: the temperature, above 0.
        probs, logits, validate_args: as for `Categorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    support = constraints.simplex

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args)
