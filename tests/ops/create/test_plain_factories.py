"""Factories by their native functions beside their bodies: the same tensors, and the same errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._core.cards.card import REGISTRY

numbers = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.integers(-9, 9), st.floats(width=32), st.just(1e300)
)
rows = st.lists(numbers, max_size=4)
data = st.one_of(numbers, rows, st.lists(rows, max_size=3), st.lists(st.lists(numbers, min_size=2, max_size=2)))
lengths = st.one_of(st.integers(0, 5), st.integers(-2, 2**40), st.booleans(), st.none(), st.just(2.0))


def told(function: Any, *args: Any, **options: Any) -> Any:
    """What a factory makes, or its error."""
    try:
        made = function(*args, **options)
    except Exception as error:
        return type(error), str(error)
    array = made.numpy() if not made.requires_grad else made.detach().numpy()
    return array.dtype, array.shape, array.strides, array.tobytes(), made.requires_grad, made.is_leaf


def close(one: Any, other: Any) -> bool:
    """Whether two answers of `told` are the same but for the last bits of numbers, which powers may differ in."""
    if len(one) != len(other) or one[:3] != other[:3] or len(one) == 2:
        return one == other
    return np.allclose(np.frombuffer(one[3], one[0]), np.frombuffer(other[3], one[0]), rtol=1e-6, equal_nan=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("default", [wg.float32, wg.float64, wg.float16])
@settings(max_examples=150, deadline=None)
@given(values=data, wanted=st.booleans())
def test_numbers_and_lists_of_them_become_the_same_tensors(default: Any, values: Any, wanted: bool):
    before = wg.get_default_dtype()
    wg.set_default_dtype(default)
    try:
        options = {"requires_grad": True} if wanted else {}
        assert told(wg.tensor, values, **options) == told(REGISTRY["tensor"].body, values, **options)
    finally:
        wg.set_default_dtype(before)


@pytest.mark.parametrize("name", ["zeros", "ones"])
@settings(max_examples=150, deadline=None)
@given(sizes=st.one_of(st.lists(lengths, max_size=4), st.lists(st.lists(st.integers(0, 4), max_size=3), max_size=2)))
def test_lengths_become_the_same_tensors(name: str, sizes: list[Any]):
    if np.prod([each for each in sizes if type(each) is int and each > 0], dtype=float) > 1e6:
        return  # memory that nobody needs
    assert told(getattr(wg, name), *sizes) == told(REGISTRY[name].body, *sizes)
    assert told(getattr(wg, name), tuple(sizes)) == told(REGISTRY[name].body, tuple(sizes))


def test_new_tensors_of_inference_mode_are_inference_tensors():
    with wg.inference_mode():
        assert wg.zeros(2).is_inference() and wg.tensor(1.0).is_inference()


@pytest.mark.parametrize("name", ["rand", "randn"])
@pytest.mark.parametrize("default", [wg.float32, wg.float64, wg.float16])
@settings(max_examples=60, deadline=None)
@given(sizes=st.one_of(st.lists(st.integers(0, 5), max_size=3), st.lists(lengths, max_size=2)), seed=st.integers(0, 9))
def test_the_same_random_numbers_are_drawn(name: str, default: Any, sizes: list[Any], seed: int):
    if np.prod([each for each in sizes if type(each) is int and each > 0], dtype=float) > 1e6:
        return
    before, state = wg.get_default_dtype(), wg.get_rng_state()
    wg.set_default_dtype(default)
    try:
        found = []
        for function in (getattr(wg, name), REGISTRY[name].body):
            wg.manual_seed(seed)
            found.append([told(function, *sizes), told(function, tuple(sizes)), told(function, 2)])
        assert found[0] == found[1]
    finally:
        wg.set_default_dtype(before)
        wg.set_rng_state(state)


bounds = st.one_of(st.integers(-20, 20), st.floats(-20, 20), st.floats(), st.integers(), st.booleans())


@pytest.mark.parametrize("default", [wg.float32, wg.float64, wg.float16])
@settings(max_examples=200, deadline=None)
@given(start=bounds, end=bounds, step=bounds | st.sampled_from([0.25, 0.1, -0.5, 3]), steps=st.integers(-1, 9))
def test_ranges_are_the_same_numbers(default: Any, start: Any, end: Any, step: Any, steps: int):
    before = wg.get_default_dtype()
    wg.set_default_dtype(default)
    try:
        if step and abs(float(end) - float(start)) / abs(float(step)) < 1e5:
            assert told(wg.arange, start, end, step) == told(REGISTRY["arange"].body, start, end, step)
        if abs(float(end)) < 1e5:
            assert told(wg.arange, end) == told(REGISTRY["arange"].body, end)
        assert told(wg.linspace, start, end, steps) == told(REGISTRY["linspace"].body, start, end, steps)
        if abs(float(start)) < 300 and abs(float(end)) < 300:
            for more in ((), (2,), (0.5,), (-3.0,)):
                assert close(
                    told(wg.logspace, start, end, steps, *more),
                    told(REGISTRY["logspace"].body, start, end, steps, *more),
                )
    finally:
        wg.set_default_dtype(before)


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.one_of(st.lists(st.integers(0, 4), max_size=3), st.lists(lengths, max_size=2)),
    dtype=st.sampled_from([wg.float32, wg.float64, wg.int64, wg.bool, wg.float16]),
    value=numbers,
)
def test_new_tensors_have_the_dtype_of_another(sizes: list[Any], dtype: Any, value: Any):
    if np.prod([each for each in sizes if type(each) is int and each > 0], dtype=float) > 1e6:
        return
    x = wg.zeros(2, 3, dtype=dtype)
    for name in ("new_zeros", "new_ones"):
        assert told(getattr(x, name), *sizes) == told(REGISTRY[name].body, x, *sizes)
        assert told(getattr(x, name), sizes) == told(REGISTRY[name].body, x, sizes)
    assert told(x.new_full, sizes, value) == told(REGISTRY["new_full"].body, x, sizes, value)
    made = told(x.new_empty, *sizes)
    assert made[:3] == told(REGISTRY["new_empty"].body, x, *sizes)[:3]


positive = st.integers(-3, 40)


@settings(max_examples=150, deadline=None)
@given(
    low=st.integers(-(2**63), 2**63),
    high=st.integers(-9, 2**63),
    sizes=st.lists(st.integers(0, 5), max_size=3),
    seed=st.integers(0, 9),
)
@pytest.mark.parametrize("name", ["randint", "randperm"])
def test_the_same_integers_and_orders_are_drawn(name: str, low: int, high: int, sizes: list[int], seed: int):
    state = wg.get_rng_state()
    calls = ((high, sizes), (low, high, tuple(sizes))) if name == "randint" else ((abs(high) % 40,), (len(sizes) - 1,))
    try:
        found = []
        for function in (getattr(wg, name), REGISTRY[name].body):
            wg.manual_seed(seed)
            found.append([*[told(function, *call) for call in calls], told(wg.rand, 3)])
        assert found[0] == found[1]
    finally:
        wg.set_rng_state(state)


@settings(max_examples=100, deadline=None)
@given(
    count=st.integers(0, 40),
    dtype=st.sampled_from([wg.float32, wg.float64, wg.float16]),
    seed=st.integers(0, 9),
    odd=st.booleans(),
)
def test_the_same_numbers_are_drawn_for_tensors(count: int, dtype: Any, seed: int, odd: bool):
    state = wg.get_rng_state()
    wg.manual_seed(seed)
    p, q = wg.rand(count).to(dtype), wg.rand(count).to(dtype) - (0.1 if odd else 0)
    calls = (
        (wg.bernoulli, (p,)),
        (wg.bernoulli, (q,)),
        (wg.normal, (p, q)),
        (wg.normal, (p, 0.5)),
        (wg.normal, (0.5, p)),
    )
    try:
        found = []
        for drawn in (True, False):
            wg.manual_seed(seed)
            wg.randn(3)  # leaves a number of a pair
            cards = [REGISTRY[name] for name in ("bernoulli", "normal_about")]
            natives = [card.native for card in cards]
            for card in cards:
                card.native = card.native if drawn else None
            try:
                normal = wg.normal if drawn else REGISTRY["normal"].body
                found.append([told(normal if function is wg.normal else function, *args) for function, args in calls])
            finally:
                for card, native in zip(cards, natives):
                    card.native = native
        assert found[0] == found[1]
    finally:
        wg.set_rng_state(state)


@settings(max_examples=200, deadline=None)
@given(
    rows=positive,
    columns=positive,
    offset=st.integers(-50, 50) | st.integers(),
    default=st.sampled_from([wg.float32, wg.float64, wg.float16]),
)
def test_matrices_of_ones_and_places_of_triangles_are_the_same(rows: int, columns: int, offset: int, default: Any):
    before = wg.get_default_dtype()
    wg.set_default_dtype(default)
    try:
        for size in ((rows,), (rows, columns), (rows, None)):
            assert told(wg.eye, *size) == told(REGISTRY["eye"].body, *size)
        for name in ("tril_indices", "triu_indices"):
            assert told(getattr(wg, name), rows, columns) == told(REGISTRY[name].body, rows, columns)
            assert told(getattr(wg, name), rows, columns, offset) == told(REGISTRY[name].body, rows, columns, offset)
    finally:
        wg.set_default_dtype(before)
