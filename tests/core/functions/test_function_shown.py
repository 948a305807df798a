"""Custom Functions as programs see them: their nodes, and what becomes of arguments that their `vmap` gives back."""

from __future__ import annotations

import pytest

import wengert as wg


def test_the_node_of_a_function_is_shown_as_torch_shows_it():
    class Double(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    node = Double.apply(wg.ones(2, requires_grad=True)).grad_fn
    assert repr(node) == f"<torch.autograd.function.DoubleBackward object at {id(node):#x}>"


@pytest.mark.parametrize("dim", [0, None, 5], ids=["its own", "none", "one that there is not"])
def test_an_argument_that_a_vmap_rule_gives_back_is_itself_again(dim):
    class Same(wg.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            return x, dim

    given = wg.arange(6.0).view(2, 3)
    assert wg.equal(wg.func.vmap(Same.apply)(given), given)
