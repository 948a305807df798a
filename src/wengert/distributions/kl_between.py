"""Divergences between distributions of different families."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from .continuous import Exponential, Laplace, Uniform
from .continuous_bernoulli import ContinuousBernoulli
from .counts import Bernoulli, Binomial, Poisson
from .distribution import Distribution
from .extremes import Gumbel, Pareto
from .gamma import Beta, Gamma
from .kl import register_kl
from .normal import Normal
from .utils import euler_constant


def infinite(p: Distribution, q: Distribution) -> Tensor:
    """Return infinity, for families whose support is not within that of the other."""
    return p.mean.new_full(p.batch_shape, math.inf)


SMALLER = (Beta, ContinuousBernoulli, Pareto, Uniform)
for family, others in {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: SMALLER,
    Gamma: SMALLER,
    Gumbel: (*SMALLER, Exponential, Gamma),
    Laplace: (*SMALLER, Exponential, Gamma),
    Normal: (*SMALLER, Exponential, Gamma),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}.items():
    for other in others:
        register_kl(family, other)(infinite)


def by_second(p: Any, q: Any, second: Tensor) -> Tensor:
    """Return minus the entropy of p, minus the expected log q."""
    return -p.entropy() - second


def square_from(p: Any, place: Any) -> Tensor:
    """Return the expected square of the distance from `place`."""
    return p.variance + (p.mean - place) ** 2


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Tensor:
    return by_second(p, q, p.mean * q.logits + (-q.probs).log1p() + q._cont_bern_log_norm())


@register_kl(Beta, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Pareto, Exponential)
def _to_exponential(p: Any, q: Exponential) -> Tensor:
    return by_second(p, q, q.rate.log() - q.rate * p.mean)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    return _to_exponential(p, q).masked_fill(p.low < 0, math.inf)


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Uniform, Normal)
def _to_normal(p: Any, q: Normal) -> Tensor:
    squares = square_from(p, q.loc) / (2 * q.scale**2)
    return by_second(p, q, -squares - q.scale.log() - 0.5 * math.log(2 * math.pi))


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Tensor:
    return _to_normal(p, q).masked_fill(p.alpha <= 2, math.inf)


def to_gamma(p: Any, q: Gamma, log_mean: Tensor) -> Tensor:
    """Return the divergence to a gamma distribution, from the expected logarithm of p."""
    a = q.concentration
    return by_second(p, q, a * q.rate.log() - a.lgamma() + (a - 1) * log_mean - q.rate * p.mean)


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Tensor:
    return to_gamma(p, q, p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    return to_gamma(p, q, -p.rate.log() - euler_constant)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    return to_gamma(p, q, p.scale.log() + p.alpha.reciprocal()).masked_fill(p.alpha <= 1, math.inf)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    result = to_gamma(p, q, (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1)
    return result.masked_fill(p.low < 0, math.inf)


def to_gumbel(p: Any, q: Gumbel, fall: Tensor) -> Tensor:
    """Return the divergence to a Gumbel distribution, from the expected exp((loc - x) / scale)."""
    return by_second(p, q, (q.loc - p.mean) / q.scale - fall - q.scale.log())


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, (q.loc / q.scale).exp() / (1 + 1 / (q.scale * p.rate)))


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, (q.loc / q.scale).exp() * (1 + 1 / (p.rate * q.scale)) ** -p.concentration)


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, ((q.loc - p.loc) / q.scale + 0.5 * (p.scale / q.scale) ** 2).exp())


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ends = ((q.loc - p.low) / q.scale).exp() - ((q.loc - p.high) / q.scale).exp()
    return to_gumbel(p, q, q.scale * ends / (p.high - p.low))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    shift = (p.loc - q.loc) / p.scale
    away = math.sqrt(2 / math.pi) * (-0.5 * shift**2).exp() + shift * (shift * math.sqrt(0.5)).erf()
    return by_second(p, q, -p.scale * away / q.scale - (2 * q.scale).log())


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _to_uniform(p: Any, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low > 0) | (q.high < 1), math.inf)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    low, high = p.low, p.high
    a, b = q.concentration1, q.concentration0
    logs = (high.xlogy(high) - low.xlogy(low)) / (high - low) - 1
    rests = ((1 - low).xlogy(1 - low) - (1 - high).xlogy(1 - high)) / (high - low) - 1
    result = by_second(p, q, (a - 1) * logs + (b - 1) * rests + (a + b).lgamma() - a.lgamma() - b.lgamma())
    return result.masked_fill((low < 0) | (high > 1), math.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    result = by_second(p, q, p.mean * q.logits + (-q.probs).log1p() + q._cont_bern_log_norm())
    return result.masked_fill((p.low < 0) | (p.high > 1), math.inf)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    logs = (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1
    result = by_second(p, q, q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * logs)
    return result.masked_fill(p.low < q.scale, math.inf)
