"""What programs print of handles and modes tells the modules where they find them."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import grad_mode


@pytest.mark.parametrize("kind", [wg.no_grad, wg.enable_grad, wg.inference_mode])
def test_modes_are_at_home_in_grad_mode(kind):
    assert kind.__module__ == "wengert.autograd.grad_mode"
    assert getattr(grad_mode, kind.__name__) is kind


def test_handles_of_hooks_are_at_home_among_hooks():
    handles = [wg.ones(1, requires_grad=True).register_hook(print), wg.nn.Linear(1, 1).register_forward_hook(print)]
    assert all(repr(each).startswith("<wengert.utils.hooks.RemovableHandle object") for each in handles)
    assert type(handles[0]) is wg.utils.hooks.RemovableHandle
