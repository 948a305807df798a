"""Divergences between distributions of the same family."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from ..ops.linalg.solve import solve_triangular
from .categorical import Categorical, OneHotCategorical
from .continuous import Cauchy, Exponential, Laplace, Uniform
from .continuous_bernoulli import ContinuousBernoulli
from .counts import Bernoulli, Binomial, Geometric, Poisson
from .distribution import ExponentialFamily
from .extremes import Gumbel, Pareto
from .gamma import Beta, Dirichlet, Gamma
from .independent import Independent
from .kl import kl_divergence, register_kl
from .matrices import Wishart
from .multivariate_normal import LowRankMultivariateNormal, MultivariateNormal, half_log_det, squared_length
from .normal import HalfNormal, Normal
from .transformed_distribution import TransformedDistribution
from .utils import _sum_rightmost, euler_constant


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    parts = ((p.probs, p.probs, q.probs), (1 - p.probs, 1 - p.probs, 1 - q.probs))
    return sum((a * (b / c).log()).masked_fill(c == 0, math.inf).masked_fill(a == 0, 0) for a, b, c in parts)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    result = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return result.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    parts = p.probs * (p.logits - q.logits)
    parts = parts.masked_fill((q.probs == 0).expand_as(parts), math.inf)
    return parts.masked_fill((p.probs == 0).expand_as(parts), 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    normal = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return normal + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    powers = b * (p.rate / q.rate).log() + (a - b) * a.digamma()
    return powers + b.lgamma() - a.lgamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, shift = p.scale / q.scale, (q.loc - p.loc) / q.scale
    return -ratio.log() - shift + euler_constant * (ratio - 1) + (shift + (1 + ratio).lgamma()).exp() - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2).log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    result = q.alpha * (p.scale / q.scale).log() - (q.alpha / p.alpha).log() + q.alpha / p.alpha - 1
    return result.masked_fill(p.support.lower_bound < q.support.lower_bound, math.inf)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    return -p.entropy() - (p.mean * q.logits + (-q.probs).log1p() + q._cont_bern_log_norm())


def gaussian_parts(d: Any) -> tuple[Tensor, Tensor]:
    """Return the Cholesky factor and half the log-determinant of the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        return d.scale_tril, d._half_log_det()
    return d._unbroadcasted_scale_tril, half_log_det(d._unbroadcasted_scale_tril)


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two normal distributions requires equal event shapes, got {p.event_shape} and "
            f"{q.event_shape}"
        )
    (of_p, half_p), (of_q, half_q) = gaussian_parts(p), gaussian_parts(q)
    trace = (solve_triangular(of_q, of_p, upper=False) ** 2).sum((-2, -1))
    return half_q - half_p + 0.5 * (trace + squared_length(of_q, q.loc - p.loc) - p.event_shape[0])


@register_kl(Wishart, Wishart)
def _wishart(p: Wishart, q: Wishart) -> Tensor:
    of_p, of_q, size = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril, p.event_shape[0]
    trace = (solve_triangular(of_q, of_p, upper=False) ** 2).sum((-2, -1))
    normalisers = (
        q.df * (half_log_det(of_q) - half_log_det(of_p)) + (q.df / 2).mvlgamma(size) - (p.df / 2).mvlgamma(size)
    )
    return normalisers + 0.5 * (p.df - q.df) * p._digammas() + 0.5 * p.df * (trace - size)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL of Independent distributions requires equal numbers of reinterpreted dimensions")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL of TransformedDistributions requires equal transforms and event shapes")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """Return the Bregman divergence of the log normaliser."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            f"divergences: {type(p).__name__} and {type(q).__name__}"
        )
    params, normalizer, grads = p._normalizer_and_gradient()
    result: Any = q._log_normalizer(*q._natural_params) - normalizer
    for other, param, grad in zip(q._natural_params, params, grads):
        result = result - _sum_rightmost((other - param) * grad, len(q.event_shape))
    return result
