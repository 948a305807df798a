"""Slopes at the ends of a function's domain, where they are infinite, and which side of infinity they lie on."""

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


def test_the_reflected_difference_called_by_name_is_recorded_as_such() -> None:
    x, y = wg.ones(2, requires_grad=True), wg.zeros(2)
    assert wg.Tensor.__rsub__(x, y).grad_fn.name() == "RsubBackward0"
    assert (y - wg.nn.Parameter(wg.ones(2))).grad_fn.name() == "SubBackward0"
    assert wg.Tensor.__rsub__(x, y).tolist() == [-1, -1]


def test_the_second_derivative_of_a_gated_infinity_has_the_sign_of_the_gates_bend() -> None:
    x = wg.tensor([math.inf, -math.inf, 1.0, 2.0], requires_grad=True)
    (slope,) = wg.autograd.grad(wg.nn.functional.glu(x, 0).sum(), x, create_graph=True)
    (bend,) = wg.autograd.grad(slope.sum(), x)
    assert slope[2:].tolist() == [math.inf, -math.inf] and bend[2:].tolist() == [-math.inf, math.inf]
