"""Methods that write, called as functions."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.writes.inplace import InPlaceOp
from wengert._start.names import METHODS


def test_methods_that_write_are_functions_too():
    for name in METHODS.split():
        function, method = getattr(wg, name), getattr(wg.Tensor, name)
        assert callable(function) and function is not method  # two keys of a table of functions, as in torch
        assert not isinstance(method, InPlaceOp) or function.functional is method.functional


@pytest.mark.parametrize("name", ["exp_", "detach_", "zero_"])
def test_a_function_that_writes_takes_tensors_only(name):
    with pytest.raises(TypeError, match=r"argument '(input|self)' \(position 1\) must be Tensor, not int"):
        getattr(wg, name)(2)


def test_a_function_that_writes_returns_its_argument():
    x = wg.tensor([0.5, 1.0], requires_grad=True)
    y = x * 2
    assert wg.exp_(y) is y and y.grad_fn.name() == "ExpBackward0"
    assert wg.detach_(y) is y and y.grad_fn is None
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        wg.neg_(x)
