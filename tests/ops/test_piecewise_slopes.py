"""Second derivatives of activation functions in pieces of straight lines: zeros that the graph knows of."""

import pytest

import wengert as wg
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
