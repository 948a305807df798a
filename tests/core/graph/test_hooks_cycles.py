"""Hooks that hold the tensor which they hang on: a cycle that the collector finds, as long as nothing else is alive."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg
from wengert import nn
from wengert.autograd.graph import register_multi_grad_hook


class Watched:
    """Something that dies with the cycle."""


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def holding(*things):
    """A hook that holds things and does nothing."""

    def hook(*given):
        assert things

    return hook


def tensor_hook(thing):
    y = leaf(1.0, 2.0) * 2
    y.register_hook(holding(y, thing))
    return y


def tensor_hook_after_a_pass(thing):
    y = tensor_hook(thing)
    y.sum().backward()
    return y


def tensor_hook_that_names_its_tensor(thing):
    y = leaf(1.0, 2.0) * 2

    def hook(grad):
        return grad * y.detach() * 0 + grad if thing else None

    y.register_hook(hook)
    (y * y).sum().backward()
    return y


def node_hook(thing):
    y = leaf(1.0, 2.0) * 2
    y.grad_fn.register_hook(holding(y, thing))
    return y


def metadata(thing):
    y = leaf(1.0, 2.0) * 2
    y.grad_fn.metadata["holds"] = (y, thing)
    return y


def leaf_hooks(thing):
    x = leaf(1.0, 2.0)
    x.register_hook(holding(x, thing))
    x.register_post_accumulate_grad_hook(holding(x, thing))
    (x * 2).sum().backward()
    return x


def parameter_hook(thing):
    x = nn.Parameter(wg.ones(2))
    y = x.view(2, 1) * 2
    y.register_hook(holding(x, y, thing))
    return y


def several_tensors(thing):
    x = leaf(1.0, 2.0)
    y, z = x * 2, x * 3
    register_multi_grad_hook([y, z], holding(y, z, thing))
    return y


def view(thing):
    y = (leaf(1.0, 2.0) * 2)[:1]
    y.register_hook(holding(y, thing))
    return y


MADE = [
    tensor_hook,
    tensor_hook_after_a_pass,
    tensor_hook_that_names_its_tensor,
    node_hook,
    metadata,
    leaf_hooks,
    parameter_hook,
    several_tensors,
    view,
]


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_the_collector_frees_a_hook_that_holds_its_own_tensor(make):
    thing = Watched()
    watched = weakref.ref(thing)
    make(thing)
    del thing
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_the_collector_leaves_it_alone_while_the_tensor_is_held(make):
    thing = Watched()
    watched = weakref.ref(thing)
    held = make(thing)
    del thing
    gc.collect()
    assert watched() is not None
    del held
    gc.collect()
    assert watched() is None


def test_the_collector_leaves_it_alone_while_only_the_graph_is_held():
    seen = []

    def make():
        x = leaf(1.0, 2.0)
        y = x * 2
        y.register_hook(lambda grad: seen.append((y.tolist(), grad.tolist())))
        return x, (y * 3).sum()

    x, loss = make()
    gc.collect()
    loss.backward()
    assert seen == [([2.0, 4.0], [3.0, 3.0])] and x.grad.tolist() == [6.0, 6.0]
    del loss
    gc.collect()


def inner_tensor_hook(thing):
    y = leaf(1.0, 2.0) * 2
    z = y.exp().sin()
    y.register_hook(holding(z, thing))
    return z


def inner_node_hooks(thing):
    y = leaf(1.0, 2.0) * 2
    z = y.exp() * y.sin()
    z.grad_fn.next_functions[1][0].register_hook(holding(z, thing))
    z.grad_fn.next_functions[0][0].register_prehook(holding(z, thing))
    return z


def inner_metadata(thing):
    z = (leaf(1.0, 2.0) * 2).exp()
    z.grad_fn.next_functions[0][0].metadata["holds"] = (z, thing)
    return z


def hook_of_a_node_that_a_write_left(thing):
    z = leaf(1.0, 2.0) * 2 * 3
    z.register_hook(holding(z, thing))
    z.mul_(2)
    return z


def hook_of_several(thing):
    y = leaf(1.0, 2.0) * 2
    z = y.exp()
    register_multi_grad_hook((y, z), holding(z, thing))
    return z


INNER = [inner_tensor_hook, inner_node_hooks, inner_metadata, hook_of_a_node_that_a_write_left, hook_of_several]


@pytest.mark.parametrize("make", INNER)
def test_the_collector_frees_a_hook_that_holds_what_was_made_of_its_tensor(make):
    thing = Watched()
    alive = weakref.ref(thing)
    made = make(thing)
    del thing
    gc.collect()
    assert alive() is not None  # `made` holds it
    made.sum().backward()
    gc.collect()
    assert alive() is not None
    del made
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("make", INNER)
def test_the_collector_leaves_the_hooks_of_a_graph_alone_that_a_node_holds(make):
    thing = Watched()
    alive = weakref.ref(thing)
    made = make(thing)
    node, further = made.grad_fn, made * 3
    del thing, made
    gc.collect()
    assert alive() is not None
    del node
    gc.collect()
    assert alive() is not None  # what was made further leads there
    further.sum().backward()
    del further
    gc.collect()
    assert alive() is None
