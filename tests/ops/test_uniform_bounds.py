"""Uniform numbers are below their upper end, whatever the dtype rounds to."""

from __future__ import annotations

import pytest

import wengert as wg

HALVES = (wg.bfloat16, wg.float16)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_number_that_rounds_to_the_upper_end_becomes_the_lower_one(dtype: wg.dtype) -> None:
    generator = wg.manual_seed(0)
    drawn = wg.rand(20000, dtype=dtype)
    assert drawn.max() < 1
    exact = wg.rand(20000, generator=generator.manual_seed(0))
    rounded = exact.to(dtype)
    assert (rounded == 1).any()
    assert wg.equal(drawn, wg.where(rounded == 1, 0, rounded))


@pytest.mark.parametrize("dtype", (*HALVES, wg.float32, wg.float64))
def test_a_range_stays_half_open_where_numbers_are_coarse(dtype: wg.dtype) -> None:
    wg.manual_seed(0)
    step = wg.finfo(dtype).eps
    drawn = wg.empty(1000, dtype=dtype).uniform_(1.0, 1.0 + step)
    assert drawn.unique().tolist() == [1.0]


def test_a_range_of_no_length_gives_its_one_number() -> None:
    assert wg.empty(3).uniform_(2.5, 2.5).tolist() == [2.5, 2.5, 2.5]
