"""Native running sums and products: along any axis, of any length, for any number of threads."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

LONG = (200_003,)
"""More than the pieces that long rows are cut into."""


def expected_of(name: str, x: np.ndarray, axis: int) -> np.ndarray:
    wide = x.astype(np.float64)
    if name == "cumsum_reversed":
        return np.flip(np.cumsum(np.flip(wide, axis), axis), axis)
    return (np.cumsum if name == "cumsum" else np.cumprod)(wide, axis)


def scan(native, name: str, x: np.ndarray, axis: int) -> np.ndarray:
    return getattr(native, f"direct_{name}")(x, axis, *([] if name == "cumsum_reversed" else [None]))


shapes = st.one_of(
    st.tuples(st.integers(1, 40)),
    st.tuples(st.integers(1, 9), st.integers(1, 40), st.integers(1, 5)),
    st.just(LONG),
    st.just((1030, 7)),
    st.just((3, 70_000)),
    st.just((2, 5, 1100)),
)


@pytest.mark.parametrize("name", ["cumsum", "cumsum_reversed", "cumprod"])
@hypothesis.given(
    data=st.data(), shape=shapes, dtype=st.sampled_from([np.float32, np.float64]), seed=st.integers(0, 99)
)
@hypothesis.settings(
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)
def test_running_totals_agree_with_those_in_double(native, name, data, shape, dtype, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    draws = np.random.default_rng(seed).normal(size=shape)
    x = (1 + draws / shape[axis] if name == "cumprod" else draws).astype(dtype)
    expected = expected_of(name, x, axis)
    made = scan(native, name, x, axis)
    assert made.dtype == dtype and made.shape == shape
    scale = np.abs(expected).max() * np.sqrt(shape[axis])  # roundings that do not all point one way
    np.testing.assert_allclose(made, expected, atol=scale * (1e-6 if dtype == np.float32 else 1e-14))


def test_the_error_of_a_long_running_sum_does_not_grow_with_its_length(native):
    x = np.full(3_000_001, 0.1, np.float32)
    exact = np.float64(np.float32(0.1)) * np.arange(1, x.size + 1)
    assert np.max(np.abs(native.direct_cumsum(x, 0, None) - exact) / exact) <= 5e-7


@pytest.mark.parametrize("name", ["cumsum", "cumsum_reversed", "cumprod"])
@pytest.mark.parametrize("length", [20, 200_003])
def test_infinities_and_nan_reach_what_comes_after_them_only(native, name, length):
    x = np.ones(length, np.float32)
    x[length // 2] = np.nan
    made = scan(native, name, x, 0)
    touched = slice(None, length // 2 + 1) if name == "cumsum_reversed" else slice(length // 2, None)
    assert np.isnan(made[touched]).all()
    assert np.isnan(made).sum() == made[touched].size


@pytest.mark.parametrize("shape", [LONG, (300, 501), (1030, 7), (2, 70_000)])
def test_running_totals_are_equal_to_the_bit_for_any_number_of_threads(native, shape):
    before = native.get_num_threads()
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    try:
        results = []
        for count in (1, 2, 5):
            native.set_num_threads(count)
            results.append([scan(native, name, x, axis) for name in ("cumsum", "cumsum_reversed") for axis in (0, -1)])
    finally:
        native.set_num_threads(before)
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 5), (1, 4)])
def test_sums_of_integers_wrap_around_as_numpy_s(native, shape):
    x = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, shape)
    for axis in range(-x.ndim, x.ndim):
        np.testing.assert_array_equal(native.direct_cumsum(x, axis, None), np.cumsum(x, axis))


def test_what_it_does_not_know_is_left_to_numpy(native):
    x = np.ones((3, 4), np.float32)
    for args in ((x, 2, None), (x, 0, np.float64), (x.astype(np.uint64), 0, np.int8), (x[:0], 0, None)):
        assert native.direct_cumsum(*args) is NotImplemented


@pytest.mark.parametrize(
    ("shape", "axis"), [((70001,), 0), ((3, 2500, 5), 1), ((2, 40, 1500), 1), ((200, 300), 1), ((4, 1, 3), 0)]
)
def test_sums_of_integers_wrap_around(native, shape, axis, random):
    x = random.integers(-(2**63), 2**63, shape)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(native.direct_cumsum(x, axis, None), np.cumsum(x, axis))
