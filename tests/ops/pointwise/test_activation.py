"""Activation functions: second derivatives of pieces, zeros, limits, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import find
from wengert.nn import functional as F

FUNCTIONS = {
    "leaky_relu": (F.leaky_relu, "LeakyReluBackwardBackward0"),
    "leaky_relu_": (lambda x: F.leaky_relu_(x.clone()), "LeakyReluBackwardBackward0"),
    "hardtanh": (F.hardtanh, "HardtanhBackwardBackward0"),
    "relu6": (F.relu6, "HardtanhBackwardBackward0"),
    "hardshrink": (F.hardshrink, "HardshrinkBackwardBackward0"),
    "softshrink": (F.softshrink, "SoftshrinkBackwardBackward0"),
    "threshold": (lambda x: F.threshold(x, 0.1, 2.0), "ThresholdBackwardBackward0"),
    "relu": (F.relu, "ThresholdBackwardBackward0"),
}


@pytest.mark.parametrize(("function", "node"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_gradient_made_with_create_graph_requires_a_gradient_which_is_zero(function, node):
    x = wg.tensor([-2.0, -0.25, 0.75, 3.0], requires_grad=True)
    (slope,) = wg.autograd.grad(function(x).sum(), x)
    (found,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
    assert found.tolist() == slope.tolist()
    assert found.grad_fn.name() == node
    (second,) = wg.autograd.grad(found.pow(2).sum(), x)
    assert second.tolist() == [0.0] * 4


@pytest.mark.parametrize("function", [F.elu, F.celu, F.selu])
def test_the_second_derivative_of_elu_is_zero_at_zero(function):
    x = wg.tensor([0.0, -0.0, -1.0], requires_grad=True)
    (first,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert second.tolist()[:2] == [0, 0] and second[2] > 0.3


def test_the_slopes_of_rrelu_are_numbers():
    with pytest.raises(TypeError, match="argument 'lower' must be Number, not Tensor"):
        F.rrelu(wg.ones(2), wg.zeros(2), 1.0)


def test_the_second_derivative_of_softplus_keeps_nan():
    x = wg.tensor([math.nan, math.inf, -math.inf, 40.0], requires_grad=True)
    (slope,) = wg.autograd.grad(F.softplus(x, 2, 30).sum(), x, create_graph=True)
    found = wg.autograd.grad(slope.sum(), x)[0].tolist()
    assert math.isnan(found[0]) and found[1:] == [0.0, 0.0, 0.0]


def test_the_limits_of_hardtanh_are_cut_off_before_they_are_looked_at():
    x = wg.tensor([0, 1, 3], dtype=wg.uint8)
    assert F.hardtanh(x, -0.5, 0.5).tolist() == [0, 0, 0]
    assert F.hardtanh(x, -0.5, 2.5).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="unsigned type with negative limits"):
        F.hardtanh(x, -1.5, 2)


@pytest.mark.parametrize("alpha", [1.0, math.inf, math.nan])
@pytest.mark.parametrize("name", ["elu", "celu"])
def test_zero_stays_zero_under_exponential_units(name, alpha):
    with np.errstate(all="ignore"):
        made = find(name).body(np.array([0.0, -0.0]), alpha)
    assert made.tolist() == [0.0, 0.0] and np.signbit(made).tolist() == [False, True]


@pytest.mark.parametrize("alpha", [1.0, math.inf, math.nan])
@pytest.mark.parametrize("dtype", [wg.float16, wg.float32, wg.float64])
@pytest.mark.parametrize("function", [F.elu, F.celu])
def test_zero_stays_zero_in_every_dtype(function, dtype, alpha):
    made = function(wg.tensor([0.0, -0.0] * 20, dtype=dtype), alpha)
    assert made.tolist() == [0.0] * 40 and made.signbit().tolist() == [False, True] * 20


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_the_second_derivative_of_prelu_is_zero_at_zero(shape):
    x = wg.tensor([[0.0, 1.0, -1.0]], requires_grad=True)
    weight = wg.full(shape, 0.25, requires_grad=True)
    of_x, of_weight = wg.autograd.grad(F.prelu(x, weight).sum(), [x, weight], create_graph=True)
    assert of_x.tolist() == [[0.25, 1, 0.25]] and of_weight.sum().item() == -1
    second = wg.autograd.grad(of_x.sum() + of_weight.sum(), [x, weight])
    assert second[0].tolist() == [[0, 0, 1]] and second[1].sum().item() == 1


def test_the_second_derivative_of_a_gated_infinity_has_the_sign_of_the_gates_bend() -> None:
    x = wg.tensor([math.inf, -math.inf, 1.0, 2.0], requires_grad=True)
    (slope,) = wg.autograd.grad(wg.nn.functional.glu(x, 0).sum(), x, create_graph=True)
    (bend,) = wg.autograd.grad(slope.sum(), x)
    assert slope[2:].tolist() == [math.inf, -math.inf] and bend[2:].tolist() == [-math.inf, math.inf]


def test_random_slopes_lie_between_their_bounds_and_are_the_derivative():
    x = wg.tensor([-1.0] * 100 + [2.0] * 3, requires_grad=True)
    made = F.rrelu(x, 0.1, 0.3, training=True)
    (grad,) = wg.autograd.grad(made.sum(), x)
    assert ((grad[:100] >= 0.1) & (grad[:100] < 0.3)).all()
    assert len(set(grad[:100].tolist())) > 90
    assert made[:100].tolist() == (-grad[:100]).tolist()
    assert made[100:].tolist() == [2.0] * 3
