"""Differences, integrals, statistics and combinations, beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

NUMBERS = st.floats(-8, 8, width=16)


def tables(rows: int = 4, columns: int = 5):
    """Small tables of numbers."""
    return st.integers(1, rows).flatmap(
        lambda height: st.integers(1, columns).flatmap(
            lambda width: st.lists(
                st.lists(NUMBERS, min_size=width, max_size=width), min_size=height, max_size=height
            ).map(lambda table: wg.tensor(table, dtype=wg.float64))
        )
    )


@given(tables(), st.integers(0, 6), st.integers(-2, 1))
def test_differences_are_those_of_numpy(x, n, dim):
    np.testing.assert_array_equal(x.diff(n, dim).numpy(), np.diff(x.numpy(), n, dim))
    np.testing.assert_array_equal(
        x.diff(max(n, 1), dim, prepend=x, append=x).numpy(),
        np.diff(x.numpy(), max(n, 1), dim, prepend=x.numpy(), append=x.numpy()),
    )


@given(st.integers(1, 2), st.lists(st.floats(0.25, 2, width=16), min_size=3, max_size=6), st.data())
def test_gradients_are_those_of_numpy(order, steps, data):
    values = wg.tensor(data.draw(st.lists(NUMBERS, min_size=len(steps), max_size=len(steps))), dtype=wg.float64)
    places = wg.tensor(steps, dtype=wg.float64).cumsum(0)
    for spacing, wanted in ((None, 1.0), (0.5, 0.5), ([places], places.numpy())):
        (found,) = wg.gradient(values, spacing=spacing, edge_order=order)
        np.testing.assert_allclose(found.numpy(), np.gradient(values.numpy(), wanted, edge_order=order), atol=1e-9)


@given(tables(), st.integers(-2, 1))
def test_integrals_are_those_of_numpy(y, dim):
    integrate = getattr(np, "trapezoid", None) or np.trapz
    x = wg.arange(y.shape[dim], dtype=wg.float64).square()
    for ours, theirs in (({"dx": 0.5}, {"dx": 0.5}), ({"x": x}, {"x": x.numpy()})):
        wanted = integrate(y.numpy(), axis=dim, **theirs)
        np.testing.assert_allclose(wg.trapezoid(y, dim=dim, **ours).numpy(), wanted, atol=1e-9)
        running = wg.cumulative_trapezoid(y, dim=dim, **ours)
        if running.numel():
            np.testing.assert_allclose(running.select(dim, -1).numpy(), wanted, atol=1e-9)


@pytest.mark.filterwarnings("ignore:cov.. degrees of freedom", "ignore:Degrees of freedom", "ignore:invalid value")
@given(tables(3, 6), st.integers(0, 1), st.data())
def test_covariances_are_those_of_numpy(x, correction, data):
    count = x.shape[1]
    often = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    much = data.draw(st.lists(st.floats(0.5, 2), min_size=count, max_size=count))
    weights = {"fweights": np.array(often), "aweights": np.array(much)}
    if sum(often) > 2:
        found = wg.cov(x, correction=correction, **{name: wg.tensor(each) for name, each in weights.items()})
        np.testing.assert_allclose(found.numpy(), np.cov(x.numpy(), ddof=correction, **weights), atol=1e-8)
    if count > 2 and (x.numpy().std(1) > 0.1).all():
        np.testing.assert_allclose(wg.corrcoef(x).numpy(), np.corrcoef(x.numpy()), atol=1e-8)


@given(tables(5, 3), st.integers(-5, 5))
def test_what_is_turned_and_what_lies_on_diagonals_is_that_of_numpy(x, k):
    np.testing.assert_array_equal(x.rot90(k).numpy(), np.rot90(x.numpy(), k))
    assert wg.trace(x).item() == pytest.approx(np.trace(x.numpy()))
    blocks = wg.block_diag(x, x.t())
    np.testing.assert_array_equal(blocks[: len(x), : x.shape[1]].numpy(), x.numpy())
    assert blocks.shape == (sum(x.shape), sum(x.shape)) and blocks.count_nonzero() == 2 * x.count_nonzero()


@given(st.integers(0, 5), st.integers(0, 4), st.booleans())
def test_combinations_are_those_of_itertools(count, r, again):
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    found = wg.combinations(wg.arange(count), r, again)
    assert found.tolist() == ([list(each) for each in choose(range(count), r)] if r else [])
    grid = wg.cartesian_prod(wg.arange(count), wg.arange(2), wg.arange(r))
    assert grid.tolist() == [list(each) for each in itertools.product(range(count), range(2), range(r))]


@given(tables(3, 3).filter(lambda x: x.shape[1] == 3))
def test_cross_products_are_those_of_numpy(x):
    other = x.flip(0) + 1
    np.testing.assert_allclose(wg.cross(x, other, dim=1).numpy(), np.cross(x.numpy(), other.numpy()), atol=1e-9)


@given(tables(), st.sampled_from([1, 2, 3, float("inf")]), st.integers(-2, 1))
def test_no_slice_is_longer_than_its_limit(x, p, dim):
    found = wg.renorm(x, p, dim, 2.0)
    lengths = np.linalg.norm(found.numpy(), p, axis=1 - dim % 2)
    assert (lengths <= 2 + 1e-9).all()
    before = np.linalg.norm(x.numpy(), p, axis=1 - dim % 2)
    np.testing.assert_allclose(lengths, np.minimum(before, 2), atol=1e-6)


def test_parts_that_are_no_views_share_memory_but_no_versions():
    x = wg.arange(4.0, requires_grad=True)
    first, second = x.unsafe_split(2)
    assert not first._is_view() and first.data_ptr() == x.data_ptr()
    assert (first.grad_fn.name(), second.grad_fn.name()) == ("UnsafeSplitBackward0",) * 2
    (first * second).sum().backward()
    assert x.grad.tolist() == [2.0, 3.0, 0.0, 1.0]


def test_a_copy_of_a_view_is_no_view():
    x = wg.ones(2, 3, requires_grad=True)
    for made, name in (
        (wg.permute_copy(x, (1, 0)), "PermuteBackward0_copy"),
        (wg.expand_copy(x, (2, 2, 3)), "ExpandBackward0_copy"),
        (wg.view_copy(x, (6,)), "ViewBackward0_copy"),
        (wg.split_copy(x, 1)[1], "SplitBackward0_copy"),
        (wg.split_with_sizes_copy(x, [1, 1])[1], "SplitWithSizesBackward0_copy"),
        (wg.squeeze_copy(x, 0), "SqueezeBackward1_copy"),
    ):
        assert not made._is_view() and made.is_contiguous() and made.grad_fn.name() == name
        (slope,) = wg.autograd.grad(made.sum(), x)
        assert slope.sum().item() == made.numel()


def test_torchs_inclusive_range_warns():
    with pytest.warns(UserWarning, match=r"torch.range is deprecated"):
        assert wg.range(1, 2, 0.5).tolist() == [1.0, 1.5, 2.0]
    with pytest.warns(UserWarning):
        assert wg.range(3, 1, -1, dtype=wg.int64).tolist() == [3, 2, 1]


def test_memory_in_a_given_order_of_dimensions():
    assert wg.empty_permuted((2, 3, 4), (1, 0, 2)).stride() == (4, 8, 1)


def test_places_along_a_dimension_count_on_from_the_other_end():
    x = wg.arange(6.0).view(3, 2)
    assert wg.take_along_dim(x, wg.tensor([[-1, 4]]), 0).tolist() == [[4.0, 3.0]]


def test_no_differences_are_a_copy_whatever_the_dimension():
    x = wg.tensor([1.0, 2.0])
    made = wg.diff(x, 0, 9)
    assert made.tolist() == [1, 2] and made is not x


def test_trapz_takes_truth_values_for_numbers_which_no_other_integral_does():
    y = wg.tensor([1.0, 3.0])
    assert wg.trapz(y, dx=True).item() == 2 and wg.trapz(y, dx=False).item() == 0
    with pytest.raises(RuntimeError, match="only support dx as a real number"):
        wg.trapezoid(y, dx=True)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.trapz(y, dx=2j)
