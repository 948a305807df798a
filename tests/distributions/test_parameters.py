"""What is refused, shown, expanded, counted."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import wengert as wg
import wengert.distributions as dist
from wengert.distributions import constraints

spec = importlib.util.spec_from_file_location("families", Path(__file__).parent / "families.py")
assert spec is not None and spec.loader is not None
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)

BAD = [
    (lambda: dist.Normal(0.0, -1.0), "Expected parameter scale .* to satisfy the constraint GreaterThan"),
    (lambda: dist.Normal(float("nan"), 1.0), r"constraint Real\(\)"),
    (lambda: dist.Normal("a", 1.0), "must all be instances of Number, torch.Tensor"),
    (lambda: dist.Uniform(2.0, 1.0), "Expected parameter low"),
    (lambda: dist.Gamma(0.0, 1.0), "Expected parameter concentration"),
    (lambda: dist.Bernoulli(1.5), r"Interval\(lower_bound=0.0, upper_bound=1.0\)"),
    (lambda: dist.Bernoulli(), "Either `probs` or `logits` must be specified, but not both."),
    (lambda: dist.Bernoulli(0.5, logits=0.0), "Either `probs` or `logits` must be specified, but not both."),
    (lambda: dist.Geometric(0.0), "to be positive but found invalid values"),
    (lambda: dist.Categorical(wg.tensor(1.0)), "`probs` parameter must be at least one-dimensional."),
    (lambda: dist.Categorical(wg.tensor([-1.0, 2.0])), r"constraint Simplex\(\)"),
    (lambda: dist.Dirichlet(wg.tensor(1.0)), "`concentration` parameter must be at least one-dimensional."),
    (lambda: dist.MultivariateNormal(wg.zeros(2)), "Exactly one of covariance_matrix or precision_matrix"),
    (lambda: dist.MultivariateNormal(wg.zeros(2), -wg.eye(2)), r"constraint PositiveDefinite\(\)"),
    (lambda: dist.LowRankMultivariateNormal(wg.zeros(3), wg.zeros(2, 1), wg.ones(3)), "shape 3 x m"),
    (lambda: dist.Wishart(wg.tensor(1.0), wg.eye(3)), "expected to be greater than ndim - 1 = 2"),
    (lambda: dist.LKJCholesky(1), "Found dim=1"),
    (lambda: dist.Independent(dist.Normal(0.0, 1.0), 1), "Expected reinterpreted_batch_ndims <="),
    (lambda: dist.TransformedDistribution(dist.Normal(0.0, 1.0), [3]), "must be a Transform or a list"),
    (lambda: dist.MixtureSameFamily(dist.Normal(0.0, 1.0), dist.Normal(0.0, 1.0)), "needs to be an  instance"),
    (lambda: dist.Normal(0.0, 1.0).log_prob(1.0), "The value argument to log_prob must be a Tensor"),
    (lambda: dist.Normal(wg.zeros(2), 1.0).log_prob(wg.ones(3)), "Value is not broadcastable"),
    (lambda: dist.Exponential(1.0).log_prob(wg.tensor(-1.0)), "to be within the support"),
    (lambda: dist.Categorical(wg.ones(3)).log_prob(wg.tensor(3)), "IntegerInterval"),
    (lambda: dist.Dirichlet(wg.ones(3)).log_prob(wg.ones(2) / 2), "right-most size of value must match event_shape"),
    (lambda: dist.Distribution.set_default_validate_args(3), "True or False"),
]


@pytest.mark.parametrize(("call", "says"), BAD)
def test_what_is_no_distribution_or_no_sample_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_nothing_is_checked_where_nothing_should_be():
    d = dist.Normal(0.0, -1.0, validate_args=False)
    assert d.log_prob(wg.tensor(0.0)).isnan()
    dist.Distribution.set_default_validate_args(False)
    try:
        dist.Exponential(-1.0)
    finally:
        dist.Distribution.set_default_validate_args(True)


def test_what_a_family_lacks_is_said():
    for call in (lambda: dist.Poisson(1.0).rsample(), lambda: dist.Bernoulli(0.5).cdf(wg.tensor(1.0))):
        with pytest.raises(NotImplementedError, match="has no"):
            call()
    with pytest.raises(NotImplementedError, match="inhomogeneous total_count is not supported"):
        dist.Multinomial(wg.tensor(3), wg.ones(2))


@pytest.mark.parametrize("name", families.of_vectors())
def test_expanded_batches_hold_the_same_distribution(name):
    wg.manual_seed(0)
    d = families.of_vectors()[name]
    large = d.expand((2, *d.batch_shape))
    assert type(large) is type(d)
    assert large.batch_shape == (2, *d.batch_shape) and large.event_shape == d.event_shape
    drawn = large.sample((3,))
    assert drawn.shape == (3, 2, *d.batch_shape, *d.event_shape)
    assert wg.allclose(large.log_prob(drawn), d.log_prob(drawn))


@pytest.mark.parametrize("name", families.of_vectors())
def test_distributions_can_be_copied_and_pickled(name):
    d = families.of_vectors()[name]
    value = d.sample()
    for same in (copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert type(same) is type(d) and same.batch_shape == d.batch_shape
        assert wg.allclose(same.log_prob(value), d.log_prob(value))


@pytest.mark.parametrize(
    "d",
    [
        dist.Bernoulli(wg.tensor([0.2, 0.7])),
        dist.Binomial(4, wg.tensor([0.2, 0.7])),
        dist.Categorical(wg.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])),
        dist.OneHotCategorical(wg.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])),
    ],
)
def test_the_probabilities_of_all_values_have_the_sum_one(d):
    values = d.enumerate_support()
    assert values.shape[1:] == (*d.batch_shape, *d.event_shape)
    assert wg.allclose(d.log_prob(values).exp().sum(0), wg.ones(2))
    assert d.enumerate_support(expand=False).shape == (len(values), 1, *d.event_shape)


def test_subclasses_that_say_little_warn():
    class Bare(dist.Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        d = Bare()
    with pytest.warns(UserWarning, match="does not define `support`"):
        d._validate_sample(wg.tensor(0.0))
    with pytest.warns(FutureWarning, match="sample_n"):
        assert dist.Normal(0.0, 1.0).sample_n(2).shape == (2,)


def test_names_are_shown_as_torch_shows_them():
    assert repr(dist.Normal(0, wg.ones(2))) == "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"
    assert repr(dist.Exponential(2.0)) == "Exponential(rate: 2.0)"
    assert repr(constraints.integer_interval(0, 3)) == "IntegerInterval(lower_bound=0, upper_bound=3)"
    assert repr(constraints.real_vector) == "IndependentConstraint(Real(), 1)"
    assert repr(dist.ComposeTransform([dist.ExpTransform()])) == "ComposeTransform(\n    ExpTransform()\n)"


def test_dependent_constraints_are_known_of_instances_only():
    assert constraints.is_dependent(dist.Uniform.support)
    assert not constraints.is_dependent(dist.Uniform(0.0, 1.0).support)
    assert dist.Uniform.support.event_dim == 0
    with pytest.raises(ValueError, match="Cannot determine validity of dependent constraint"):
        constraints.dependent.check(wg.zeros(1))
    with pytest.raises(NotImplementedError, match="cannot be determined statically"):
        _ = constraints.dependent.event_dim


def test_straight_through_samples_hand_gradients_to_the_probabilities():
    logits = wg.zeros(3, requires_grad=True)
    drawn = dist.OneHotCategoricalStraightThrough(logits=logits).rsample()
    assert sorted(drawn.tolist()) == [0, 0, 1]
    (grad,) = wg.autograd.grad(drawn[0], logits)
    assert wg.allclose(grad, wg.tensor([2.0, -1.0, -1.0]) / 9)


@pytest.mark.parametrize(
    ("module", "name"), [("beta", "Beta"), ("studentT", "StudentT"), ("relaxed_categorical", "ExpRelaxedCategorical")]
)
def test_families_are_found_in_the_modules_that_torch_has_them_in(module, name):
    found = importlib.import_module(f"wengert.distributions.{module}")
    assert found is getattr(dist, module)
    assert getattr(found, name).__module__ == found.__name__


def test_the_package_is_loaded_without_them():
    code = "import sys, wengert; sys.exit(any('distributions' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
