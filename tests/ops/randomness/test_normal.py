"""Normal numbers: of halves, about others, and of parameters that no distribution has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg


@pytest.mark.parametrize("dtype", [wg.int64, wg.bool, wg.float16, wg.float64])
def test_normal_numbers_about_halves_take_a_spread_of_any_dtype(dtype):
    wg.manual_seed(0)
    made = wg.normal(wg.zeros(2).bfloat16(), wg.ones(2).to(dtype))
    wg.manual_seed(0)
    assert made.dtype is wg.bfloat16
    assert made.tolist() == wg.normal(wg.zeros(2).bfloat16(), 1.0).tolist()


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
@pytest.mark.parametrize("count", [16, 17, 20, 40])
def test_normal_numbers_of_halves_draw_whole_blocks_only(dtype, count):
    wg.manual_seed(0)
    made = wg.randn(count, dtype=dtype)
    wg.manual_seed(0)
    whole = wg.randn(count - count % 16)
    rest = wg.randn(16) if count % 16 else whole[:0]
    assert made.equal(wg.cat([whole[: count - len(rest)], rest]).to(dtype))


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("count", [9, 4097, 8191, 8192, 8200, 20_011])
def test_normal_numbers_about_others_are_those_of_randn(count, dtype):
    mean, spread = wg.arange(count, dtype=dtype), wg.linspace(0, 2, count, dtype=dtype)
    wg.manual_seed(0)
    made = wg.normal(mean, spread)
    wg.manual_seed(0)
    assert made.equal(wg.randn(count, dtype=dtype) * spread + mean)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: wg.normal(0.0, float("nan"), (2,)),
        lambda: wg.normal(wg.zeros(2), float("nan")),
        lambda: wg.zeros(20).normal_(0, float("nan")),
        lambda: wg.normal(wg.zeros(1), wg.tensor(1j)),
        lambda: wg.zeros(2).uniform_(0, float("inf")),
        lambda: wg.zeros(2).uniform_(float("nan"), 1),
        lambda: wg.zeros(2, dtype=wg.float16).uniform_(0, 1e6),
    ],
)
def test_numbers_that_no_distribution_has_are_refused(draw: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError):
        draw()
