"""Native order, search and indexing of many elements beside the bodies of their cards, for any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import _kernels
from wengert._core.cards.card import REGISTRY
from wengert._kernels import order

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there are no native functions beside the bodies")
Draw = Callable[[Any], Any]
DTYPES = ["float16", "float32", "float64", "bool", "uint8", "int8", "int16", "int32", "int64", "complex64"]
ORDERED = DTYPES[:-1]
SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5]
SHAPES = st.sampled_from(
    [(1,), (7,), (49,), (300,), (40_000,), (70, 65), (64, 44), (16, 64), (3, 700, 2), (40, 1, 33), (5, 20, 17)]
)


def values(draw: Draw, shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers with ties, of floating point also special ones, of integers also the outermost."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(shape) > 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        narrow = draw(st.booleans())
        low, high = (max(info.min, -50), 50) if narrow else (info.min, info.max)
        return random.integers(low, high, shape, dtype, endpoint=True)
    found = (random.normal(size=shape) * 3).astype(dtype)
    flat = found.reshape(-1)
    some = random.integers(0, flat.size, flat.size // 4)
    flat[some] = random.choice(SPECIAL, some.size)
    return found


@contextmanager
def bodies(*names: str) -> Iterator[None]:
    """The bodies of cards and rules, without their native functions."""
    cards = [REGISTRY[name] for name in names]
    kept = [(card, card.native, [rule.native for rule in card.rules]) for card in cards]
    try:
        for card in cards:
            card.native = None
            for rule in card.rules:
                rule.native = None
        yield
    finally:
        for card, function, rules in kept:
            card.native = function
            for rule, native in zip(card.rules, rules):
                rule.native = native


def agree(call: Callable[[], Any], *names: str) -> None:
    """The same results with the native functions, on one thread and on several, as with the bodies alone."""
    with bodies(*names):
        wanted = listed(call())
    threads = wg.get_num_threads()
    try:
        for count in (1, 3):
            wg.set_num_threads(count)
            found = listed(call())
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted):
                assert one.dtype == other.dtype and one.shape == other.shape
                assert np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    finally:
        wg.set_num_threads(threads)


def listed(found: Any) -> list[Any]:
    """Tensors as arrays."""
    return [each.detach().numpy() for each in (found if isinstance(found, (tuple, list)) else (found,))]


def axis(draw: Draw, shape: tuple[int, ...]) -> int:
    return draw(st.integers(-len(shape), len(shape) - 1))


@given(st.data(), SHAPES, st.sampled_from(ORDERED), st.booleans())
@settings(deadline=None)
def test_sorting_keeps_the_order_of_equals(data, shape, dtype, descending):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    dim = axis(data.draw, shape)
    agree(lambda: x.sort(dim, descending), "sort_along")


@given(st.data(), SHAPES, st.sampled_from([each for each in ORDERED if each != "bool"]), st.booleans())
@settings(deadline=None)
def test_the_most_extreme_are_the_first_of_equals(data, shape, dtype, largest):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    dim = axis(data.draw, shape)
    count = data.draw(st.integers(1, min(shape[dim], 100)))
    agree(lambda: x.topk(count, dim, largest), "topk_along")


@pytest.mark.parametrize("name", ["median_along", "nanmedian_along", "mode_along", "kthvalue_along"])
@given(st.data(), SHAPES, st.sampled_from(["float32", "float64", "int64"]), st.booleans())
@settings(deadline=None)
def test_elements_of_a_rank_are_those_of_the_body(name, data, shape, dtype, keepdim):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    dim = axis(data.draw, shape)
    rank = [data.draw(st.integers(1, shape[dim]))] if name == "kthvalue_along" else []
    agree(lambda: REGISTRY[name](x, *rank, dim, keepdim), name)


@pytest.mark.parametrize("name", ["median_full", "nanmedian_full"])
@given(st.data(), SHAPES, st.sampled_from(["float32", "float64", "int64"]))
@settings(deadline=None)
def test_medians_of_all_are_those_of_the_body(name, data, shape, dtype):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    agree(lambda: REGISTRY[name](x), name)


@pytest.mark.parametrize("instructions", ["baseline", "avx2"])
def test_elements_stand_in_order_on_other_instructions(pass_on, instructions):
    pass_on(instructions, test_sorting_keeps_the_order_of_equals, test_elements_of_a_rank_are_those_of_the_body)


LINES = {
    "rising": np.arange,
    "falling": lambda count: np.arange(count)[::-1],
    "to the middle and back": lambda count: np.minimum(np.arange(count), np.arange(count)[::-1]),
    "in waves": lambda count: np.arange(count) % 7,
    "alike but for one": lambda count: np.arange(count) == count // 3,
    "far out in the sample": lambda count: (np.arange(count) % max(count // 64, 1) == 0) * 1e6 + np.arange(count),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("line", LINES)
def test_ranks_of_lines_that_no_sample_stands_for(line, dtype):
    for count in (255, 256, 257, 1000, 4096):
        x = LINES[line](count).astype(dtype)
        ordered = np.sort(x)
        for rank in {1, 2, count // 64 + 1, count // 4, (count + 1) // 2, count - 9, count}:
            value, place = wg.from_numpy(x).kthvalue(rank)
            assert value == ordered[rank - 1] and place == np.flatnonzero(x == ordered[rank - 1])[0]
        assert wg.from_numpy(x).median() == ordered[(count - 1) // 2]


def test_a_long_row_is_sorted_by_several_threads_as_by_one():
    random = np.random.default_rng(0)
    for dtype in (np.float32, np.int64):
        x = wg.from_numpy((random.normal(size=400_000) * 1000).astype(dtype))
        agree(lambda x=x: x.sort(), "sort_along")


@given(st.data(), SHAPES, st.sampled_from(ORDERED), st.booleans())
@settings(deadline=None)
def test_distinct_elements_are_those_of_the_body(data, shape, dtype, consecutive):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    call = wg.unique_consecutive if consecutive else wg.unique
    agree(lambda: call(x, return_inverse=True, return_counts=True), "_unique")


@given(st.data(), SHAPES, st.sampled_from(["float32", "float64", "int32", "int64"]), st.booleans(), st.booleans())
@settings(deadline=None)
def test_positions_in_sorted_numbers_are_those_of_the_body(data, shape, dtype, right, short):
    x = values(data.draw, shape, dtype)
    length = data.draw(st.integers(1, 70))
    rows = data.draw(st.booleans())
    edges = np.sort(values(data.draw, (*shape[:-1], length) if rows else (length,), dtype))
    call = lambda: wg.searchsorted(wg.from_numpy(edges), wg.from_numpy(x), right=right, out_int32=short)  # noqa: E731
    agree(call, "_searchsorted")


@given(st.data(), SHAPES, st.sampled_from(["float32", "float64", "int32", "int64"]))
@settings(deadline=None)
def test_running_extremes_are_those_of_the_body(data, shape, dtype):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    dim = axis(data.draw, shape)
    agree(lambda: [*x.cummax(dim), *x.cummin(dim)], "cummax_along", "cummin_along")


@given(st.integers(0, 1000), st.integers(1, 50_000), st.integers(1, 3000), st.integers(0, 100))
@settings(deadline=None)
def test_integers_are_counted_as_by_the_body(seed, count, below, least):
    x = wg.from_numpy(np.random.default_rng(seed).integers(0, below, count))
    agree(lambda: x.bincount(minlength=least), "bincount")


@given(st.data(), SHAPES, st.sampled_from(DTYPES))
@settings(deadline=None)
def test_masks_pick_and_place_as_the_bodies_do(data, shape, dtype):
    x = wg.from_numpy(values(data.draw, shape, dtype))
    mask = wg.from_numpy(values(data.draw, shape, "bool"))
    source = wg.from_numpy(values(data.draw, shape, dtype))
    names = "index", "masked_select", "masked_scatter", "index_put", "nonzero_positions"
    agree(lambda: [x[mask], x.masked_select(mask), x.masked_scatter(mask, source), mask.nonzero()], *names)
    agree(lambda: [x.index_put((mask,), source[mask]), x.index_put((mask,), source.reshape(-1)[0])], "index_put")


@given(st.data(), SHAPES, st.sampled_from(["float32", "float64"]))
@settings(deadline=None)
def test_gradients_under_masks_are_those_of_the_rules(data, shape, dtype):
    x = wg.from_numpy(values(data.draw, shape, dtype)).requires_grad_()
    mask = wg.from_numpy(values(data.draw, shape, "bool"))
    grad = wg.from_numpy(values(data.draw, (int(mask.sum()),), dtype) if mask.any() else np.zeros(0, dtype))
    names = "index", "masked_select", "masked_select_backward"
    agree(lambda: wg.autograd.grad(x[mask], x, grad), *names)
    agree(lambda: wg.autograd.grad(x.masked_select(mask), x, grad), *names)


@given(st.data(), SHAPES, st.sampled_from(DTYPES), st.integers(0, 1000))
@settings(deadline=None)
def test_elements_are_gathered_and_scattered_as_the_bodies_do(data, shape, dtype, seed):
    x, source = (wg.from_numpy(values(data.draw, shape, dtype)) for _ in range(2))
    dim = axis(data.draw, shape)
    random = np.random.default_rng(seed)
    index = wg.from_numpy(random.integers(0, shape[dim], shape))
    apart = wg.from_numpy(np.argsort(random.random(shape), dim))
    agree(lambda: [x.gather(dim, index), x.scatter(dim, apart, source), x.scatter(dim, index, 0)], "gather", "scatter")
    rows = index.reshape(-1)[: shape[dim]]
    agree(lambda: x.index_select(dim, rows), "index_select")


@given(st.data(), SHAPES, st.sampled_from(["float32", "float64"]), st.integers(0, 1000))
@settings(deadline=None)
def test_elements_are_combined_as_the_bodies_do(data, shape, dtype, seed):
    x, source = (wg.from_numpy(np.nan_to_num(values(data.draw, shape, dtype), posinf=9, neginf=-9)) for _ in range(2))
    dim = axis(data.draw, shape)
    index = wg.from_numpy(np.random.default_rng(seed).integers(0, shape[dim], shape))
    for reduce in ("sum", "amax", "amin"):
        agree(lambda reduce=reduce: x.scatter_reduce(dim, index, source, reduce), "scatter_reduce")
    agree(lambda: x.scatter_add(dim, index, source), "scatter_add")
    first = index.reshape(-1)[: shape[0]].remainder(shape[0])
    agree(lambda: x.index_put((first,), source, accumulate=True), "index_put")
    rows = index.reshape(-1)[: shape[dim]]
    agree(lambda: x.index_add(dim, rows, source), "index_add")


@pytest.mark.parametrize("outside", [-1, 40, 2**62])
def test_places_outside_are_refused_as_by_the_bodies(outside):
    x = wg.ones(40, 40)
    index = wg.zeros(40, 40, dtype=wg.int64)
    index[39, 39] = outside
    for call in (
        lambda: x.gather(0, index),
        lambda: x.scatter(1, index, x),
        lambda: x.scatter_reduce(1, index, x, "amax"),
        lambda: x.index_select(1, index[39]),
        lambda: x.index_add(1, index[39], x),
    ):
        with pytest.raises((RuntimeError, IndexError), match="out of"):
            call()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_mode_of_many_long_rows_is_that_of_each(dtype, threads):
    values = np.random.default_rng(4).integers(0, 40, (60, 500)).astype(dtype)
    if dtype != "i8":
        values[3, :490] = np.nan
        values[4, ::2] = -0.0
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        found, places = wg.tensor(values).mode(1)
    finally:
        wg.set_num_threads(before)
    expected, where = order.mode(values, 1)
    np.testing.assert_array_equal(found.numpy(), expected[:, 0])
    np.testing.assert_array_equal(places.numpy(), where[:, 0])
