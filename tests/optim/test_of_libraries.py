"""Optimisers as libraries write them: by the helpers of `torch.optim.optimizer`."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.optim.optimizer import (
    Optimizer,
    _default_to_fused_or_foreach,
    _get_value,
    _group_tensors_by_device_and_dtype,
    _to_scalar,
    _use_grad_for_differentiable,
    _view_as_real,
)


class Plain(Optimizer):
    """Steps down the gradient, recorded if asked for."""

    def __init__(self, params, lr=0.5, differentiable=False):
        super().__init__(params, {"lr": lr, "differentiable": differentiable})

    @_use_grad_for_differentiable
    def step(self, closure=None):
        self._cuda_graph_capture_health_check()
        for group in self.param_groups:
            for each in group["params"]:
                each.add_(each.grad, alpha=-_get_value(group["lr"]))


@pytest.mark.parametrize("differentiable", [False, True])
def test_a_step_is_recorded_if_it_is_to_be_differentiable(differentiable):
    x = wg.ones(2, requires_grad=True)
    y = x.clone() if differentiable else x
    (y * y).sum().backward(retain_graph=True) if not differentiable else y.retain_grad()
    if differentiable:
        y.grad = wg.full((2,), 2.0)
    Plain([y], lr=wg.tensor(0.5), differentiable=differentiable).step()
    assert y.tolist() == [0, 0] and (y.grad_fn is not None) is differentiable


def test_tensors_are_grouped_by_dtype():
    a, b, c = wg.ones(1), wg.ones(1, dtype=wg.float64), wg.zeros(1)
    groups = Optimizer._group_tensors_by_device_and_dtype([[a, b, c], [None, b, c]], with_indices=True)
    (small, places), (large, place) = groups[a.device, wg.float32], groups[a.device, wg.float64]
    assert small[0][1] is c and small[1] == [None, c] and places == [0, 2]
    assert large == [[b], [b]] and place == [1]
    assert _group_tensors_by_device_and_dtype([[a]])[a.device, wg.float32][1] == []


def test_the_way_of_a_step_is_chosen():
    params = [wg.ones(1), None]
    assert _default_to_fused_or_foreach(params, False) == (False, False)
    assert _default_to_fused_or_foreach(params, False, use_fused=True) == (True, False)
    assert _default_to_fused_or_foreach(params, True, use_fused=True) == (False, False)


def test_complex_parameters_have_real_views():
    params, grads = [wg.ones(2, dtype=wg.complex64), wg.ones(1)], [wg.ones(2, dtype=wg.complex64), wg.ones(1)]
    _view_as_real(params, grads)
    assert [each.shape for each in (*params, *grads)] == [(2, 2), (1,), (2, 2), (1,)]
    assert _to_scalar(wg.ones(1)).ndim == 0 and _to_scalar(0.5) == 0.5


def test_a_step_that_is_put_into_the_class_later_has_hooks():
    x, seen = wg.ones(1, requires_grad=True), []
    optimizer = Plain([x])
    optimizer.register_step_post_hook(lambda *args: seen.append("after"))
    before = Plain.step
    try:
        Plain.step = lambda self, closure=None: seen.append("step")
        optimizer._patch_step_function()
        optimizer._patch_step_function()
        optimizer.step()
    finally:
        Plain.step = before
    assert seen == ["step", "after"]


def test_saved_state_takes_the_dtype_of_its_parameter():
    take = Optimizer._process_value_according_to_param_policy
    x, value = wg.ones(1, dtype=wg.float64), wg.ones(1)
    assert take(x, value, 0, [{"params": [0]}], "exp_avg").dtype is wg.float64
    assert take(x, value, 0, [{"params": [0]}], "step").dtype is wg.float32
    assert take(x, value.double(), 0, [{"params": [0], "fused": True}], "step").dtype is wg.float32


@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD", "Adagrad"])
def test_fused_steps_take_no_complex_parameters(name):
    x = wg.ones(2, dtype=wg.complex64, requires_grad=True)
    x.abs().sum().backward()
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point Tensors"):
        getattr(wg.optim, name)([x], lr=0.1, fused=True).step()
    getattr(wg.optim, name)([x], lr=0.1).step()
