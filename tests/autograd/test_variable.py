"""`Variable`: how the first generation of the API put tensors into the graph; `creator`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import wengert as wg
from wengert.autograd import Variable


def test_a_variable_is_a_tensor_on_the_same_memory():
    data = wg.ones(3)
    x = Variable(data)
    assert type(x) is wg.Tensor and x is not data and x.data_ptr() == data.data_ptr()
    x[0] = 5.0
    assert data.tolist() == [5.0, 1.0, 1.0] and data._version == x._version == 1


def test_a_variable_requires_a_gradient_as_told_and_its_data_goes_on_as_before():
    data = wg.ones(3)
    assert Variable(data, requires_grad=True).requires_grad and Variable(data, True).requires_grad
    assert not Variable(data).requires_grad and not data.requires_grad
    leaf = wg.ones(3, requires_grad=True)
    assert not Variable(leaf).requires_grad and leaf.requires_grad
    assert not Variable(wg.nn.Parameter(data)).requires_grad


def test_a_variable_of_a_result_is_a_leaf():
    y = wg.ones(3, requires_grad=True) * 2
    x = Variable(y, requires_grad=True)
    assert x.is_leaf and x.grad_fn is None and x.creator is None and y.creator is not None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_variable_of_a_parameter_is_a_plain_tensor():
    assert type(Variable(wg.nn.Parameter(wg.ones(2)))) is wg.Tensor


def test_a_variable_without_data_is_empty():
    assert Variable().shape == Variable(None).shape == (0,)


@pytest.mark.parametrize("data", [[1.0], 3.0, np.ones(2), "x"], ids=["list", "number", "array", "text"])
def test_a_variable_is_made_of_tensors_only(data):
    with pytest.raises(TypeError, match=f"Variable data has to be a tensor, but got {type(data).__name__}"):
        Variable(data)


def test_a_variable_of_integers_does_not_require_a_gradient():
    assert Variable(wg.ones(2, dtype=wg.int64)).dtype is wg.int64
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        Variable(wg.ones(2, dtype=wg.int64), requires_grad=True)


def test_a_variable_may_have_a_name():
    assert Variable(wg.ones(2), name="weight").name == "weight" and Variable(wg.ones(2)).name is None
    with pytest.raises(TypeError, match="'name' must be str or None, not int"):
        Variable(wg.ones(2), name=3)


def test_every_tensor_is_an_instance_of_variable_and_nothing_else_is():
    for each in (wg.ones(1), wg.nn.Parameter(wg.ones(1)), wg.ones(1, requires_grad=True) * 2):
        assert isinstance(each, Variable)
    assert not isinstance(3.0, Variable) and not isinstance(np.ones(1), Variable)
    assert not issubclass(wg.Tensor, Variable) and inspect.isclass(Variable)


def test_variable_can_be_found_by_its_names():
    from wengert.autograd import variable

    assert variable.Variable is Variable is wg.autograd.Variable is wg.autograd.variable.Variable
    with pytest.raises(
        RuntimeError, match=r"torch.autograd.variable\(...\) is deprecated, use torch.tensor\(...\) instead"
    ):
        wg.autograd.variable(3)


def test_a_variable_of_an_inference_tensor_is_one():
    with wg.inference_mode():
        inside = wg.ones(2)
    normal = wg.ones(2)
    with wg.inference_mode():
        assert Variable(inside).is_inference() and not Variable(normal).is_inference()


def test_creator_is_the_node_that_made_a_tensor():
    x = Variable(wg.ones(2), requires_grad=True)
    y = x * 2
    assert x.creator is None and y.creator is y.grad_fn and y.creator.name() == "MulBackward0"
    assert wg.ones(2).creator is None
    view = y[:1]
    y.mul_(3)
    assert view.creator is view.grad_fn and view.creator is not None


def test_creator_cannot_be_assigned():
    with pytest.raises(AttributeError):
        wg.ones(2).creator = None


def test_the_example_of_the_seed():
    """Outputs require a gradient as soon as one input does."""
    x, y = Variable(wg.randn(5, 5)), Variable(wg.randn(5, 5))
    z = Variable(wg.randn(5, 5), requires_grad=True)
    a = x + y
    assert not a.requires_grad
    assert (a + z).requires_grad
