"""`autograd.grad`: gradients as values, with all its arguments."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values if len(values) > 1 else values[0], dtype=wg.float64, requires_grad=True)


def test_grad_returns_gradients_and_leaves_every_grad_alone():
    x, y = leaf(2.0), leaf(3.0)
    found = wg.autograd.grad(x * y * y, [x, y])
    assert isinstance(found, tuple)
    assert [each.item() for each in found] == [9.0, 12.0]
    assert x.grad is None and y.grad is None


def test_an_input_may_be_an_inner_tensor():
    x = leaf(2.0)
    middle = x * x
    (found,) = wg.autograd.grad(middle * middle, middle)
    assert found.item() == 8.0


def test_an_input_may_lie_on_the_way_to_another():
    x = leaf(2.0)
    middle = x * x
    found = wg.autograd.grad(middle * x, [middle, x])
    assert [each.item() for each in found] == [2.0, 12.0]


def test_the_same_input_may_be_asked_for_twice():
    x = leaf(2.0)
    assert [each.item() for each in wg.autograd.grad(x * x, [x, x])] == [4.0, 4.0]


def test_an_output_is_an_input_of_itself():
    x = leaf(2.0)
    y = x * x
    assert wg.autograd.grad(y, y)[0].item() == 1.0
    assert wg.autograd.grad(x, x)[0].item() == 1.0


def test_an_input_that_was_not_used_is_an_error_unless_it_is_allowed():
    x, other = leaf(2.0), leaf(3.0)
    with pytest.raises(
        RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used in the graph"
    ):
        wg.autograd.grad(x * x, [x, other])
    first, second = wg.autograd.grad(x * x, [x, other], allow_unused=True)
    assert first.item() == 4.0 and second is None


def test_unused_inputs_become_zeros_on_request():
    x, other = leaf(2.0), leaf(3.0, 4.0)
    _, second = wg.autograd.grad(x * x, [x, other], materialize_grads=True)
    assert second.tolist() == [0.0, 0.0] and second.dtype is wg.float64
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"):
        wg.autograd.grad(x * x, [x, other], allow_unused=False, materialize_grads=True)


def test_an_input_without_gradient_is_refused():
    x, constant = leaf(2.0), wg.tensor(3.0)
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        wg.autograd.grad(x * constant, [constant])


def test_something_has_to_be_asked_for():
    x = leaf(2.0)
    with pytest.raises((RuntimeError, ValueError), match=r"cannot be empty|grad requires non-empty inputs"):
        wg.autograd.grad(x * x, [])


def test_cotangents_weigh_the_outputs():
    x = leaf(1.0, 2.0)
    weights = wg.tensor([10.0, 100.0], dtype=wg.float64)
    assert wg.autograd.grad(x * x, x, weights)[0].tolist() == [20.0, 400.0]
    assert wg.autograd.grad([x * x, x * 3], [x], [weights, weights])[0].tolist() == [50.0, 700.0]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (lambda: wg.ones(3, dtype=wg.float64), "Mismatch in shape: grad_output\\[0\\] has a shape of"),
        (lambda: wg.ones(2, dtype=wg.complex128), "both grad_output and output are required to have the same dtype"),
    ],
    ids=["shape", "complex"],
)
def test_a_cotangent_that_does_not_fit_is_refused(weights, says):
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=says):
        wg.autograd.grad(x * x, x, weights())


def test_a_scalar_alone_starts_without_cotangent():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        wg.autograd.grad(x * x, x)


def test_the_graph_is_freed_unless_it_is_kept():
    x = leaf(2.0)
    y = x * x
    assert wg.autograd.grad(y, x, retain_graph=True)[0].item() == 4.0
    assert wg.autograd.grad(y, x)[0].item() == 4.0
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        wg.autograd.grad(y, x)


def test_only_the_part_that_was_run_is_freed():
    x, y = leaf(2.0), leaf(3.0)
    left, right = x * x, y * y
    both = left + right
    assert wg.autograd.grad(both, x)[0].item() == 4.0
    assert wg.autograd.grad(right, y)[0].item() == 6.0


def test_gradients_without_recording_require_no_gradient():
    x = leaf(2.0)
    assert not wg.autograd.grad(x * x, x)[0].requires_grad
    assert wg.autograd.grad(x * x, x, create_graph=True)[0].requires_grad


def test_derivatives_up_to_the_third_order():
    x = leaf(2.0)
    value = x * x * x * x
    for wanted in (32.0, 48.0, 48.0):
        (value,) = wg.autograd.grad(value, x, create_graph=True)
        assert value.item() == wanted


def test_a_mixed_second_derivative():
    x, y = leaf(2.0), leaf(3.0)
    (first,) = wg.autograd.grad(x * x * y * y * y, x, create_graph=True)
    assert wg.autograd.grad(first, y)[0].item() == 2 * 2.0 * 3 * 9.0


def test_the_gradient_by_a_cotangent_is_the_derivative():
    x = leaf(1.0, 2.0)
    weights = leaf(1.0, 1.0)
    (first,) = wg.autograd.grad(x * x, x, weights, create_graph=True)
    assert wg.autograd.grad(first.sum(), weights)[0].tolist() == [2.0, 4.0]


def test_a_constant_gradient_has_no_further_one():
    x = leaf(2.0)
    (first,) = wg.autograd.grad(x * 3, x, create_graph=True)
    assert first.item() == 3.0
    with pytest.raises(RuntimeError, match="does not require grad"):
        wg.autograd.grad(first, x)


def test_a_batch_of_cotangents_gives_the_rows_of_the_jacobian():
    x = leaf(1.0, 2.0)
    rows = wg.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=wg.float64)
    (found,) = wg.autograd.grad(x * x, x, rows, is_grads_batched=True)
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0], [2.0, 4.0]]


def test_hooks_of_inner_tensors_see_what_flows():
    x = leaf(2.0)
    middle = x * x
    middle.register_hook(lambda grad: grad * 10)
    assert wg.autograd.grad(middle * 3, x)[0].item() == 120.0


def test_a_node_may_be_asked_by_its_edge():
    x = leaf(2.0)
    middle = x * x
    edge = wg.autograd.graph.get_gradient_edge(middle)
    assert wg.autograd.grad(middle * 3, edge)[0].item() == 3.0
    assert wg.autograd.grad(edge, x, wg.tensor(5.0, dtype=wg.float64))[0].item() == 20.0


def test_outputs_without_a_history_give_zeros_where_zeros_were_asked_for():
    x, constant = leaf(2.0, 3.0), wg.tensor(4.0)
    for outputs in (constant, [constant], [constant, x.detach().sum()]):
        (found,) = wg.autograd.grad(outputs, x, materialize_grads=True)
        assert found.tolist() == [0.0, 0.0] and found.dtype is wg.float64
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
            wg.autograd.grad(outputs, x, allow_unused=True)
    (found,) = wg.autograd.grad([constant, (x * 3).sum()], x, materialize_grads=True)
    assert found.tolist() == [3.0, 3.0]


def test_zeros_of_a_recorded_pass_require_a_gradient_and_have_the_layout_of_the_input():
    x = wg.zeros(3, 2).t().requires_grad_()
    (found,) = wg.autograd.grad(leaf(1.0), x, materialize_grads=True, create_graph=True)
    assert found.requires_grad and found.stride() == (1, 2)
    (found,) = wg.autograd.grad(leaf(1.0), x, materialize_grads=True)
    assert not found.requires_grad


def test_inputs_may_be_a_dictionary_and_so_are_then_the_gradients():
    x, y = leaf(2.0), leaf(3.0)
    found = wg.autograd.grad(x * y, {"x": x, "y": y})
    assert {name: each.item() for name, each in found.items()} == {"x": 3.0, "y": 2.0}
    (x * y).backward(inputs={"x": x})
    assert x.grad.item() == 3.0 and y.grad is None
    for function, call in (("grad", wg.autograd.grad), ("backward", wg.autograd.backward)):
        with pytest.raises(TypeError, match=rf"argument to `{function}\(\)` must be a dict, not OrderedDict"):
            call(x * y, inputs=OrderedDict(x=x))
        with pytest.raises(RuntimeError, match=rf"argument to `{function}\(\)` cannot be empty"):
            call(x * y, inputs={})


def test_outputs_may_come_from_a_generator():
    x = leaf(2.0)
    assert wg.autograd.grad((each for each in [x * 3]), x)[0].item() == 3.0
    wg.autograd.backward(each for each in [x * 3])
    assert x.grad.item() == 3.0


def test_more_cotangents_than_outputs_are_left_out_and_fewer_refused():
    x = leaf(2.0)
    assert wg.autograd.grad(x * 3, x, [wg.tensor(2.0), None])[0].item() == 6.0
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        wg.autograd.grad([x * 3, x * 2], x, [None])


def test_backward_of_a_tensor_takes_its_cotangent_in_a_sequence_too():
    x = leaf(2.0, 3.0)
    (x * 2).backward([wg.ones(2)])
    assert x.grad.tolist() == [2.0, 2.0]


def test_in_a_batch_an_unused_input_gets_one_row_of_zeros():
    x, other = leaf(1.0, 2.0), leaf(1.0, 2.0)
    found = wg.autograd.grad((x * 2).sum(), [x, other], wg.ones(3), is_grads_batched=True, materialize_grads=True)
    assert [tuple(each.shape) for each in found] == [(3, 2), (2,)]
    with pytest.raises(IndexError, match="index 0 is out of bounds"):
        wg.autograd.grad(x.sum(), x, wg.ones(0), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first dimension"):
        wg.autograd.grad(x.sum(), x, wg.ones(3, 2), is_grads_batched=True)
