"""`as_subclass`: the node that it records."""

from __future__ import annotations

import wengert as wg


class Marked(wg.Tensor):
    """A class as programs write it."""


def test_an_instance_of_a_subclass_is_a_view_with_a_node_of_its_own():
    x = wg.ones(2, requires_grad=True)
    made = x.as_subclass(Marked)
    assert type(made) is Marked and made._is_view() and made._base is x
    assert made.grad_fn.name() == "AliasBackward0" and repr(made) == "Marked([1., 1.], grad_fn=<AliasBackward0>)"
    (made * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
