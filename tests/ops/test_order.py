"""Sorting, ranks, searching and counting, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._kernels import order as kernels

NUMBERS = st.lists(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, float("nan"), float("inf")]), min_size=1, max_size=90
)
ORDINARY = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=90)


@given(NUMBERS)
def test_sorting_is_stable_both_ways_and_nan_is_the_largest(numbers):
    x = wg.tensor(numbers)
    for descending in (False, True):
        values, places = x.sort(descending=descending)
        keys = [(float("inf") if np.isnan(each) else each, np.isnan(each)) for each in numbers]
        wanted = sorted(range(len(keys)), key=lambda at: keys[at])
        if descending:
            wanted = sorted(range(len(keys)), key=lambda at: keys[at], reverse=True)
        assert places.tolist() == wanted
        np.testing.assert_array_equal(values.numpy(), x.numpy()[wanted])


@given(NUMBERS, st.data(), st.booleans())
def test_the_top_elements_are_the_first_of_the_sorted_ones(numbers, data, largest):
    k = data.draw(st.integers(0, len(numbers)))
    x = wg.tensor(numbers)
    values, places = x.topk(k, largest=largest)
    wanted = x.sort(descending=largest)
    np.testing.assert_array_equal(values.numpy(), wanted.values.numpy()[:k])
    assert places.tolist() == wanted.indices.tolist()[:k]


@given(NUMBERS, st.data())
def test_a_rank_is_a_place_among_the_sorted_elements(numbers, data):
    k = data.draw(st.integers(1, len(numbers)))
    x = wg.tensor(numbers)
    value, place = x.kthvalue(k)
    np.testing.assert_array_equal(value.numpy(), np.sort(x.numpy())[k - 1])
    np.testing.assert_array_equal(x.numpy()[place.item()], value.numpy())


@given(NUMBERS)
def test_medians_are_elements(numbers):
    x = wg.tensor(numbers)
    known = np.sort(x.numpy()[~np.isnan(x.numpy())])
    middle = known[(len(known) - 1) // 2] if len(known) else np.float32("nan")
    np.testing.assert_array_equal(x.nanmedian().numpy(), middle)
    np.testing.assert_array_equal(x.median().numpy(), middle if len(known) == len(numbers) else np.float32("nan"))
    np.testing.assert_array_equal(x.median(0).values.numpy(), x.median().numpy())
    np.testing.assert_array_equal(x.nanmedian(0).values.numpy(), middle)


@given(ORDINARY)
def test_the_mode_is_the_smallest_of_the_most_frequent_elements(numbers):
    value, place = wg.tensor(numbers).mode()
    wanted = min(set(numbers), key=lambda each: (-numbers.count(each), each))
    assert value.item() == wanted
    assert place.item() == len(numbers) - 1 - numbers[::-1].index(wanted)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(numbers=ORDINARY, fractions=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_quantiles_are_those_of_numpy(interpolation, numbers, fractions):
    x, q = wg.tensor(numbers, dtype=wg.float64), wg.tensor(fractions, dtype=wg.float64)
    wanted = np.quantile(x.numpy(), q.numpy(), method=interpolation)
    if interpolation != "nearest":  # which of two as near, torch and NumPy decide differently
        np.testing.assert_allclose(wg.quantile(x, q, interpolation=interpolation).numpy(), wanted, atol=1e-12)
    np.testing.assert_array_equal(
        wg.nanquantile(wg.cat([x, wg.tensor([float("nan")])]), q, interpolation=interpolation).numpy(),
        wg.quantile(x, q, interpolation=interpolation).numpy(),
    )


@given(ORDINARY, NUMBERS, st.booleans())
def test_places_among_sorted_elements_are_those_of_numpy(edges, values, right):
    edges = sorted(edges)
    found = wg.searchsorted(wg.tensor(edges), wg.tensor(values), right=right)
    wanted = np.searchsorted(np.array(edges), np.array(values), "right" if right else "left")
    wanted[np.isnan(values)] = len(edges)
    assert found.tolist() == wanted.tolist()
    rows = wg.searchsorted(wg.tensor([edges, edges]), wg.tensor([values, values]), right=right)
    assert rows.tolist() == [found.tolist()] * 2
    assert wg.bucketize(wg.tensor(values), wg.tensor(edges), right=right).tolist() == found.tolist()
    assert wg.bucketize(values[0], wg.tensor(edges), right=right).item() == found[0].item()


def test_searching_takes_a_row_of_edges_for_each_member_of_a_batch():
    edges = wg.tensor([[1.0, 3.0, 5.0], [0.0, 2.0, 9.0]])
    values = wg.tensor([[3.0, 4.0], [2.5, 9.5]])
    found = wg.func.vmap(wg.searchsorted)(edges, values)
    assert found.tolist() == [wg.searchsorted(*each).tolist() for each in zip(edges, values)]
    shared = wg.func.vmap(wg.searchsorted, (None, 0))(edges[0], values)
    assert shared.tolist() == wg.searchsorted(edges[0], values).tolist()


@given(NUMBERS, ORDINARY, st.booleans())
def test_membership_is_that_of_numpy(numbers, tests, invert):
    found = wg.isin(wg.tensor(numbers), wg.tensor(tests), invert=invert)
    assert found.tolist() == np.isin(numbers, tests, invert=invert).tolist()


def test_a_number_is_compared_in_the_dtype_of_the_tensor():
    x = wg.tensor([0.1, 0.7])
    assert wg.isin(x, 0.1).tolist() == [True, False]
    assert wg.searchsorted(x, 0.7).item() == wg.bucketize(0.7, x).item() == 1


@given(NUMBERS)
def test_what_is_unique_makes_the_tensor_again(numbers):
    x = wg.tensor(numbers)
    for function in (wg.unique, wg.unique_consecutive):
        found, inverse, counts = function(x, return_inverse=True, return_counts=True)
        np.testing.assert_array_equal(found.numpy()[inverse.numpy()], x.numpy())
        assert counts.tolist() == np.bincount(inverse.numpy().astype(np.intp), minlength=len(found)).tolist()
    np.testing.assert_array_equal(wg.unique(x).numpy(), np.unique(x.numpy(), equal_nan=False))


@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=1, max_size=9))
def test_unique_slices_are_those_of_numpy(rows):
    found, inverse, counts = wg.unique(wg.tensor(rows), return_inverse=True, return_counts=True, dim=0)
    wanted = np.unique(np.array(rows), axis=0, return_inverse=True, return_counts=True)
    assert found.tolist() == wanted[0].tolist()
    assert inverse.tolist() == wanted[1].reshape(-1).tolist()
    assert counts.tolist() == wanted[2].tolist()
    assert len(wg.unique(wg.tensor([[1.0, float("nan")]] * 2), dim=0)) == 2
    assert wg.unique(wg.zeros(0, 2), dim=0).shape == (0, 2)
    turned = wg.unique(wg.tensor(rows).t(), dim=1)
    assert turned.tolist() == wanted[0].T.tolist()


@given(ORDINARY, st.integers(1, 7))
def test_histograms_are_those_of_numpy(numbers, bins):
    x = wg.tensor(numbers, dtype=wg.float64)
    for limits in (None, (-1.0, 2.0)):
        hist, edges = wg.histogram(x, bins, range=limits)
        wanted, _ = np.histogram(x.numpy(), edges.numpy())
        assert hist.tolist() == wanted.tolist()
        np.testing.assert_allclose(edges.numpy(), np.histogram_bin_edges(x.numpy(), bins, limits), atol=1e-12)
    assert wg.histc(x, bins, -10, 10).sum().item() == len(numbers)
    grid = wg.histogramdd(wg.stack([x, -x], 1), [bins, 2], [-3, 3, -3, 3], density=True).hist
    wanted = np.histogramdd(np.stack([x.numpy(), -x.numpy()], 1), (bins, 2), [(-3, 3), (-3, 3)], density=True)[0]
    np.testing.assert_allclose(grid.numpy(), wanted, atol=1e-12)


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(0, 12))
def test_counts_of_integers_are_those_of_numpy(numbers, least):
    x = wg.tensor(numbers, dtype=wg.int64)
    assert wg.bincount(x, minlength=least).tolist() == np.bincount(np.array(numbers, int), minlength=least).tolist()


@given(NUMBERS)
def test_running_extremes_are_elements_so_far(numbers):
    x = wg.tensor(numbers)
    for function, accumulate in ((wg.cummax, np.maximum), (wg.cummin, np.minimum)):
        values, places = function(x, 0)
        np.testing.assert_array_equal(values.numpy(), accumulate.accumulate(x.numpy()))
        np.testing.assert_array_equal(x.numpy()[places.numpy()], values.numpy())
        assert (places.numpy() <= np.arange(len(numbers))).all()


def test_running_sums_of_exponentials_lose_nothing_to_large_ones():
    x = wg.tensor([-1e4, 0.0, 1e4, float("-inf")], dtype=wg.float64, requires_grad=True)
    y = x.logcumsumexp(0)
    assert y.tolist() == [-1e4, 0.0, 1e4, 1e4]
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([1.0, 1.0, 2.0, 0.0])
    _, tangent = wg.func.jvp(
        lambda each: each.logcumsumexp(0), (x.detach(),), (wg.tensor([1.0, -2.0, 3.0, 9.0]).double(),)
    )
    assert tangent.tolist() == pytest.approx([1.0, -2.0, 3.0, 3.0])


@pytest.mark.parametrize("name", ["sort", "topk", "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin"])
def test_values_and_indices_have_names_and_go_to_out(name):
    x = wg.tensor([[3.0, 1.0, 2.0], [1.0, 5.0, 4.0]])
    args = {"topk": (2, 0), "kthvalue": (2, 0)}.get(name, (0,))
    found = getattr(wg, name)(x, *args)
    assert type(found).__name__ == name and found.values is found[0] and found.indices is found[1]
    out = (wg.empty(0), wg.empty(0, dtype=wg.int64))
    again = getattr(wg, name)(x, *args, out=out)
    assert again.values is out[0]
    assert wg.equal(out[0], found.values) and wg.equal(out[1], found.indices)


@pytest.mark.parametrize("largest", [True, False])
def test_the_most_extreme_of_several_long_rows_come_in_order(largest):
    x = np.random.default_rng(0).normal(size=(5, 100)).astype(np.float32)
    expected = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :7]
    assert np.array_equal(kernels.top_places(x, 7, 1, largest), expected)  # where there are no native functions
    assert np.array_equal(wg.from_numpy(x).topk(7, 1, largest).indices.numpy(), expected)


def test_a_histogram_of_numbers_that_are_all_the_same_and_large() -> None:
    assert wg.histc(wg.tensor([1e30, 1e30]), 3).tolist() == [0, 2, 0]
    assert wg.histc(wg.tensor([1e30]), 1).tolist() == [1]


@given(st.integers(1, 5000), st.integers(1, 300), st.sampled_from(["float32", "float64"]), st.integers(0, 2**32))
def test_histograms_count_as_the_definition_does(count, bins, dtype, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=count).astype(dtype)
    low, high = [(0, 0), (-1, 1), (0.5, 0.5)][seed % 3]
    first, last = (x.min(), x.max()) if low == high else (x.dtype.type(low), x.dtype.type(high))
    if first == last:
        first, last = first - 1, last + 1
    inside = x[(x >= first) & (x <= last)]
    places = ((inside - first) * x.dtype.type(bins) / (last - first)).astype(int)
    expected = np.bincount(np.minimum(places, bins - 1), minlength=bins)
    assert wg.histc(wg.tensor(x), bins, low, high).tolist() == expected.tolist()


@pytest.mark.parametrize("count", [5, 1000, 50_000])
def test_histograms_of_numbers_that_are_none_are_refused_or_leave_them_out(count):
    x = wg.linspace(0, 1, count)
    x[count // 2] = float("nan")
    with pytest.raises(RuntimeError, match=r"range of .* is not finite"):
        wg.histc(x, 4)
    assert wg.histc(x, 4, 0, 1).sum().item() == count - 1
    x[0] = float("inf")
    assert wg.histc(x, 4, 0, 1).sum().item() == count - 2
    with pytest.raises(RuntimeError, match=r"range of .* is not finite"):
        wg.histc(x, 4)


@pytest.mark.parametrize("complex_numbers", [False, True])
def test_derivatives_of_logcumsumexp_along_a_gradient_of_zero(complex_numbers):
    from wengert.autograd import functional
    from wengert.func import hessian, jacfwd, jacrev, linearize

    factors = wg.tensor([2 + 1j, 1 - 1.2j, -0.3 + 0.2j] if complex_numbers else [1.0, 1.0, 1.0]).to(wg.complex128)

    def f(x):
        sums = (x * factors if complex_numbers else x).logcumsumexp(0)
        return sums.real - sums.imag if complex_numbers else sums

    def total(x):
        return (f(x) ** 2).sum()

    x, way = wg.tensor([0.7, -0.3, 0.2], dtype=wg.float64), wg.tensor([1.0, -0.4, 0.8], dtype=wg.float64)
    step = way * 1e-5
    first = ((f(x + step) - f(x - step)) / 2e-5).numpy()
    for found in (linearize(f, x)[1](way), functional.jvp(f, x, way)[1], jacrev(f)(x) @ way, jacfwd(f)(x) @ way):
        np.testing.assert_allclose(found.numpy(), first, atol=1e-8)
    second = (hessian(total)(x) @ way).numpy()
    for found in (functional.hvp(total, x, way)[1], functional.vhp(total, x, way)[1], jacrev(jacfwd(total))(x) @ way):
        np.testing.assert_allclose(found.numpy(), second, atol=1e-10)
