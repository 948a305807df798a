"""Tensor autograd functions, and `backward` and `grad` of the package."""

from __future__ import annotations

import warnings

from tests.mechanics.common import equal, refused


def test_backward_of_the_package_sums_into_the_leaves(torch):
    """ "backward" """
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.autograd.backward([(x * 2).sum(), x * y], [None, torch.tensor([1.0, 10.0])])
    assert equal(x.grad, 3.0, 12.0) and equal(y.grad, 1.0, 10.0)


def test_grad_of_the_package_returns_gradients_and_leaves_grad_alone(torch):
    """ "grad" """
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    of_x, of_y = torch.autograd.grad((x * y * 3).sum(), [x, y])
    assert equal(of_x, 3.0, 3.0) and equal(of_y, 3.0, 3.0) and x.grad is None and y.grad is None


def test_grad_of_an_input_that_was_not_used(torch):
    """ "grad" """
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    refused(lambda: torch.autograd.grad(x.sum(), [y]), "appears to not have been used in the graph")
    assert torch.autograd.grad(x.sum(), [y], allow_unused=True) == (None,)
    assert equal(torch.autograd.grad(x.sum(), [y], materialize_grads=True)[0], 0.0, 0.0)


def test_backward_of_a_tensor_needs_a_gradient_unless_it_is_a_scalar(torch):
    """ "torch.Tensor.backward" """
    x = torch.ones(2, requires_grad=True)
    refused((x * 2).backward, "grad can be implicitly created only for scalar outputs")
    (x * 2).backward(torch.tensor([1.0, 5.0]))
    assert equal(x.grad, 2.0, 10.0)


def test_backward_a_second_time_needs_retain_graph(torch):
    """ "torch.Tensor.backward" """
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert equal(x.grad, 4.0, 4.0)
    refused(y.backward, "Trying to backward through the graph a second time", "Specify retain_graph=True")


def test_backward_into_chosen_inputs_only(torch):
    """ "torch.Tensor.backward" """
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x * y).sum().backward(inputs=[x])
    assert equal(x.grad, 1.0, 1.0) and y.grad is None


def test_backward_with_create_graph_can_be_differentiated_again(torch):
    """ "torch.Tensor.backward" """
    x = torch.tensor([2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**3).backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.backward()
    assert equal(first.detach(), 12.0) and equal(x.grad, 12.0)


def test_grad_of_a_tensor_is_none_until_backward_and_may_be_assigned(torch):
    """ "torch.Tensor.grad" """
    x = torch.ones(2, requires_grad=True)
    assert x.grad is None
    x.grad = torch.tensor([1.0, 2.0])
    (x * 1).sum().backward()
    assert equal(x.grad, 2.0, 3.0)
    x.grad = None
    assert x.grad is None


def test_requires_grad_and_is_leaf(torch):
    """ "torch.Tensor.requires_grad", "torch.Tensor.is_leaf" """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert (x.requires_grad, x.is_leaf) == (True, True)
    assert (y.requires_grad, y.is_leaf) == (True, False)
    assert (y.detach().requires_grad, y.detach().is_leaf) == (False, True)


def test_detach_shares_memory_and_cuts_the_history(torch):
    """ "torch.Tensor.detach" """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    cut = y.detach()
    assert cut.data_ptr() == y.data_ptr() and cut.grad_fn is None and not cut.requires_grad
    (cut * x).sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_detach_in_place_cuts_the_tensor_itself(torch):
    """ "torch.Tensor.detach_" """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert y.detach_() is y and y.is_leaf and not y.requires_grad and y.grad_fn is None


def test_register_hook_sees_the_gradient(torch):
    """ "torch.Tensor.register_hook" """
    x, seen = torch.ones(2, requires_grad=True), []
    y = x * 3
    y.register_hook(lambda grad: seen.append(("y", grad.tolist())))
    x.register_hook(lambda grad: seen.append(("x", grad.tolist())))
    y.sum().backward()
    assert seen == [("y", [1.0, 1.0]), ("x", [3.0, 3.0])]


def test_register_hook_may_replace_the_gradient(torch):
    """ "torch.Tensor.register_hook" """
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: grad + 1)
    y.sum().backward()
    assert equal(x.grad, 7.0, 7.0)


def test_hooks_run_in_the_order_of_their_registration(torch):
    """ "torch.Tensor.register_hook" """
    x, order = torch.ones(1, requires_grad=True), []
    for name in "abc":
        x.register_hook(lambda grad, name=name: order.append(name))
    x.backward()
    assert order == ["a", "b", "c"]


def test_a_hook_can_be_removed(torch):
    """ "torch.Tensor.register_hook" """
    x, seen = torch.ones(1, requires_grad=True), []
    handle = x.register_hook(lambda grad: seen.append(1))
    x.backward()
    handle.remove()
    handle.remove()
    x.backward()
    with x.register_hook(lambda grad: seen.append(2)):
        x.backward()
    x.backward()
    assert seen == [1, 2]


def test_a_hook_that_raises_leaves_the_engine_usable(torch):
    """ "torch.Tensor.register_hook" """
    x = torch.ones(2, requires_grad=True)

    def fail(grad):
        raise ValueError("in the hook")

    handle = x.register_hook(fail)
    refused((x * 2).sum().backward, "in the hook", kind=ValueError)
    handle.remove()
    (x * 2).sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_a_hook_of_a_tensor_written_to_belongs_to_the_value_at_its_registration(torch):
    """ "torch.Tensor.register_hook", together with in-place operations."""
    x, seen = torch.ones(2, requires_grad=True), []
    y = x * 1
    y.register_hook(lambda grad: seen.append(("before", grad.tolist())))
    y.mul_(5)
    y.register_hook(lambda grad: seen.append(("after", grad.tolist())))
    y.sum().backward()
    assert seen == [("after", [1.0, 1.0]), ("before", [5.0, 5.0])]


def test_a_hook_needs_a_tensor_that_requires_grad(torch):
    """ "torch.Tensor.register_hook" """
    refused(
        lambda: torch.ones(1).register_hook(print), "cannot register a hook on a tensor that doesn't require gradient"
    )


def test_retain_grad_keeps_the_gradient_of_a_non_leaf(torch):
    """ "torch.Tensor.retain_grad" """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert y.retains_grad is False
    y.retain_grad()
    (y * y).sum().backward()
    assert y.retains_grad is True and equal(y.grad, 4.0, 4.0) and x.retains_grad is False
    refused(lambda: torch.ones(1).retain_grad(), "can't retain_grad on Tensor that has requires_grad=False")


def test_retain_grad_keeps_what_the_hooks_made_of_it(torch):
    """ "torch.Tensor.retain_grad": hooks of a tensor run before its gradient is kept, whatever the order of the
    calls."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    y.sum().backward()
    assert equal(y.grad, 10.0, 10.0)


def test_post_accumulate_grad_hooks_run_after_grad_is_ready(torch):
    """ "torch.Tensor.register_hook" and its companion for leaves, `register_post_accumulate_grad_hook`."""
    x, seen = torch.ones(2, requires_grad=True), []

    def hook(tensor):
        seen.append(tensor.grad.tolist())
        tensor.grad = None

    handle = x.register_post_accumulate_grad_hook(hook)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    handle.remove()
    assert seen == [[2.0, 2.0], [3.0, 3.0]] and x.grad is None
    refused(
        lambda: (x * 2).register_post_accumulate_grad_hook(hook),
        "post accumulate grad hooks cannot be registered on non-leaf tensors",
    )
