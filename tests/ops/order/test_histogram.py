"""Counts in bins, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

ORDINARY = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=90)


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


def test_bins_of_halves_are_found_by_numbers_rounded_to_halves():
    x = wg.arange(100) / 10
    assert wg.histc(x.bfloat16(), 10, 0.1, 9.7).tolist() == [10, 10, 9, 10, 9, 9, 10, 10, 10, 10]
    assert wg.histc(x.half(), 10, 0.1, 9.7).tolist() == [10, 10, 9, 10, 10, 9, 10, 9, 10, 10]


def test_a_grid_without_dimensions_has_no_bins():
    found = wg.histogramdd(wg.empty(3, 0), -1)
    assert found.hist.shape == () and found.bin_edges == ()


TABLE = wg.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("bins", [True, 4.0])
def test_a_histogram_counts_its_bins(bins):
    with pytest.raises(TypeError, match=f"bins must not be {type(bins).__name__}"):
        wg.histogram(TABLE, bins)
