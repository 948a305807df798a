"""The gamma function, its derivatives and relatives at their poles."""

from __future__ import annotations

import math

import pytest

import wengert as wg

FLOATS = [wg.float16, wg.bfloat16, wg.float32, wg.float64]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [1, 5000])
def test_the_logarithm_of_gamma_is_infinite_at_both_ends(dtype, count):
    x = wg.tensor([-math.inf, math.inf, 1.0, -1.0], dtype=dtype).repeat(count)
    for call in (wg.lgamma, wg.special.gammaln):
        assert call(x).tolist() == [math.inf, math.inf, 0, math.inf] * count
    assert wg.mvlgamma(x[:1], 2).item() == math.inf


def test_the_slope_of_the_multivariate_gamma_at_a_negative_zero_is_that_at_zero():
    x = wg.tensor([-0.0, 0.0], requires_grad=True)
    assert wg.autograd.grad(wg.mvlgamma(x, 2).sum(), x)[0].tolist() == [-math.inf, -math.inf]


def test_hurwitz_zeta_of_an_infinite_start_is_no_number_but_at_the_pole():
    starts = wg.full((3,), math.inf, dtype=wg.float64)
    found = wg.special.zeta(wg.tensor([2.0, 1.0, math.inf], dtype=wg.float64), starts)
    assert found.isnan().tolist() == [True, False, True] and found[1] == math.inf
    assert math.isnan(wg.special.zeta(wg.tensor(2.0), math.inf).item())
    assert wg.polygamma(1, starts).tolist() == [0, 0, 0]
