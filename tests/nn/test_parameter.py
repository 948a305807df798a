"""Parameters of a program's own classes of tensors."""

from __future__ import annotations

import copy
import io
import pickle

import pytest

import wengert as wg
from wengert import nn


class Marked(wg.Tensor):
    """A class as programs write it."""


class Closed(wg.Tensor):
    """A class whose operators give plain tensors."""

    __torch_function__ = wg._C._disabled_torch_function_impl


def parameter():
    return nn.Parameter(wg.ones(2).as_subclass(Marked))


def test_a_parameter_is_of_the_class_of_its_values():
    values = wg.ones(2).as_subclass(Marked)
    made = nn.Parameter(values)
    assert type(made) is Marked and isinstance(made, nn.Parameter) and made.is_leaf and made.requires_grad
    assert made is not values and made.data_ptr() == values.data_ptr() and not isinstance(values, nn.Parameter)
    assert type(nn.Parameter(made, requires_grad=False)) is Marked
    assert not nn.Parameter(made, requires_grad=False).requires_grad
    assert repr(made) == "Parameter(Marked([1., 1.], requires_grad=True))"


def test_what_is_computed_of_it_is_no_parameter():
    made = parameter()
    for result in (made + 1, made.detach(), made.clone()):
        assert type(result) is Marked and not isinstance(result, nn.Parameter)


def test_modules_and_optimisers_take_it():
    layer = nn.Module()
    layer.weight = made = parameter()
    assert list(layer.parameters()) == [made] and type(layer.state_dict()["weight"]) is Marked
    (made * 3).sum().backward()
    wg.optim.SGD([made], lr=0.1).step()
    assert layer.weight is made and made.tolist() == pytest.approx([0.7, 0.7])
    layer.double().load_state_dict({"weight": wg.zeros(2)})
    assert layer.weight is made and made.dtype is wg.float64 and made.tolist() == [0, 0]
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        layer.weight = wg.ones(2).as_subclass(Marked)
    copied = copy.deepcopy(layer).weight
    assert type(copied) is Marked and isinstance(copied, nn.Parameter)


def test_a_class_that_does_not_keep_itself_is_refused():
    with pytest.raises(RuntimeError, match="Creating a Parameter from an instance of type Closed requires that detach"):
        nn.Parameter(wg.ones(2).as_subclass(Closed))


def test_plain_parameters_stay_what_they_were():
    class Own(nn.Parameter):
        """A kind of parameter."""

    plain = nn.Parameter(wg.ones(2))
    assert type(plain) is nn.Parameter and type(nn.Parameter(plain)) is nn.Parameter and type(Own(plain)) is Own
    assert (
        isinstance(Own(plain), nn.Parameter) and not isinstance(plain, Own) and not isinstance(wg.ones(1), nn.Parameter)
    )
    assert type(pickle.loads(pickle.dumps(plain))) is nn.Parameter
    file = io.BytesIO()
    wg.save(plain, file)
    file.seek(0)
    assert type(wg.load(file)) is nn.Parameter


class Own(nn.Parameter):
    """A kind of parameter."""


class Silent(wg.Tensor):
    """A class whose results are plain tensors."""

    __torch_function__ = wg._C._disabled_torch_function_impl


def test_texts_name_the_class():
    x, shown = wg.tensor([1.0, 2.0]), "([1., 2.], requires_grad=True)"
    assert repr(Own(x)) == f"Parameter containing:\nParameter(Own{shown})"
    assert repr(nn.Parameter(x)) == f"Parameter containing:\ntensor{shown}"
    assert repr(x.as_subclass(Silent)) == "Silent([1., 2.])" and repr(nn.Buffer(x)) == "tensor([1., 2.])"
    assert repr(nn.Parameter(x.as_subclass(Marked))) == f"Parameter(Marked{shown})"
