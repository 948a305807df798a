"""Outputs that decide in which dtype is summed and multiplied."""

from __future__ import annotations

import pytest

import wengert as wg

NAMES = ["sum", "prod", "cumsum", "cumprod"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [wg.int64, wg.uint8, wg.float16, wg.float64, wg.complex64])
def test_a_sum_is_one_of_elements_of_the_outputs_dtype(name, dtype):
    x, out = wg.tensor([1.5, 2.5, 1.5], dtype=wg.float32), wg.zeros(0, dtype=dtype)
    wanted = getattr(wg, name)(x.to(dtype), 0, dtype=dtype)
    assert getattr(wg, name)(x, 0, out=out) is out
    assert out.dtype is dtype and out.tolist() == wanted.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_a_wide_output_loses_nothing(name):
    x, out = wg.tensor([2.0**24, 1.0], dtype=wg.float32), wg.zeros(0, dtype=wg.float64)
    getattr(wg, name)(x, 0, out=out)
    assert out.reshape(-1)[-1] == (2**24 + 1 if "sum" in name else 2**24)


@pytest.mark.parametrize("name", NAMES)
def test_an_output_that_is_not_of_the_dtype_asked_for_is_refused(name):
    x, out = wg.ones(3), wg.zeros(0, dtype=wg.float64)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got double instead"):
        getattr(wg, name)(x, 0, dtype=wg.int64, out=out)
    assert out.shape == (0,)
    assert getattr(wg, name)(x, 0, dtype=wg.float64, out=out).dtype is wg.float64
