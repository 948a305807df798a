"""Hooks of tensors and nodes: what they see, in which order, what they may replace, and how they are removed."""

from __future__ import annotations

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values if len(values) > 1 else values[0], dtype=wg.float64, requires_grad=True)


def test_a_hook_sees_the_gradient_of_its_tensor():
    x = leaf(2.0)
    seen = []
    middle = x * 3
    middle.register_hook(lambda grad: seen.append(grad.item()))
    (middle * middle).backward()
    assert seen == [12.0]
    assert x.grad.item() == 36.0


def test_hooks_run_in_the_order_of_registration_and_each_sees_the_last_replacement():
    x = leaf(2.0)
    middle = x * 3
    seen = []

    def times(factor):
        def hook(grad):
            seen.append((factor, grad.item()))
            return grad * factor

        return hook

    for factor in (2, 3):
        middle.register_hook(times(factor))
    middle.backward()
    assert seen == [(2, 1.0), (3, 2.0)]
    assert x.grad.item() == 18.0


def test_a_hook_of_a_leaf_changes_what_is_accumulated():
    x = leaf(2.0)
    x.register_hook(lambda grad: grad * 10)
    for wanted in (30.0, 60.0):
        (x * 3).backward()
        assert x.grad.item() == wanted


def test_a_hook_of_a_leaf_sees_the_sum_of_all_uses_once():
    x = leaf(2.0)
    seen = []
    x.register_hook(lambda grad: seen.append(grad.item()))
    (x * 3 + x * x).backward()
    assert seen == [7.0]


def test_a_hook_works_for_grad_as_for_backward():
    x = leaf(2.0)
    x.register_hook(lambda grad: grad * 10)
    assert wg.autograd.grad(x * 3, x)[0].item() == 30.0
    assert x.grad is None


def test_a_removed_hook_does_not_run():
    x = leaf(2.0)
    seen = []
    handle = x.register_hook(lambda grad: seen.append(1))
    kept = x.register_hook(lambda grad: seen.append(2))
    handle.remove()
    handle.remove()
    (x * 3).backward()
    assert seen == [2]
    with kept:
        pass
    (x * 3).backward()
    assert seen == [2]


def test_a_hook_may_remove_itself():
    x = leaf(2.0)
    seen = []

    def once(grad):
        seen.append(grad.item())
        handle.remove()

    handle = x.register_hook(once)
    for _ in range(2):
        (x * 3).backward()
    assert seen == [3.0]


def test_a_tensor_without_gradient_takes_no_hooks():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        wg.ones(1).register_hook(lambda grad: None)


def test_a_hook_stays_with_the_value_that_the_tensor_had():
    x = leaf(2.0)
    y = x * 3
    seen = []
    y.register_hook(lambda grad: seen.append(grad.item()))
    y.mul_(5)
    y.backward()
    assert seen == [5.0]


def test_a_retained_gradient_is_what_the_hooks_made_of_it():
    x = leaf(2.0)
    middle = x * 3
    middle.retain_grad()
    middle.register_hook(lambda grad: grad * 10)
    (middle * 2).backward()
    assert middle.grad.item() == 20.0 and middle.retains_grad
    assert x.grad.item() == 60.0


def test_a_gradient_is_retained_once_however_often_it_is_asked_for():
    x = leaf(2.0)
    middle = x * 3
    middle.retain_grad()
    middle.retain_grad()
    (middle * 2).backward()
    assert middle.grad.item() == 2.0


def test_retaining_the_gradient_of_a_leaf_changes_nothing():
    x = leaf(2.0)
    x.retain_grad()
    assert not x.retains_grad
    (x * 3).backward()
    assert x.grad.item() == 3.0
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        wg.ones(1).retain_grad()


def test_a_node_hook_sees_both_sides_and_may_replace_the_gradients_of_the_inputs():
    x, y = leaf(2.0), leaf(5.0)
    product = x * y
    seen = []

    def hook(grad_inputs, grad_outputs):
        seen.append(([each.item() for each in grad_inputs], [each.item() for each in grad_outputs]))
        return grad_inputs[0] * 10, grad_inputs[1]

    product.grad_fn.register_hook(hook)
    (product * 3).backward()
    assert seen == [([15.0, 6.0], [3.0])]
    assert (x.grad.item(), y.grad.item()) == (150.0, 6.0)


def test_a_node_prehook_may_replace_the_gradients_of_the_outputs():
    x = leaf(2.0)
    product = x * 3
    product.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 7,))
    product.backward()
    assert x.grad.item() == 21.0


def test_tensor_hooks_run_before_prehooks_before_the_node_before_its_hooks():
    x = leaf(2.0)
    y = x * 3
    order = []
    y.grad_fn.register_hook(lambda *grads: order.append("node hook"))
    y.grad_fn.register_prehook(lambda grads: order.append("prehook"))
    y.register_hook(lambda grad: order.append("tensor hook"))
    x.register_hook(lambda grad: order.append("leaf hook"))
    y.backward()
    assert order == ["tensor hook", "prehook", "node hook", "leaf hook"]


def test_a_hook_of_the_accumulator_runs_after_the_gradient_was_added():
    x = leaf(2.0)
    y = x * 3
    accumulator = y.grad_fn.next_functions[0][0]
    seen = []
    accumulator.register_prehook(lambda grads: seen.append(("before", x.grad)))
    accumulator.register_hook(lambda *grads: seen.append(("after", x.grad.item())))
    y.backward()
    assert seen == [("before", None), ("after", 3.0)]


def test_a_post_accumulate_hook_runs_after_each_accumulation():
    x = leaf(2.0)
    seen = []
    handle = x.register_post_accumulate_grad_hook(lambda tensor: seen.append((tensor is x, tensor.grad.item())))
    for _ in range(2):
        (x * 3).backward()
    assert seen == [(True, 3.0), (True, 6.0)]
    handle.remove()
    (x * 3).backward()
    assert len(seen) == 2


def test_a_post_accumulate_hook_may_free_the_gradient():
    x = leaf(2.0)

    def step(tensor):
        with wg.no_grad():
            tensor -= 0.5 * tensor.grad
        tensor.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 3).backward()
    assert x.grad is None and x.item() == 0.5


def test_only_leaves_take_post_accumulate_hooks():
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (leaf(2.0) * 3).register_post_accumulate_grad_hook(lambda tensor: None)
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require grad"):
        wg.ones(1).register_post_accumulate_grad_hook(lambda tensor: None)


def test_a_post_accumulate_hook_does_not_run_for_grad():
    x = leaf(2.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append(1))
    wg.autograd.grad(x * 3, x)
    assert seen == []


def test_a_node_knows_its_neighbours_and_keeps_notes():
    x, y = leaf(2.0), leaf(3.0)
    node = (x * y).grad_fn
    assert [(each.name(), nr) for each, nr in node.next_functions] == [("torch::autograd::AccumulateGrad", 0)] * 2
    assert node.next_functions[0][0].variable is x
    node.metadata["seen"] = 1
    assert node.metadata == {"seen": 1}
    assert (x * wg.ones(1)).grad_fn.next_functions[1] == (None, 0)


def test_a_hook_sees_gradients_that_are_recorded_when_the_pass_is():
    x = leaf(2.0)
    seen = []
    y = x * x
    y.register_hook(lambda grad: seen.append(grad.requires_grad))
    (first,) = wg.autograd.grad(y * y, x, create_graph=True)
    assert seen == [True]
    assert wg.autograd.grad(first, x)[0].item() == 48.0


def test_hooks_of_the_outputs_of_one_node_see_their_own_gradients():
    x = leaf(1.0, 2.0, 3.0)
    first, _, third = x.unbind()
    seen = {}
    first.register_hook(lambda grad: seen.update(first=grad.item()))
    third.register_hook(lambda grad: seen.update(third=grad.item()))
    (first * 2 + third * 4).backward()
    assert seen == {"first": 2.0, "third": 4.0}
    assert x.grad.tolist() == [2.0, 0.0, 4.0]


REPLACEMENTS = [
    (lambda grad: 1.0, TypeError, "expected Variable, but hook returned 'float'"),
    (lambda grad: (grad,), TypeError, "expected Variable, but hook returned 'tuple'"),
    (type, TypeError, "expected Variable, but hook returned 'type'"),
    (lambda grad: wg.ones(3, dtype=wg.float64), RuntimeError, "has changed the size of value"),
    (lambda grad: grad.to(wg.float32), RuntimeError, "has changed the type of value .was torch.DoubleTensor got"),
]


@pytest.mark.parametrize(("hook", "error", "says"), REPLACEMENTS, ids=["number", "tuple", "class", "shape", "dtype"])
@pytest.mark.parametrize("of_leaf", [True, False], ids=["leaf", "result"])
def test_a_replacement_that_does_not_fit_is_refused(of_leaf, hook, error, says):
    x = leaf(1.0, 2.0)
    y = x * 3
    (x if of_leaf else y).register_hook(hook)
    with pytest.raises(error, match=says):
        y.sum().backward()
    assert x.grad is None


@pytest.mark.parametrize(
    ("hook", "error", "says"),
    [
        (lambda inputs, outputs: 1.0, TypeError, "expected tuple, but hook returned 'float'"),
        (lambda inputs, outputs: inputs[0], TypeError, "expected tuple, but hook returned 'Tensor'"),
        (lambda inputs, outputs: (1.0, None), TypeError, "expected Variable, but hook returned 'float'"),
        (lambda inputs, outputs: inputs[:1], RuntimeError, "incorrect number of values \\(got 1, but expected 2\\)"),
        (lambda inputs, outputs: inputs[:1] * 2, RuntimeError, "can't replace a None gradient with a non-None value"),
        (lambda inputs, outputs: (wg.ones(3, dtype=wg.float64), None), RuntimeError, "has changed the size of value"),
    ],
    ids=["number", "tensor", "tuple of numbers", "count", "nothing", "shape"],
)
def test_what_a_node_hook_returns_has_to_fit(hook, error, says):
    x = leaf(1.0, 2.0)
    y = x * 3
    y.grad_fn.register_hook(hook)
    with pytest.raises(error, match=says):
        y.sum().backward()


def test_a_prehook_may_take_the_gradient_away():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda grads: (None,))
    (y.sum() + x.sum()).backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_node_hook_may_take_gradients_away():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.grad_fn.register_hook(lambda inputs, outputs: (None, None))
    (y.sum() + x.sum()).backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_hooks_of_a_leaf_run_before_and_after_its_gradient_is_added_in_torchs_order():
    seen = []
    x = wg.ones(2, requires_grad=True)
    y = x * 2
    ((accumulator, _), _) = y.grad_fn.next_functions
    accumulator.register_hook(lambda *_: seen.append(("posthook", x.grad.tolist())))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("post-accumulate", leaf.grad.tolist())))
    accumulator.register_prehook(lambda *_: seen.append(("prehook", x.grad)))
    x.register_hook(lambda _: seen.append(("tensor hook", x.grad)))
    y.sum().backward()
    added = [2.0, 2.0]
    assert seen == [("tensor hook", None), ("prehook", None), ("post-accumulate", added), ("posthook", added)]


@pytest.mark.parametrize(
    ("returned", "error", "says"),
    [
        (lambda p: 3, TypeError, "expected Variable, but hook returned 'int'"),
        (lambda p: p.detach().clone(), RuntimeError, "Tensor post accumulate grad hooks should return None."),
        (lambda p: p.detach()[:1], RuntimeError, "has changed the size of value"),
    ],
    ids=["a number", "a tensor", "a smaller tensor"],
)
def test_what_a_hook_after_accumulation_returns_is_refused(returned, error, says):
    x = leaf(1.0, 2.0)
    x.register_post_accumulate_grad_hook(returned)
    with pytest.raises(error, match=says):
        x.sum().backward()


def test_a_hook_after_accumulation_may_return_the_leaf():
    x = leaf(1.0, 2.0)
    x.register_post_accumulate_grad_hook(lambda p: p)
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
