"""Bounds on gradients."""

import math

import pytest

import wengert as wg
from wengert.nn import Parameter
from wengert.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    get_total_norm,
)


def with_gradients(*gradients):
    parameters = []
    for gradient in gradients:
        parameters.append(Parameter(wg.zeros(len(gradient))))
        parameters[-1].grad = wg.tensor(gradient)
    return parameters


def test_gradients_that_are_too_long_are_scaled_together():
    parameters = with_gradients([3.0, 0.0], [4.0])
    assert clip_grad_norm_(parameters, 1.0).item() == 5.0
    assert parameters[0].grad.tolist() == pytest.approx([0.6, 0.0], rel=1e-6)
    assert parameters[1].grad.tolist() == pytest.approx([0.8], rel=1e-6)
    assert clip_grad_norm_(parameters, 10.0).item() == pytest.approx(1.0, rel=1e-6)
    assert parameters[1].grad.tolist() == pytest.approx([0.8], rel=1e-6)


@pytest.mark.parametrize(("order", "norm"), [(1, 7.0), (2, 5.0), (3, 91 ** (1 / 3)), (math.inf, 4.0)])
def test_the_norm_may_have_any_order(order, norm):
    assert get_total_norm([each.grad for each in with_gradients([3.0], [-4.0])], order).item() == pytest.approx(norm)


@pytest.mark.parametrize(
    ("order", "norm"),
    [(0.5, (3**0.5 + 2) ** 2), (-math.inf, 3.0), (-1, 12 / 7), (0, 2.0), (1.5, (27**0.5 + 8) ** (2 / 3))],
)
def test_an_order_below_one_or_negative_clips_too(order, norm):
    parameters = with_gradients([3.0, 0.0] if order >= 0 else [3.0], [-4.0])
    assert clip_grad_norm_(parameters, 1.0, norm_type=order).item() == pytest.approx(norm, rel=1e-6)
    assert parameters[0].grad[0].item() == pytest.approx(3 / norm, rel=1e-5)
    zeros = with_gradients([0.0], [1.0])
    assert clip_grad_norm_(zeros, 1.0, norm_type=order).item() == (1.0 if order >= 0 else 0.0)


def test_the_norm_has_the_dtype_that_all_are_promoted_to():
    parameters = with_gradients([3.0, 4.0], [1.0])
    parameters[1].data = wg.zeros(1, dtype=wg.float64)
    parameters[1].grad = wg.ones(1, dtype=wg.float64)
    assert clip_grad_norm_(parameters, 1.0).dtype == wg.float64
    assert parameters[0].grad.dtype == wg.float32
    with pytest.raises(RuntimeError, match="on an empty tensor because the operation does not have an identity"):
        clip_grad_norm_(with_gradients([], [1.0]), 1.0, math.inf)


def test_no_gradients_have_norm_zero_and_one_tensor_will_do():
    assert clip_grad_norm_([Parameter(wg.ones(2))], 1.0).item() == 0
    assert clip_grad_norm_([], 1.0).item() == 0
    parameter = with_gradients([3.0])[0]
    clip_grad_norm_(parameter, 1.5)
    assert parameter.grad.tolist() == pytest.approx([1.5], rel=1e-6)


def test_a_norm_that_is_not_finite_is_refused_on_demand_only():
    parameters = with_gradients([math.nan, 1.0])
    with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
        clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)
    assert parameters[0].grad[1].item() == 1
    clip_grad_norm_(parameters, 1.0)
    assert math.isnan(parameters[0].grad[1].item())


def test_gradients_are_cut_value_by_value():
    parameters = with_gradients([3.0, -0.5, -7.0])
    clip_grad_value_(parameters, 1)
    assert parameters[0].grad.tolist() == [1.0, -0.5, -1.0]
