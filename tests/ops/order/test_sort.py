"""Sorting and ranks, beside NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._kernels import order as kernels
from wengert.func import vmap

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


def test_the_mode_is_nan_only_where_nothing_else_is():
    nan = math.nan
    for values, mode, index in (
        ([nan, 1.0, nan, 2.0], 1.0, 1),
        ([nan, 1.0, 1.0], 1.0, 2),
        ([2.0, nan, nan, nan, 1.0, 1.0], 1.0, 5),
    ):
        found = wg.tensor(values).mode()
        assert (found.values, found.indices) == (mode, index)
        batched = vmap(lambda x: tuple(x.mode()))(wg.tensor([values]))
        assert (batched[0][0], batched[1][0]) == (mode, index)
    assert wg.tensor([nan, nan]).mode().values.isnan()


def test_none_stands_for_a_sort_without_wish_but_for_no_bool():
    assert wg.tensor([2, 1]).sort(stable=None).indices.tolist() == [1, 0]
    with pytest.raises(TypeError, match="must be bool, not NoneType"):
        wg.tensor([2, 1]).argsort(stable=None)


@pytest.mark.parametrize("dtype", [wg.bool, wg.complex64, wg.uint16])
def test_a_single_number_is_in_order_whatever_it_is(dtype):
    value, place = wg.ones((), dtype=dtype).kthvalue(1)
    assert value.dtype is dtype and place == 0
    with pytest.raises(NotImplementedError, match="kthvalue_cpu"):
        wg.ones(1, dtype=dtype).kthvalue(1)
