"""Angles: at the origin, at the ends of their domain, and where a square vanishes."""

from __future__ import annotations

import math

import pytest

import wengert as wg

ENDS = {"asin": math.inf, "acos": -math.inf, "atanh": math.inf}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("end", [1.0, -1.0])
def test_the_slope_at_the_end_of_the_domain_has_the_sign_that_it_has_inside(name: str, end: float) -> None:
    x = wg.tensor([end, end / 2], dtype=wg.float64, requires_grad=True)
    getattr(wg, name)(x).sum().backward()
    assert x.grad is not None
    assert x.grad[0].item() == ENDS[name]
    assert math.copysign(1, x.grad[1].item()) == math.copysign(1, ENDS[name])


def test_the_gradient_of_atan2_is_zero_at_the_origin():
    x, y = (wg.zeros(2, requires_grad=True) for _ in range(2))
    assert [each.tolist() for each in wg.autograd.grad(wg.atan2(x, y).sum(), [x, y])] == [[0, 0], [0, 0]]


def test_the_gradient_of_sinc_is_linear_where_the_square_vanishes():
    x = wg.tensor([1e-30, -1e-30, 0.0], requires_grad=True)
    (grad,) = wg.autograd.grad(wg.sinc(x).sum(), x)
    assert grad.tolist() == pytest.approx([-3.2898681e-30, 3.2898681e-30, 0.0], rel=1e-6, abs=0)  # -pi^2 / 3 x
