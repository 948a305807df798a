"""Hooks in the different kinds of pass: with chosen inputs, recorded, failing, and where nothing arrives."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import grad


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def value(tensor):
    return None if tensor is None else tensor.tolist()


def all_hooks(tensor, order):
    """Register every kind of hook on a tensor inside the graph."""
    node = tensor.grad_fn
    tensor.register_hook(lambda grad: order.append(("tensor", value(grad))))
    node.register_prehook(lambda grads: order.append(("before", [value(each) for each in grads])))
    node.register_hook(lambda inputs, outputs: order.append(("after", [value(each) for each in inputs])))


def all_leaf_hooks(leaf, node, order):
    """Register every kind of hook on a leaf and its accumulator."""
    leaf.register_hook(lambda grad: order.append(("tensor", value(grad))))
    leaf.register_post_accumulate_grad_hook(lambda leaf: order.append(("accumulated", value(leaf.grad))))
    node.register_prehook(lambda grads: order.append(("before", [value(each) for each in grads])))
    node.register_hook(lambda inputs, outputs: order.append(("after", inputs, [value(each) for each in outputs])))


def test_hooks_where_nothing_arrives_see_none():
    x, order = leaf(1.0, 2.0), []
    first, second = x.unbind()
    middle = second * 2
    all_hooks(middle, order)
    middle.retain_grad()
    end = middle * 1
    end.grad_fn.register_hook(lambda inputs, outputs: (None, None))
    (end + first).backward()
    assert order == [("tensor", None), ("before", [None]), ("after", [None, None])]
    assert middle.grad is None and x.grad.tolist() == [1.0, 0.0]


def test_a_leaf_where_nothing_arrives_runs_its_hooks_and_keeps_its_gradient():
    x, order = leaf(1.0, 2.0), []
    y = x * 2
    all_leaf_hooks(x, accumulator := y.grad_fn.next_functions[0][0], order)
    y.grad_fn.register_hook(lambda inputs, outputs: (None, None))
    y.sum().backward()
    assert order == [("tensor", None), ("before", [None]), ("accumulated", None), ("after", (), [None])]
    assert accumulator.variable.grad is None


def test_hooks_of_a_leaf_run_around_the_accumulation():
    x, order = leaf(1.0, 2.0), []
    y = x * 2
    accumulator = y.grad_fn.next_functions[0][0]
    all_leaf_hooks(x, accumulator, order)
    x.register_hook(lambda grad: grad * 2)
    accumulator.register_prehook(lambda grads: (grads[0] * 3,))
    y.sum().backward()
    assert order == [
        ("tensor", [2.0, 2.0]),
        ("before", [[4.0, 4.0]]),
        ("accumulated", [12.0, 12.0]),
        ("after", (), [[12.0, 12.0]]),
    ]


def test_an_accumulator_takes_no_gradients_from_its_hook():
    x = leaf(1.0)
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: outputs)
    with pytest.raises(RuntimeError, match="incorrect number of values \\(got 1, but expected 0\\)"):
        y.sum().backward()


def test_grad_of_a_leaf_runs_the_hooks_of_the_tensor_and_not_those_of_its_accumulator():
    x, order = leaf(1.0, 2.0), []
    y = x * 2
    accumulator = y.grad_fn.next_functions[0][0]
    all_leaf_hooks(x, accumulator, order)
    x.register_hook(lambda grad: grad * 2)
    assert grad(y.sum(), x)[0].tolist() == [4.0, 4.0]
    assert order == [("tensor", [2.0, 2.0])] and x.grad is None


def test_backward_with_inputs_runs_the_hooks_on_the_way_to_them_and_no_others():
    a, b, order, other = leaf(1.0, 2.0), leaf(3.0, 4.0), [], []
    x, y = a * 2, b * 3
    z = (x * y).sum()
    all_hooks(x, order)
    all_hooks(y, other)
    z.backward(inputs=[a], retain_graph=True)
    assert [name for name, _ in order] == ["tensor", "before", "after"] and other == []
    order.clear()
    grad(z, x, retain_graph=True)
    assert order == [("tensor", [9.0, 12.0])] and other == []


def test_backward_with_a_result_as_input_runs_its_node_and_retains_its_gradient():
    a, order = leaf(1.0, 2.0), []
    x = a * 2
    all_hooks(x, order)
    (x * 3).sum().backward(inputs=[x])
    assert [name for name, _ in order] == ["tensor", "before", "after"]
    assert x.grad.tolist() == [3.0, 3.0] and x.retains_grad and a.grad is None


def test_backward_with_a_retained_result_as_input_adds_its_gradient_once():
    x = leaf(1.0, 2.0) * 2
    x.retain_grad()
    x.sum().backward(inputs=[x])
    assert x.grad.tolist() == [1.0, 1.0]


def test_grad_sees_what_the_hooks_made_of_a_gradient_where_the_pass_ends():
    a = leaf(1.0, 2.0)
    x = a * 2
    x.register_hook(lambda grad: grad * 10)
    assert grad(x.sum(), x, retain_graph=True)[0].tolist() == [10.0, 10.0]
    # Where the pass goes on, torch gives what arrived, and so does this engine; what goes on is the hook's.
    assert [each.tolist() for each in grad(x.sum(), [x, a])] == [[1.0, 1.0], [20.0, 20.0]]


def test_gradients_are_retained_in_grad_too_if_the_pass_reaches_the_tensor():
    a = leaf(1.0, 2.0)
    x = a * 2
    x.retain_grad()
    y = x * 3
    grad(y.sum(), y, retain_graph=True)
    assert x.grad is None
    grad(y.sum(), a, retain_graph=True)
    assert x.grad.tolist() == [3.0, 3.0]
    before = x.grad
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and before.tolist() == [3.0, 3.0]


def test_a_retained_gradient_is_a_tensor_of_its_own():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    cotangent = wg.ones(2, dtype=wg.float64)
    y.backward(cotangent)
    y.grad.zero_()
    assert cotangent.tolist() == [1.0, 1.0] and x.grad.tolist() == [2.0, 2.0]
    z = x * 2
    z.retain_grad()
    z.sum().backward()
    assert z.grad.is_contiguous()
    z.grad.zero_()


def test_a_retained_gradient_of_a_recorded_pass_can_be_differentiated():
    x = leaf(1.0, 2.0)
    y = x * x
    y.retain_grad()
    grad((y * y).sum(), x, create_graph=True)
    assert y.grad.requires_grad
    assert grad(y.grad.sum(), x)[0].tolist() == [4.0, 8.0]


def test_a_hook_of_a_recorded_pass_computes_with_recording_on():
    a = leaf(3.0)
    y = a**3
    y.register_hook(lambda grad: grad * a)
    (first,) = grad(y.sum(), a, create_graph=True)
    assert first.item() == 81.0 and grad(first.sum(), a)[0].item() == 81.0


def test_hooks_registered_in_the_pass_run_if_their_tensor_is_still_to_come():
    a, seen = leaf(1.0, 2.0), []
    x = a * 2
    y = x * 3

    def register(grad):
        x.register_hook(lambda grad: seen.append("later tensor"))
        y.register_hook(lambda grad: seen.append("same tensor"))

    handle = y.register_hook(register)
    y.sum().backward()
    assert seen == ["later tensor"]
    handle.remove()  # it holds its own tensor, a cycle that the collector does not see


def test_hooks_that_are_removed_in_the_pass_run_if_their_turn_had_come():
    y, seen = leaf(1.0) * 2, []

    def first(grad):
        seen.append("first")
        second.remove()

    y.register_hook(first)
    second = y.register_hook(lambda grad: seen.append("second"))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert seen == ["first", "second", "first"]


def test_one_function_can_be_registered_twice():
    x = leaf(1.0)
    y = x * 2
    for _ in range(2):
        y.register_hook(lambda grad: grad * 2)
    y.sum().backward()
    assert x.grad.item() == 8.0


def test_a_hook_may_run_a_pass_of_its_own_on_the_same_graph():
    a, seen = leaf(1.0, 2.0), []
    x = a * 2
    y = x * 3

    def nested(gradient):
        with wg.enable_grad():
            seen.append(grad(x.sum(), a, retain_graph=True)[0].tolist())

    y.register_hook(nested)
    y.sum().backward()
    assert seen == [[2.0, 2.0]] and a.grad.tolist() == [6.0, 6.0]


def test_a_hook_may_return_a_gradient_that_cannot_be_written_to():
    x = leaf(1.0, 2.0)
    x.register_hook(lambda grad: wg.ones((), dtype=wg.float64).expand(2))
    for _ in range(2):
        (x * 1).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and x.grad.is_contiguous()


def test_nothing_cannot_be_replaced_by_something():
    x = leaf(1.0, 2.0)
    first, second = x.unbind()
    second.register_hook(lambda grad: wg.ones((), dtype=wg.float64))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        first.backward()


def test_the_gradient_that_a_hook_sees_has_the_shape_and_dtype_of_its_tensor():
    a, seen = leaf(1.0), []
    narrow = (a * 1).to(wg.float32)
    narrow.register_hook(lambda grad: seen.append((grad.tolist(), grad.dtype)))
    (narrow * leaf(1.0, 2.0, 3.0)).sum().backward()
    assert seen == [([6.0], wg.float32)]


def fail(*given):
    raise ZeroDivisionError


KINDS = {
    "leaf": lambda a, x, node: a.register_hook(fail),
    "tensor": lambda a, x, node: x.register_hook(fail),
    "node": lambda a, x, node: x.grad_fn.register_hook(fail),
    "before the node": lambda a, x, node: x.grad_fn.register_prehook(fail),
    "after the accumulation": lambda a, x, node: a.register_post_accumulate_grad_hook(fail),
    "accumulator": lambda a, x, node: node.register_hook(fail),
    "before the accumulator": lambda a, x, node: node.register_prehook(fail),
}


@pytest.mark.parametrize("register", KINDS.values(), ids=KINDS)
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", [False, True], ids=["plain", "recorded"])
def test_an_error_in_a_hook_leaves_the_engine_usable(register, create_graph):
    a = leaf(1.0, 2.0)
    x = a * 2
    y = (x * x).sum()
    handle = register(a, x, x.grad_fn.next_functions[0][0])
    with pytest.raises(ZeroDivisionError):
        y.backward(retain_graph=True, create_graph=create_graph)
    assert wg.is_grad_enabled()
    a.grad = None
    handle.remove()
    y.backward(create_graph=create_graph)
    assert a.grad.tolist() == [8.0, 16.0]
    a.grad = None


REGISTER = {
    "tensor": lambda y: y.register_hook(3),
    "node": lambda y: y.grad_fn.register_hook(3),
    "before the node": lambda y: y.grad_fn.register_prehook(3),
}


@pytest.mark.parametrize("register", REGISTER.values(), ids=REGISTER)
def test_what_cannot_be_called_is_an_error_when_it_should_be(register):
    y = leaf(1.0) * 2
    register(y)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        y.sum().backward()


def test_a_handle_tells_its_number_and_works_as_a_context():
    y, seen = leaf(1.0) * 2, []
    first = y.register_hook(lambda grad: seen.append(1))
    second = y.register_hook(lambda grad: seen.append(2))
    assert second.id > first.id
    with first as entered:
        assert entered is first
        y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert seen == [1, 2, 2]


def test_a_handle_outlives_what_it_was_registered_on():
    y = leaf(1.0) * 2
    handle = y.register_hook(lambda grad: None)
    del y
    handle.remove()


def test_hooks_that_threads_register_together_are_all_kept(in_threads):
    for _ in range(20):
        x = leaf(1.0)
        y = x * 2
        count = []

        def register(number, x=x, y=y, count=count):
            x.register_hook(lambda grad: count.append("leaf"))
            y.register_hook(lambda grad: count.append("tensor"))
            y.grad_fn.register_hook(lambda *grads: count.append("node"))
            x.register_post_accumulate_grad_hook(lambda leaf: count.append("accumulated"))

        assert in_threads(4, register) == [None] * 4
        y.sum().backward()
        assert sorted(count) == ["accumulated"] * 4 + ["leaf"] * 4 + ["node"] * 4 + ["tensor"] * 4
