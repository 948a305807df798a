"""Transforms invert, know how they stretch, and lead where constraints want them to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as some

import wengert as wg
import wengert.distributions as dist
from wengert.distributions import biject_to, constraints, transform_to, transforms


def doubles(count):
    return some.lists(some.floats(-2.5, 2.5), min_size=count, max_size=count)


SCALARS = {
    "exp": transforms.ExpTransform(),
    "sigmoid": transforms.SigmoidTransform(),
    "tanh": transforms.TanhTransform(),
    "softplus": transforms.SoftplusTransform(),
    "affine": transforms.AffineTransform(1.0, -2.0),
    "power": transforms.ComposeTransform([transforms.ExpTransform(), transforms.PowerTransform(wg.tensor(-1.5))]),
    "normal": transforms.CumulativeDistributionTransform(dist.Normal(0.5, 2.0)),
    "compose": transforms.ComposeTransform([transforms.AffineTransform(0.1, 0.5), transforms.TanhTransform()]),
    "stack": transforms.StackTransform(
        [transforms.ExpTransform(), transforms.TanhTransform(), transforms.identity_transform]
    ),
    "cat": transforms.CatTransform([transforms.ExpTransform(), transforms.TanhTransform()], 0, [1, 2]),
}


@pytest.mark.parametrize("name", SCALARS)
@given(values=doubles(3))
@settings(max_examples=20, deadline=None)
def test_transforms_of_numbers_invert_and_know_their_slope(name, values):
    f = SCALARS[name]
    x = wg.tensor(values, dtype=wg.float64, requires_grad=True)
    y = f(x)
    assert wg.allclose(f.inv(y), x, atol=1e-6)
    (slopes,) = wg.autograd.grad(y.sum(), x)
    wanted = slopes.abs().log()
    assert wg.allclose(f.log_abs_det_jacobian(x, y), wanted, atol=1e-6)
    assert wg.allclose(f.inv.log_abs_det_jacobian(y, x), -wanted, atol=1e-6)
    if name not in ("stack", "cat"):
        assert bool((slopes.sign() == f.sign).all())
        assert bool(f.codomain.check(y).all())


@pytest.mark.parametrize("count", [1, 3])
@given(data=some.data())
@settings(max_examples=20, deadline=None)
def test_shares_of_a_stick_invert_and_know_their_volume(count, data):
    f = transforms.StickBreakingTransform()
    x = wg.tensor(data.draw(doubles(count)), dtype=wg.float64)
    y = f(x)
    assert bool(constraints.simplex.check(y))
    assert wg.allclose(f.inv(y), x, atol=1e-6)
    jacobian = wg.func.jacrev(lambda x: f(x)[:-1])(x)
    assert wg.allclose(f.log_abs_det_jacobian(x, y), wg.linalg.slogdet(jacobian)[1], atol=1e-6)
    assert f.forward_shape((5, count)) == (5, count + 1)
    assert f.inverse_shape((5, count + 1)) == (5, count)


@given(doubles(6))
@settings(max_examples=20, deadline=None)
def test_factors_of_correlations_invert_and_know_their_volume(values):
    f = transforms.CorrCholeskyTransform()
    x = wg.tensor(values, dtype=wg.float64)
    y = f(x)
    assert bool(constraints.corr_cholesky.check(y))
    assert wg.allclose(f.inv(y), x, atol=1e-5)
    rows, columns = wg.tril_indices(4, 4, -1)
    jacobian = wg.func.jacrev(lambda x: f(x)[rows, columns])(x)
    assert wg.allclose(f.log_abs_det_jacobian(x, y), wg.linalg.slogdet(jacobian)[1], atol=1e-6)
    assert f.forward_shape((2, 6)) == (2, 4, 4)
    assert f.inverse_shape((2, 4, 4)) == (2, 6)


SETS = {
    "real": constraints.real,
    "positive": constraints.positive,
    "above": constraints.greater_than(-2.0),
    "from": constraints.greater_than_eq(3.0),
    "below": constraints.less_than(-1.0),
    "unit": constraints.unit_interval,
    "between": constraints.interval(-1.0, 4.0),
    "half open": constraints.half_open_interval(0.0, 3.0),
    "simplex": constraints.simplex,
    "rows": constraints.independent(constraints.positive, 1),
    "lower": constraints.lower_cholesky,
    "definite": constraints.positive_definite,
    "semidefinite": constraints.positive_semidefinite,
    "stacked": constraints.stack([constraints.positive, constraints.real, constraints.unit_interval], -1),
    "joined": constraints.cat([constraints.positive, constraints.real], -1, [1, 2]),
}


@pytest.mark.parametrize("registry", [biject_to, transform_to], ids=["biject_to", "transform_to"])
def test_the_way_to_what_lies_above_zero_has_the_parts_of_torch(registry):
    for constraint in (constraints.positive, constraints.nonnegative, constraints.greater_than(0)):
        made = registry(constraint)
        assert [type(part).__name__ for part in made.parts] == ["ExpTransform", "AffineTransform"]
        assert made(wg.tensor([-1.0, 0.0])).tolist() == wg.tensor([-1.0, 0.0]).exp().tolist()


MATRICES = {"lower": "_LowerCholesky", "definite": "_PositiveDefinite", "semidefinite": "_PositiveSemidefinite"}


@pytest.mark.parametrize("registry", [biject_to, transform_to], ids=["biject_to", "transform_to"])
@pytest.mark.parametrize("name", SETS)
def test_registered_transforms_lead_into_the_set_and_back(registry, name):
    wg.manual_seed(0)
    if registry is biject_to and name in MATRICES:
        with pytest.raises(NotImplementedError, match=f"Cannot transform {MATRICES[name]} constraints"):
            registry(SETS[name])
        return
    f = registry(SETS[name])
    assert f.bijective or registry is transform_to
    y = f(wg.randn(5, 3, 3, dtype=wg.float64))
    assert bool(SETS[name].check(y).all())
    assert wg.allclose(f(f.inv(y)), y, atol=1e-8)


def test_what_has_no_transform_says_so():
    with pytest.raises(NotImplementedError, match="Cannot transform _Boolean constraints"):
        biject_to(constraints.boolean)


def test_a_cache_gives_back_what_went_in():
    f = transforms.TanhTransform(cache_size=1)
    x = wg.tensor([50.0])
    assert f.inv(f(x)) is x
    assert bool(transforms.TanhTransform().inv(f(x)).isinf())
    assert f.with_cache(0).inv(f(x)) is not x
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        transforms.ExpTransform(3)


def test_equal_transforms_are_equal():
    made = lambda: transforms.ComposeTransform([transforms.AffineTransform(1.0, wg.ones(2)), transforms.ExpTransform()])  # noqa: E731
    assert made() == made()
    assert made() != transforms.ExpTransform()
    assert made().inv.inv == made()
    assert transforms.ExpTransform().inv == transforms.ExpTransform().inv


def test_shapes_change_with_reshape_only_where_they_fit():
    f = transforms.ReshapeTransform((2, 3), (6,))
    assert f(wg.zeros(4, 2, 3)).shape == (4, 6)
    assert f.inv(wg.zeros(4, 6)).shape == (4, 2, 3)
    assert f.forward_shape((4, 2, 3)) == (4, 6)
    assert f.log_abs_det_jacobian(wg.zeros(4, 2, 3), wg.zeros(4, 6)).shape == (4,)
    with pytest.raises(ValueError, match="different numbers of elements"):
        transforms.ReshapeTransform((2,), (3,))
    with pytest.raises(ValueError, match="Too few dimensions"):
        f.forward_shape((6,))


def test_densities_of_transformed_samples_are_those_of_known_families():
    x = wg.tensor([0.3, 1.7])
    made = dist.TransformedDistribution(dist.Normal(0.5, 2.0), [transforms.ExpTransform()])
    assert wg.allclose(made.log_prob(x), dist.LogNormal(0.5, 2.0).log_prob(x))
    assert wg.allclose(made.cdf(x), dist.LogNormal(0.5, 2.0).cdf(x))
    assert wg.allclose(made.icdf(made.cdf(x)), x, atol=1e-5)
    rows = dist.TransformedDistribution(dist.Normal(wg.zeros(2), 1.0), transforms.StickBreakingTransform())
    assert rows.batch_shape == () and rows.event_shape == (3,)
    assert rows.expand((4,)).sample((2,)).shape == (2, 4, 3)
