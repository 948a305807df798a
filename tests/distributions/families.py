"""Families with random parameters, beside SciPy's: what the tests of distributions go through."""

from __future__ import annotations

import numpy as np
import scipy.stats as st
from hypothesis import strategies as some

import wengert.distributions as dist

width = some.floats(0.3, 4.0)
place = some.floats(-3.0, 3.0)
chance = some.floats(0.05, 0.95)


def shape_above(least):
    return some.floats(least, least + 5)


CONTINUOUS = {
    "Normal": ((place, width), st.norm),
    "Laplace": ((place, width), st.laplace),
    "Cauchy": ((place, width), st.cauchy),
    "HalfNormal": ((width,), lambda s: st.halfnorm(scale=s)),
    "HalfCauchy": ((width,), lambda s: st.halfcauchy(scale=s)),
    "LogNormal": ((place, some.floats(0.2, 1)), lambda m, s: st.lognorm(s, scale=np.exp(m))),
    "Uniform": ((some.floats(-3, 0), some.floats(0.5, 3)), lambda a, b: st.uniform(a, b - a)),
    "Exponential": ((width,), lambda r: st.expon(scale=1 / r)),
    "Gamma": ((width, width), lambda a, r: st.gamma(a, scale=1 / r)),
    "Chi2": ((width,), st.chi2),
    "InverseGamma": ((shape_above(2.5), width), lambda a, r: st.invgamma(a, scale=r)),
    "Beta": ((width, width), st.beta),
    "StudentT": ((shape_above(2.5), place, width), st.t),
    "FisherSnedecor": ((shape_above(2), shape_above(5)), st.f),
    "Gumbel": ((place, width), st.gumbel_r),
    "Pareto": ((width, shape_above(2.5)), lambda s, a: st.pareto(a, scale=s)),
    "Weibull": ((width, shape_above(0.6)), lambda s, k: st.weibull_min(k, scale=s)),
    "GeneralizedPareto": (
        (place, width, some.integers(-40, 40).map(lambda k: k / 100)),
        lambda m, s, k: st.genpareto(k, m, s),
    ),
    "VonMises": ((place, width), lambda m, k: st.vonmises(k, m)),
}
DISCRETE = {
    "Bernoulli": ((chance,), st.bernoulli),
    "Geometric": ((chance,), lambda p: st.geom(p, -1)),
    "Poisson": ((width,), st.poisson),
    "Binomial": ((some.integers(0, 9), chance), st.binom),
    "NegativeBinomial": ((width, chance), lambda n, p: st.nbinom(n, 1 - p)),
}
EVERY = {**CONTINUOUS, **DISCRETE}


def double(numbers):
    import wengert as wg

    return [wg.tensor(each, dtype=wg.float64) for each in numbers]


def pair(name, data):
    """A distribution with parameters drawn, and SciPy's."""
    strategies, other = EVERY[name]
    numbers = [data.draw(each) for each in strategies]
    return getattr(dist, name)(*double(numbers)), other(*numbers)


def of_vectors():
    """Distributions of rows and matrices, and others that SciPy lacks, by name."""
    import wengert as wg

    def t(*values):
        return wg.tensor(values, dtype=wg.float64)

    spread = wg.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=wg.float64)
    return {
        "Dirichlet": dist.Dirichlet(t(2.0, 3.0, 1.5)),
        "Categorical": dist.Categorical(t(1.0, 3.0, 4.0)),
        "OneHotCategorical": dist.OneHotCategorical(t(1.0, 3.0, 4.0)),
        "OneHotCategoricalStraightThrough": dist.OneHotCategoricalStraightThrough(t(1.0, 3.0, 4.0)),
        "Multinomial": dist.Multinomial(4, t(0.2, 0.3, 0.5)),
        "MultivariateNormal": dist.MultivariateNormal(t(0.5, -1.0), spread),
        "LowRankMultivariateNormal": dist.LowRankMultivariateNormal(t(0.5, -1.0), spread[:, :1], t(0.5, 0.7)),
        "LogisticNormal": dist.LogisticNormal(t(0.1, 0.2), t(0.5, 0.7)),
        "RelaxedBernoulli": dist.RelaxedBernoulli(t(0.7), t(0.3)),
        "RelaxedOneHotCategorical": dist.RelaxedOneHotCategorical(t(0.7), t(0.2, 0.3, 0.5)),
        "ContinuousBernoulli": dist.ContinuousBernoulli(t(0.1, 0.4999, 0.8)),
        "Kumaraswamy": dist.Kumaraswamy(t(0.7, 2.0), t(2.0, 3.0)),
        "LKJCholesky": dist.LKJCholesky(3, t(1.5)),
        "Wishart": dist.Wishart(t(5.0), spread),
        "MixtureSameFamily": dist.MixtureSameFamily(
            dist.Categorical(t(1.0, 2.0)), dist.Normal(t(-1.0, 1.0), t(0.5, 1.0))
        ),
        "Independent": dist.Independent(dist.Normal(t(0.0, 1.0), 1.0), 1),
    }
