"""`torch.__future__`: conversions that make new parameters, and ones that exchange them."""

from __future__ import annotations

import pytest

import wengert as wg

future = wg.__future__


@pytest.fixture
def overwrite():
    future.set_overwrite_module_params_on_conversion(True)
    yield
    future.set_overwrite_module_params_on_conversion(False)


@pytest.fixture
def swap():
    future.set_swap_module_params_on_conversion(True)
    yield
    future.set_swap_module_params_on_conversion(False)


def trained():
    layer = wg.nn.Linear(2, 1)
    layer(wg.ones(2)).sum().backward()
    return layer, layer.weight, layer.weight.grad


def test_parameters_get_other_values_unless_something_else_is_set():
    layer, weight, grad = trained()
    assert not future.get_overwrite_module_params_on_conversion()
    assert not future.get_swap_module_params_on_conversion()
    assert layer.double().weight is weight and weight.dtype is grad.dtype is wg.float64 and weight.grad is grad


def test_a_conversion_may_make_new_parameters(overwrite):
    layer, weight, grad = trained()
    made = layer.double().weight
    assert made is not weight and weight.dtype is grad.dtype is wg.float32
    assert made.dtype is made.grad.dtype is wg.float64 and made.requires_grad and made.is_leaf
    assert isinstance(made, wg.nn.Parameter) and next(layer.parameters()) is made


def test_a_conversion_may_exchange_parameters(swap):
    layer, weight, grad = trained()
    assert layer.double().weight is weight and weight.dtype is wg.float64 and weight.requires_grad
    assert weight.grad is grad and grad.dtype is wg.float64
    layer(wg.ones(2, dtype=wg.float64)).sum().backward()
    assert grad.tolist() == [[2, 2]]


def test_parameters_that_a_graph_leads_to_are_not_exchanged(swap):
    layer, weight, grad = trained()
    result = layer(wg.ones(2))
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
        layer.double()
    assert weight.dtype is wg.float32 and weight.grad is grad
    result.sum().backward()


def test_a_state_that_is_assigned_comes_under_the_identity_of_the_parameters(swap):
    layer = wg.nn.Linear(2, 1)
    weight = layer.weight.requires_grad_(False)
    given = {"weight": wg.ones(1, 2, dtype=wg.float64), "bias": wg.ones(1)}
    layer.load_state_dict(given, assign=True)
    assert layer.weight is weight and weight.dtype is wg.float64 and not weight.requires_grad
    assert weight.data_ptr() == given["weight"].data_ptr() and layer.bias.requires_grad
    assert isinstance(given["weight"], wg.Tensor) and given["weight"] is not weight


def test_what_a_parameter_makes_of_a_saved_tensor():
    x, other = wg.zeros(2, requires_grad=True), wg.ones(2)
    with wg.no_grad():
        assert x.module_load(other).tolist() == x.tolist() == [1, 1] and x.data_ptr() != other.data_ptr()
    assert x.module_load(other, assign=True).data_ptr() == other.data_ptr()
