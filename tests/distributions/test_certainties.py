"""Logarithms of probabilities of what is certain or impossible: 0 and minus infinity, where they are limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.integrate as integrate

import wengert as wg
from wengert.distributions import (
    Bernoulli,
    Binomial,
    ContinuousBernoulli,
    Exponential,
    NegativeBinomial,
    Normal,
    Uniform,
    kl_divergence,
)

INF = math.inf


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(
    ("make", "values", "exact"),
    [
        (lambda x: Bernoulli(logits=x), [0.0, 1.0], [0.0, -INF]),
        (lambda x: Binomial(3, logits=x), [0.0, 1.0, 3.0], [0.0, -INF, -INF]),
        (lambda x: NegativeBinomial(3, logits=x), [0.0, 1.0], [0.0, -INF]),
    ],
)
def test_what_is_impossible_has_no_logarithm_and_what_is_certain_has_0(make, values, exact, kind):
    found = make(wg.tensor(-INF, dtype=getattr(wg, kind))).log_prob(wg.tensor(values, dtype=getattr(wg, kind)))
    assert found.tolist() == exact
    if "Negative" not in repr(make(wg.tensor(0.0))):
        mirrored = values[-1] - np.array(values)
        other = make(wg.tensor(INF, dtype=getattr(wg, kind))).log_prob(wg.tensor(mirrored, dtype=getattr(wg, kind)))
        assert other.tolist() == exact


@pytest.mark.parametrize(("probability", "mirror"), [(0.0, False), (1.0, True)])
@pytest.mark.parametrize("make", [lambda p: Bernoulli(p), lambda p: Binomial(1, p)])
def test_probabilities_of_0_and_1_are_certainties(make, probability, mirror):
    p = wg.tensor(probability, requires_grad=True)
    logarithms = make(p).log_prob(wg.tensor([0.0, 1.0]))
    assert logarithms.tolist() == ([-INF, 0.0] if mirror else [0.0, -INF])
    assert make(p).logits.isfinite().all()  # as torch's
    (logarithms[int(mirror)] * 2).backward()
    assert p.grad.isfinite().all()


def test_a_negative_binomial_with_probability_0_counts_nothing():
    assert NegativeBinomial(3, wg.tensor(0.0)).log_prob(wg.tensor([0.0, 1.0])).tolist() == [0.0, -INF]


@pytest.mark.parametrize("logit", [-60.0, -3.0, 0.0, 2.0, 60.0])
def test_logarithms_of_binomial_probabilities_have_their_digits(logit):
    x = wg.tensor(logit, dtype=wg.float64)
    above, below = -math.log1p(math.exp(-logit)), -math.log1p(math.exp(logit))
    for count in range(4):
        wanted = math.log(math.comb(3, count)) + count * above + (3 - count) * below
        trials, value = wg.tensor([3.0, count], dtype=wg.float64)
        assert Binomial(trials, logits=x).log_prob(value).item() == pytest.approx(wanted, rel=1e-12, abs=1e-14)


def log_density(p):
    """Of a continuous Bernoulli distribution."""
    constant = math.log(2 if p == 0.5 else 2 * math.atanh(1 - 2 * p) / (1 - 2 * p))
    return lambda x: constant + x * math.log(p) + (1 - x) * math.log1p(-p)


OTHERS = {
    "exponential": (lambda: Exponential(wg.tensor(1.0, dtype=wg.float64)), lambda x: -x),
    "normal": (
        lambda: Normal(wg.zeros((), dtype=wg.float64), wg.ones((), dtype=wg.float64)),
        lambda x: -x * x / 2 - math.log(2 * math.pi) / 2,
    ),
    "unit interval": (lambda: Uniform(wg.zeros((), dtype=wg.float64), wg.ones((), dtype=wg.float64)), lambda x: 0.0),
    "wider interval": (
        lambda: Uniform(wg.tensor(-1.0, dtype=wg.float64), wg.tensor(2.0, dtype=wg.float64)),
        lambda x: -math.log(3),
    ),
}


@pytest.mark.parametrize("p", [0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.7])
def test_divergences_of_continuous_bernoulli_distributions_are_integrals(p, q):
    first, second = log_density(p), log_density(q)
    wanted = integrate.quad(lambda x: math.exp(first(x)) * (first(x) - second(x)), 0, 1)[0]
    made = [ContinuousBernoulli(wg.tensor(each, dtype=wg.float64)) for each in (p, q)]
    assert kl_divergence(*made).item() == pytest.approx(wanted, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("p", [0.05, 0.3, 0.9])
def test_divergences_from_continuous_bernoulli_distributions_are_integrals(name, p):
    make, other = OTHERS[name]
    first = log_density(p)
    wanted = integrate.quad(lambda x: math.exp(first(x)) * (first(x) - other(x)), 0, 1)[0]
    assert kl_divergence(ContinuousBernoulli(wg.tensor(p, dtype=wg.float64)), make()).item() == pytest.approx(
        wanted, rel=1e-7
    )


def test_a_narrower_interval_diverges():
    narrow = Uniform(wg.tensor(0.2), wg.tensor(2.0))
    assert kl_divergence(ContinuousBernoulli(wg.tensor(0.3)), narrow).item() == INF
