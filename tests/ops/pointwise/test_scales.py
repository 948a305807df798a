"""Numbers taken apart, powers of two, and logits at the ends of their range."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg

NAN, INF = math.nan, math.inf


def test_numbers_taken_apart_and_put_together():
    x = wg.tensor([0.0, INF, NAN, -3.0, 0.1])
    parts = wg.frexp(x)
    assert parts.exponent.dtype is wg.int32 and parts.exponent.tolist() == [0, 0, 0, 2, -3]
    np.testing.assert_array_equal(wg.ldexp(parts.mantissa, parts.exponent).numpy(), x.numpy())
    out = wg.empty(5), wg.empty(5, dtype=wg.int32)
    assert wg.frexp(x, out=out)[0] is out[0] and out[1].tolist() == parts.exponent.tolist()
    assert repr(wg.frexp(wg.ones(1))).startswith("torch.return_types.frexp(\nmantissa=")
    assert wg.ldexp(wg.ones(1, dtype=wg.float16), wg.tensor([3])).dtype is wg.float16
    assert wg.ldexp(wg.tensor([3]), wg.tensor([-1])).tolist() == [1.5]


@pytest.mark.parametrize(
    ("dtypes", "strides"),
    [
        ((wg.int64, wg.int64), (50, 5, 1)),
        ((wg.float32, wg.float32), (50, 5, 1)),
        ((wg.float32, wg.int64), (10, 1, 50)),
        ((wg.complex64, wg.int32), (10, 1, 50)),
        ((wg.float64, wg.float64), (10, 1, 50)),
        ((wg.float32, wg.float64), (50, 5, 1)),
        ((wg.int64, wg.bfloat16), (50, 5, 1)),
    ],
)
def test_a_power_of_two_lies_in_rows_beside_integers_and_float32(dtypes, strides):
    x = wg.zeros(5, 10, 1, dtype=dtypes[0])
    other = wg.zeros(5, 10, 5, dtype=dtypes[1]).permute(2, 1, 0)
    assert other.stride() == (1, 5, 50)
    assert wg.ldexp(x, other).stride() == strides


def test_a_negative_limit_of_logit_is_none():
    x = wg.tensor([-1.0, 0.5, 2.0])
    for eps in (-1e-30, -0.5):
        assert wg.logit(x, eps).isnan().tolist() == wg.logit(x).isnan().tolist() == [True, False, True]


def test_the_slope_of_logit_is_positive_at_negative_zero():
    x = wg.tensor([-0.0, 0.0], requires_grad=True)
    assert wg.autograd.grad(wg.logit(x).sum(), x)[0].tolist() == [math.inf, math.inf]
