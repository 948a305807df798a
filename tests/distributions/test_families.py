"""Densities, moments, entropies, samples and their gradients, beside SciPy, integrals and differences."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as some
from scipy.integrate import quad

import wengert as wg
import wengert.distributions as dist

spec = importlib.util.spec_from_file_location("families", Path(__file__).parent / "families.py")
assert spec is not None and spec.loader is not None
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)

few = settings(max_examples=12, deadline=None)


def values_of(theirs, name):
    ranks = np.linspace(0.03, 0.97, 9)
    return wg.tensor(np.unique(theirs.ppf(ranks)).astype(np.float64))


@pytest.mark.parametrize("name", families.EVERY)
@given(data=some.data())
@few
def test_densities_are_those_of_scipy(name, data):
    ours, theirs = families.pair(name, data)
    x = values_of(theirs, name)
    if name == "VonMises":
        x = (x + np.pi) % (2 * np.pi) - np.pi
    wanted = theirs.logpmf(x.numpy()) if name in families.DISCRETE else theirs.logpdf(x.numpy())
    np.testing.assert_allclose(ours.log_prob(x).numpy(), wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", sorted(set(families.EVERY) - {"Cauchy", "HalfCauchy", "VonMises"}))
@given(data=some.data())
@few
def test_moments_are_those_of_scipy(name, data):
    ours, theirs = families.pair(name, data)
    mean, variance = theirs.stats("mv")
    np.testing.assert_allclose(ours.mean.numpy(), mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.variance.numpy(), variance, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.stddev.numpy(), np.sqrt(variance), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    "name", sorted(set(families.EVERY) - {"FisherSnedecor", "NegativeBinomial", "Poisson", "VonMises"})
)
@given(data=some.data())
@few
def test_entropies_are_those_of_scipy(name, data):
    ours, theirs = families.pair(name, data)
    tolerance = 1e-4 if name == "Binomial" else 1e-6
    np.testing.assert_allclose(ours.entropy().numpy(), theirs.entropy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "name", sorted(set(families.CONTINUOUS) - {"Beta", "Chi2", "FisherSnedecor", "StudentT", "VonMises"})
)
@given(data=some.data())
@few
def test_distribution_functions_are_those_of_scipy_and_invert(name, data):
    ours, theirs = families.pair(name, data)
    x = values_of(theirs, name)
    ranks = ours.cdf(x)
    np.testing.assert_allclose(ranks.numpy(), theirs.cdf(x.numpy()), rtol=1e-7, atol=1e-9)
    if name not in ("Gamma", "InverseGamma"):
        np.testing.assert_allclose(ours.icdf(ranks).numpy(), x.numpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", families.EVERY)
def test_samples_have_the_distribution(name):
    wg.manual_seed(3)
    numbers = {
        "Uniform": (-1.0, 2.0),
        "Binomial": (6, 0.3),
        "NegativeBinomial": (2.5, 0.4),
        "StudentT": (5.0, 1.0, 2.0),
    }.get(name)
    strategies, other = families.EVERY[name]
    numbers = numbers or (0.6, 1.7, 0.2)[: len(strategies)]
    ours, theirs = getattr(dist, name)(*families.double(numbers)), other(*numbers)
    drawn = ours.sample((4000,)).numpy()
    if name in families.DISCRETE:
        ends = np.unique(theirs.ppf(np.linspace(0.1, 0.9, 5)))
        gaps = [abs((drawn <= end).mean() - theirs.cdf(end)) for end in ends]
    else:
        gaps = [abs((drawn <= end).mean() - theirs.cdf(end)) for end in theirs.ppf(np.linspace(0.05, 0.95, 10))]
    assert max(gaps) < 0.04  # five standard deviations of a share of 4000


@pytest.mark.parametrize("name", families.of_vectors())
def test_samples_of_rows_and_matrices_lie_in_the_support_and_have_the_moments(name):
    wg.manual_seed(5)
    d = families.of_vectors()[name]
    drawn = d.sample((6000,))
    assert drawn.shape == (6000, *d.batch_shape, *d.event_shape)
    assert bool(d.support.check(drawn).all())
    assert d.log_prob(drawn).shape == (6000, *d.batch_shape)
    if name in ("LogisticNormal", "RelaxedBernoulli", "RelaxedOneHotCategorical", "LKJCholesky", "Categorical"):
        return
    mean, variance = d.mean.numpy(), d.variance.numpy()
    error = np.sqrt(variance / 6000)
    assert (np.abs(drawn.numpy().mean(0) - mean) <= 6 * error + 1e-12).all()
    np.testing.assert_allclose(drawn.numpy().var(0), variance, rtol=0.25, atol=1e-12)


@pytest.mark.parametrize("name", ["Kumaraswamy", "ContinuousBernoulli", "RelaxedBernoulli"])
def test_densities_on_the_unit_interval_have_the_integral_one(name):
    d = families.of_vectors()[name]

    def density(x, place):
        return float(d.log_prob(wg.tensor(x, dtype=wg.float64)).exp().reshape(-1)[place])

    for place in range(d.log_prob(wg.tensor(0.5, dtype=wg.float64)).numel()):
        assert abs(quad(density, 0, 1, args=(place,))[0] - 1) < 1e-5


@pytest.mark.parametrize(
    "name",
    ["MultivariateNormal", "LowRankMultivariateNormal", "Dirichlet", "Wishart", "OneHotCategorical", "Multinomial"],
)
def test_entropies_of_vectors_are_the_mean_of_the_log_density(name):
    wg.manual_seed(2)
    d = families.of_vectors()[name]
    surprise = -d.log_prob(d.sample((20000,)))
    assert abs(float(surprise.mean() - d.entropy())) < 6 * float(surprise.std()) / 20000**0.5


def test_the_density_of_correlation_factors_has_the_integral_one():
    d = dist.LKJCholesky(2, wg.tensor(1.7, dtype=wg.float64))

    def density(r):
        factor = wg.tensor([[1.0, 0.0], [r, (1 - r * r) ** 0.5]], dtype=wg.float64)
        return float(d.log_prob(factor).exp())

    assert abs(quad(density, -1, 1)[0] - 1) < 1e-6


@pytest.mark.parametrize("family", ["Gamma", "Beta", "StudentT", "Dirichlet", "InverseGamma", "Chi2", "Wishart"])
def test_gradients_of_samples_are_those_of_expectations(family):
    wg.manual_seed(1)
    a = wg.tensor(2.5 if family != "Wishart" else 5.0, dtype=wg.float64, requires_grad=True)
    one = wg.ones((), dtype=wg.float64)
    d = {
        "Gamma": lambda: dist.Gamma(a, one),
        "Beta": lambda: dist.Beta(a, 2 * one),
        "StudentT": lambda: dist.StudentT(a + 3),
        "Dirichlet": lambda: dist.Dirichlet(wg.stack([a, one, 2 * one])),
        "InverseGamma": lambda: dist.InverseGamma(a + 3, one),
        "Chi2": lambda: dist.Chi2(a),
        "Wishart": lambda: dist.Wishart(a, wg.eye(2, dtype=wg.float64)),
    }[family]()
    square = family == "StudentT"
    drawn = d.rsample((20000,))
    means = (drawn**2 if square else drawn).mean(0)
    wanted = d.variance if square else d.mean
    for place in range(means.numel()):
        ours, exact = (
            wg.autograd.grad(each.reshape(-1)[place], a, retain_graph=True)[0].item() for each in (means, wanted)
        )
        assert abs(ours - exact) < 0.05 * (1 + abs(exact))


@given(some.floats(-4, 6), some.floats(0.001, 0.999))
@settings(max_examples=60, deadline=None)
def test_gamma_numbers_move_as_their_rank_says(log_a, rank):
    from scipy.special import gammaincinv

    a, step = np.exp(log_a), 1e-5 * np.exp(log_a)
    x, low, high = (gammaincinv(each, rank) for each in (a, a - step, a + step))
    if x < 1e-250:
        return
    found = wg._standard_gamma_grad(wg.tensor(a, dtype=wg.float64), wg.tensor(x, dtype=wg.float64)).item()
    assert abs(found - (high - low) / (2 * step)) <= 1e-5 * abs(found) + 1e-9 * x / a


@given(some.floats(-2, 4), some.floats(-2, 4), some.floats(0.001, 0.999))
@settings(max_examples=60, deadline=None)
def test_beta_numbers_move_as_their_rank_says(log_a, log_b, rank):
    from scipy.special import betaincinv

    a, b = np.exp(log_a), np.exp(log_b)
    step = 1e-5 * a
    x, low, high = (betaincinv(each, b, rank) for each in (a, a - step, a + step))
    if x < 1e-100 or x > 1 - 1e-9:
        return
    t = [wg.tensor(each, dtype=wg.float64) for each in (x, a, a + b)]
    found = wg._dirichlet_grad(*t).item() * (1 - x)
    assert abs(found - (high - low) / (2 * step)) <= 1e-4 * abs(found) + 1e-8 * x
