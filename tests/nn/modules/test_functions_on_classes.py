"""Functions on a class of modules: torch's are no methods, so they are called without the module."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert import nn
from wengert.nn import functional as F


@pytest.mark.parametrize("function", [wg.tanh, wg.selu, F.softplus, wg.softmax, wg.special.ndtr, wg.zeros_like])
def test_a_function_on_a_class_of_modules_is_no_method(function):
    given = () if function is not wg.softmax else (-1,)

    class Net(nn.Module):
        activation = function

        def forward(self, x):
            return self.activation(x, *given)

    class Further(Net, nn.Linear):
        pass

    x = wg.linspace(-1, 1, 3)
    assert wg.equal(Net()(x), function(x, *given)) and Net.activation is function
    assert wg.equal(Further(1, 1).activation(x, *given), function(x, *given))


def test_a_convolution_on_a_class_is_called_with_weights():
    class Loss(nn.modules.loss._Loss):
        conv = wg.conv2d

        def forward(self, x):
            return self.conv(x, wg.ones(1, 1, 2, 2))

    assert Loss()(wg.ones(1, 1, 2, 2)).item() == 4.0


def test_methods_of_classes_are_methods_still():
    class Net(nn.Module):
        forward = nn.Identity.forward

        def total(self, x):
            return self.forward(x).sum()

    assert Net().total(wg.ones(2)).item() == 2.0


def test_methods_that_decorators_of_the_package_have_made_are_methods_still():
    def twice(function):
        def inner(self, x):
            return function(self, function(self, x))

        return inner

    class Net(nn.Module):
        @wg.no_grad()
        @twice
        def add(self, x):
            return x + self.one

        one = 1.0
        enabled = wg.enable_grad()(twice(lambda self, x: x + self.one))

    assert Net().add(wg.ones(1)).item() == 3.0 == Net().enabled(wg.ones(1)).item()
