"""`GradientEdge`: a tensor's place in the graph, in the stead of the tensor."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg
from wengert.autograd import backward, grad
from wengert.autograd.graph import GradientEdge, get_gradient_edge, increment_version


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def ones(*shape):
    return wg.ones(*shape, dtype=wg.float64)


def test_an_edge_is_a_tuple_of_node_output_number_and_token():
    x = leaf(1.0, 2.0)
    second = x.unbind()[1]
    edge = get_gradient_edge(second)
    assert isinstance(edge, tuple) and edge._fields == ("node", "output_nr", "ownership_token")
    assert (edge.node, edge.output_nr, edge.ownership_token) == (second.grad_fn, 1, None)
    assert GradientEdge(second.grad_fn, 1) == edge


def test_the_edge_of_a_leaf_leads_to_its_accumulator():
    x = leaf(1.0)
    edge = get_gradient_edge(x)
    assert edge.node is (x * 2).grad_fn.next_functions[0][0] and edge.node.variable is x


def test_only_tensors_that_require_a_gradient_have_an_edge():
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge for a Tensor that does not"):
        get_gradient_edge(wg.ones(1))
    with pytest.raises(AttributeError):
        get_gradient_edge(1)


def test_the_edge_of_a_view_whose_base_was_written_to_is_the_present_one():
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    before = get_gradient_edge(view)
    base.mul_(3)
    edge = get_gradient_edge(view)
    assert edge.node is view.grad_fn and edge.node is not before.node
    assert grad(view.sum(), edge)[0].tolist() == [1.0]


def test_grad_takes_edges_for_tensors():
    x = leaf(1.0, 2.0)
    y = x * 2
    found = grad((y * y).sum(), [get_gradient_edge(x), get_gradient_edge(y), y], retain_graph=True)
    assert [each.tolist() for each in found] == [[8.0, 16.0], [4.0, 8.0], [4.0, 8.0]]
    assert grad(get_gradient_edge(y), x, ones(2), retain_graph=True)[0].tolist() == [2.0, 2.0]
    assert grad(get_gradient_edge(y.sum()), get_gradient_edge(x))[0].tolist() == [2.0, 2.0]


def test_backward_takes_edges_for_tensors():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = x * y
    backward(get_gradient_edge(z), ones(2), retain_graph=True, inputs=get_gradient_edge(x))
    assert x.grad.tolist() == [3.0, 4.0] and y.grad is None
    backward(z.sum(), inputs=[get_gradient_edge(y)])
    assert y.grad.tolist() == [1.0, 2.0]


def test_an_edge_inside_the_graph_keeps_no_gradient():
    x = leaf(1.0, 2.0)
    y = x * 2
    backward((y * 3).sum(), inputs=[get_gradient_edge(y)])
    assert x.grad is None and not y.retains_grad


def test_an_edge_does_not_keep_values_alive():
    x = leaf(1.0, 2.0)
    y = x * 2
    edge = get_gradient_edge(y.sum())
    watched = weakref.ref(y)
    gc.disable()
    del y
    assert watched() is None
    gc.enable()
    backward(edge)
    assert x.grad.tolist() == [2.0, 2.0]


def test_cotangents_of_edges_are_checked():
    x = leaf(1.0, 2.0)
    edge = get_gradient_edge(x * 2)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        grad(edge, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        grad(edge, x, ones(3))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        grad(GradientEdge(x.unbind()[0].grad_fn, 1), x)


def test_an_edge_that_was_not_used_is_an_error_unless_it_is_allowed():
    x, other = leaf(1.0), leaf(2.0)
    edge = get_gradient_edge(other)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad((x * 2).sum(), edge)
    assert grad((x * 2).sum(), edge, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        grad((x * 2).sum(), edge, materialize_grads=True)


@pytest.mark.parametrize("ask", [lambda y, given: grad(y, given), lambda y, given: backward(y, inputs=given)])
def test_inputs_have_to_be_tensors_or_edges(ask):
    y = (leaf(1.0) * 2).sum()
    with pytest.raises(RuntimeError, match="all inputs have to be Tensors or GradientEdges, but got str"):
        ask(y, ["a"])


def test_a_write_behind_the_operators_back_can_be_counted():
    x, y = leaf(1.0, 2.0), wg.ones(3)
    middle = x * 2
    result = (middle * middle).sum()
    middle.detach().numpy()[:] = 0
    increment_version(middle)
    increment_version([middle, y])
    assert (middle._version, y._version) == (2, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_inference_tensors_have_no_version_to_count():
    with wg.inference_mode():
        y = wg.ones(2)
    increment_version(y)
