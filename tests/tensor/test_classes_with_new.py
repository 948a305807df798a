"""Classes of tensors that a program derives and that say in `__new__` what their constructor takes, as torch's do."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as wg
from wengert import nn


class Named(wg.Tensor):
    """Values by the constructor of Tensor; `__init__` is left with the rest and calls no other."""

    def __new__(cls, values, label="", **options):
        return super().__new__(cls, values, **options)

    def __init__(self, values, label=""):
        self.label = label


class Sharing(wg.Tensor):
    """The memory of another tensor."""

    def __new__(cls, values, label=""):
        made = wg.Tensor._make_subclass(cls, values, values.requires_grad)
        made.label = label
        return made


class Viewing(wg.Tensor):
    """A recorded view."""

    def __new__(cls, values, label=""):
        made = wg.as_tensor(values).as_subclass(cls)
        made.label = label
        return made


class Begun(wg.Tensor):
    """Values by the constructor of Tensor, without a `__new__`."""

    def __init__(self, *values):
        self.label = "begun"


class Weight(nn.Parameter):
    """A parameter with a label."""

    def __new__(cls, values, label="", requires_grad=True):
        made = super().__new__(cls, values, requires_grad)
        made.label = label
        return made


class Bias(nn.Parameter):
    """A parameter made as a subclass of Tensor is."""

    def __new__(cls, values=None, label="", requires_grad=True):
        made = wg.Tensor._make_subclass(cls, values, requires_grad)
        made.label = label
        return made


TENSORS = pytest.mark.parametrize("kind", [Named, Sharing, Viewing])


@TENSORS
def test_the_constructor_takes_what_new_takes(kind):
    made = kind(wg.arange(3.0), "n")
    assert type(made) is kind and made.label == "n" and made.tolist() == [0.0, 1.0, 2.0]
    assert not hasattr(made + 1, "label")


@TENSORS
def test_results_views_and_copies_are_made_without_the_constructor(kind):
    made = kind(wg.arange(3.0), "n")
    for other in (made * 2, made[0], made.view(3, 1), made.detach(), made.data, made.double(), wg.cat([made, made])):
        assert type(other) is kind
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is kind and other.tolist() == [0.0, 1.0, 2.0] and other.label == "n"


def test_gradients_pass_through_a_class_with_a_new():
    x = wg.arange(3.0, requires_grad=True)
    (Viewing(x) ** 2).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0]


def test_values_are_there_before_init():
    made = Begun([1.0, 2.0])
    assert made.tolist() == [1.0, 2.0] and made.label == "begun"
    assert Begun(2, 3).shape == (2, 3) and Begun().shape == (0,)


@pytest.mark.parametrize("kind", [Weight, Bias])
def test_parameters_of_classes_with_a_new(kind):
    made = kind(wg.ones(2), "w")
    assert type(made) is kind and made.requires_grad and made.label == "w" and type(made * 2) is wg.Tensor
    assert not kind(wg.ones(2), requires_grad=False).requires_grad
    module = nn.Module()
    module.weight = made
    assert list(module.parameters()) == [made]
    again = copy.deepcopy(made)  # torch's hands on values and requires_grad, in this order
    assert type(again) is kind and again.tolist() == [1.0, 1.0] and again.data_ptr() != made.data_ptr()
    restored = pickle.loads(pickle.dumps(made))
    assert isinstance(restored, nn.Parameter) and restored.label == "w" and restored.requires_grad


def test_a_parameter_is_complete_when_new_returns():
    made = nn.Parameter.__new__(nn.Parameter, wg.ones(1))
    assert made.requires_grad and made.tolist() == [1.0]
    assert nn.Parameter().shape == (0,) and nn.Buffer(wg.ones(1), persistent=False).persistent is False
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        nn.Parameter(wg.arange(2))
    with pytest.raises(TypeError, match="data must be a Tensor"):
        nn.Parameter([1.0])
