"""Divergences: against the mean of the log-ratio, and what is said where there is none."""

from __future__ import annotations

import functools

import pytest

import wengert as wg
import wengert.distributions as dist
from wengert.distributions import kl_divergence, register_kl
from wengert.distributions.kl import REGISTRY


def t(*values):
    return wg.tensor(values if len(values) > 1 else values[0], dtype=wg.float64)


@functools.cache
def examples():
    """Two of each family with divergences, of which those of the second lie wherever those of the first do."""
    spread, other = t([2.0, 0.5], [0.5, 1.0]), t([1.5, -0.3], [-0.3, 1.2])
    return {
        dist.Bernoulli: (dist.Bernoulli(t(0.3)), dist.Bernoulli(t(0.6))),
        dist.Beta: (dist.Beta(t(2.0), t(3.0)), dist.Beta(t(1.5), t(1.0))),
        dist.Binomial: (dist.Binomial(5, t(0.3)), dist.Binomial(5, t(0.6))),
        dist.Categorical: (dist.Categorical(t(1.0, 2.0)), dist.Categorical(t(2.0, 1.0))),
        dist.Cauchy: (dist.Cauchy(t(0.5), t(1.0)), dist.Cauchy(t(0.0), t(2.0))),
        dist.ContinuousBernoulli: (dist.ContinuousBernoulli(t(0.3)), dist.ContinuousBernoulli(t(0.8))),
        dist.Dirichlet: (dist.Dirichlet(t(2.0, 1.5, 3.0)), dist.Dirichlet(t(1.0, 2.5, 1.0))),
        dist.Exponential: (dist.Exponential(t(1.5)), dist.Exponential(t(0.7))),
        dist.Gamma: (dist.Gamma(t(2.5), t(1.5)), dist.Gamma(t(1.5), t(1.0))),
        dist.Geometric: (dist.Geometric(t(0.6)), dist.Geometric(t(0.3))),
        dist.Gumbel: (dist.Gumbel(t(0.5), t(1.0)), dist.Gumbel(t(0.0), t(1.5))),
        dist.HalfNormal: (dist.HalfNormal(t(1.5)), dist.HalfNormal(t(0.9))),
        dist.Laplace: (dist.Laplace(t(0.5), t(1.0)), dist.Laplace(t(0.0), t(1.5))),
        dist.LowRankMultivariateNormal: (
            dist.LowRankMultivariateNormal(t(0.5, 0.0), spread[:, :1], t(0.5, 0.7)),
            dist.LowRankMultivariateNormal(t(0.0, 0.1), other[:, :1], t(1.0, 0.9)),
        ),
        dist.MultivariateNormal: (
            dist.MultivariateNormal(t(0.5, -1.0), spread),
            dist.MultivariateNormal(t(0.0, 0.1), other),
        ),
        dist.Normal: (dist.Normal(t(0.5), t(1.0)), dist.Normal(t(0.0), t(1.5))),
        dist.OneHotCategorical: (dist.OneHotCategorical(t(1.0, 2.0)), dist.OneHotCategorical(t(2.0, 1.0))),
        dist.Pareto: (dist.Pareto(t(1.5), t(4.5)), dist.Pareto(t(1.0), t(3.0))),
        dist.Poisson: (dist.Poisson(t(1.5)), dist.Poisson(t(2.5))),
        dist.Uniform: (dist.Uniform(t(0.2), t(0.9)), dist.Uniform(t(-1.0), t(2.0))),
        dist.Wishart: (dist.Wishart(t(5.0), spread), dist.Wishart(t(6.0), other)),
    }


PAIRS = [pair for pair in REGISTRY if set(pair) <= set(examples())]


COUNT = 20000
ABOVE_ONE = dist.Uniform(t(1.2), t(3.0))


@functools.cache
def drawn_from(p):
    """Many samples of a distribution, drawn once for all that it is compared with."""
    wg.manual_seed(4)
    drawn = p.sample((COUNT,))
    return drawn.clamp(1e-12, 1 - 1e-12) if isinstance(p, dist.ContinuousBernoulli) else drawn


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda kind: kind.__name__)
def test_divergences_are_the_mean_of_the_log_ratio(first, second):
    p, q = examples()[first][0], examples()[second][1]
    if (first, second) == (dist.Uniform, dist.Pareto):
        p = ABOVE_ONE
    found = kl_divergence(p, q)
    drawn = drawn_from(p)
    if first is dist.Uniform and second is dist.Beta:
        drawn = drawn.clamp(1e-12, 1 - 1e-12)
    if not bool(q.support.check(drawn).all()):
        assert bool(found.isinf())
        return
    ratios = p.log_prob(drawn) - q.log_prob(drawn)
    assert float(found) >= 0
    assert abs(float(ratios.mean() - found)) < 6 * float(ratios.std()) / COUNT**0.5 + 1e-9


@pytest.mark.parametrize("kind", examples(), ids=lambda kind: kind.__name__)
def test_nothing_diverges_from_itself(kind):
    if (kind, kind) in REGISTRY:
        p = examples()[kind][0]
        assert abs(float(kl_divergence(p, p))) < 1e-9


def test_batches_of_divergences_are_summed_and_seen_through_transforms():
    p, q = dist.Normal(t(0.0, 1.0), t(1.0)), dist.Normal(t(0.5, 0.5), t(2.0))
    whole = kl_divergence(dist.Independent(p, 1), dist.Independent(q, 1))
    assert float(whole) == pytest.approx(float(kl_divergence(p, q).sum()))
    same = kl_divergence(dist.LogNormal(t(0.0), t(1.0)), dist.LogNormal(t(0.5), t(2.0)))
    assert float(same) == float(kl_divergence(p, q)[0])


def test_what_has_no_divergence_says_so():
    with pytest.raises(NotImplementedError, match=r"No KL\(p \|\| q\) is implemented for p type StudentT"):
        kl_divergence(dist.StudentT(3.0), dist.Normal(0.0, 1.0))
    with pytest.raises(NotImplementedError, match="different exponential families"):
        kl_divergence(dist.Normal(0.0, 1.0), dist.Poisson(1.0))
    with pytest.raises(TypeError, match="Expected type_p to be a Distribution subclass"):
        register_kl("Normal", dist.Normal)


def test_the_rule_of_the_nearest_classes_counts():
    class Own(dist.Normal):
        pass

    try:
        register_kl(Own, dist.Normal)(lambda p, q: wg.tensor(7.0))
        assert float(kl_divergence(Own(0.0, 1.0), dist.Normal(0.0, 1.0))) == 7
        assert float(kl_divergence(dist.Normal(0.0, 1.0), Own(0.0, 1.0))) == 0
    finally:
        del REGISTRY[Own, dist.Normal]
