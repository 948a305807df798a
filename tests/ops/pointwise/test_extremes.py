"""Limits of elements: dtypes that do not hold them, truth values, and short integers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg


@settings(deadline=None)
@given(st.data())
def test_clamps_of_short_integers_are_those_of_long_ones(data):
    dtype = data.draw(st.sampled_from([wg.uint8, wg.int8, wg.int16, wg.int32]))
    low, high = wg.iinfo(dtype).min, wg.iinfo(dtype).max
    limits = [data.draw(st.none() | st.integers(low, high)) for _ in range(2)]
    if limits == [None, None]:
        limits[0] = 0
    values = data.draw(st.lists(st.integers(low, high), min_size=1, max_size=70))
    x, wanted = wg.tensor(values, dtype=dtype), wg.tensor(values).clamp(*limits).to(dtype)
    made = x.clamp(*limits)
    assert made.dtype is dtype and made.equal(wanted)
    assert x.clamp_(*limits) is x and x.equal(wanted)


TRUTH = wg.tensor([True, False, True])


@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        (lambda x: x.clamp(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp(max=False), "clamp_max_scalar_cpu"),
        (lambda x: x.clamp(False, True), "clamp_scalar_cpu"),
        (lambda x: x.clamp_min(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp_max_(True), "clamp_max_scalar_cpu"),
        (lambda x: x[:0].clamp(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp(wg.tensor(False), wg.tensor(True)), "clamp_cpu"),
    ],
)
def test_truth_values_have_no_limits(call, kernel):
    with pytest.raises(NotImplementedError, match=f"\"{kernel}\" not implemented for 'Bool'"):
        call(TRUTH.clone())
    assert TRUTH.clamp(0, 1).tolist() == [1, 0, 1]
    assert TRUTH.clamp(wg.tensor(True)).tolist() == [True] * 3


@pytest.mark.parametrize("name", ["clamp", "clamp_min", "clamp_max", "clamp_", "clamp_min_", "clamp_max_"])
@pytest.mark.parametrize(
    ("dtype", "limit"), [(wg.int8, 300), (wg.int32, 2**31), (wg.uint8, -256), (wg.float32, 1e39), (wg.float32, -1e300)]
)
def test_a_limit_that_the_dtype_does_not_hold_is_refused(name, dtype, limit):
    with pytest.raises(RuntimeError, match="without overflow"):
        getattr(wg.tensor([1, 2], dtype=dtype), name)(limit)
    assert wg.tensor([1, 2], dtype=wg.float64).clamp_max(1e39).tolist() == [1, 2]


def test_limits_that_are_not_finite_in_the_dtype_are_refused() -> None:
    with pytest.raises(RuntimeError, match="type float without overflow"):
        wg.ones(2).clamp(max=1e39)
    assert wg.ones(2).clamp(max=math.inf).tolist() == [1, 1]
