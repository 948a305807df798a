"""Default gradient layouts, and manual gradient layouts."""

from __future__ import annotations

import warnings

from tests.mechanics.common import equal


def backward(torch, param, create_graph=False):
    """A pass whose gradient for `param` depends on it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (param * param).sum().backward(create_graph=create_graph)


def test_first_gradient_of_a_dense_parameter_has_its_strides(torch):
    """ "If param.grad is initially None: 1. If param's memory is non-overlapping and dense, .grad is created with
    strides matching param (thus matching param's layout)." """
    for param in (
        torch.ones(2, 3),
        torch.ones(3, 2).t(),
        torch.ones(2, 3, 4).permute(2, 0, 1),
        torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    ):
        leaf = param.detach().requires_grad_()
        backward(torch, leaf)
        assert leaf.grad.stride() == leaf.stride()


def test_first_gradient_of_an_expanded_or_strided_parameter_is_row_major(torch):
    """ "2. Otherwise, .grad is created with rowmajor-contiguous strides." """
    for param in (torch.ones(1, 3).expand(2, 3), torch.ones(4, 6)[::2, ::2], torch.ones(6, 4).t()[:, ::2]):
        leaf = param.detach().requires_grad_()
        backward(torch, leaf)
        assert leaf.grad.stride() == torch.empty(leaf.shape).stride() and leaf.grad.is_contiguous()


def test_first_gradient_matches_whatever_layout_the_incoming_one_has(torch):
    """ "1. ... .grad is created with strides matching param" also where the incoming gradient lies differently."""
    leaf = torch.ones(3, 2).t().detach().requires_grad_()
    leaf.backward(torch.arange(6.0).reshape(2, 3))
    assert leaf.grad.stride() == leaf.stride() == (1, 2)
    leaf = torch.ones(2, 3).requires_grad_()
    leaf.backward(torch.arange(6.0).reshape(3, 2).t())
    assert leaf.grad.stride() == (3, 1)
    leaf = torch.ones(2, 3).requires_grad_()
    leaf.sum().backward()
    assert leaf.grad.stride() == (3, 1)


def test_further_gradients_accumulate_in_place_and_keep_the_strides(torch):
    """ "3. If create_graph=False, backward() accumulates into .grad in-place, which preserves its strides." """
    leaf = torch.ones(3, 2).t().detach().requires_grad_()
    backward(torch, leaf)
    grad, place = leaf.grad, leaf.grad.data_ptr()
    leaf.backward(torch.ones(2, 3))
    assert leaf.grad is grad and leaf.grad.data_ptr() == place and grad.stride() == (1, 2)
    assert grad.tolist() == [[3.0] * 3] * 2 and grad._version > 0


def test_with_create_graph_grad_is_replaced_by_a_new_tensor(torch):
    """ "4. If create_graph=True, backward() replaces .grad with a new tensor .grad + new grad, which attempts (but does
    not guarantee) matching the preexisting .grad's strides." """
    leaf = torch.ones(3, 2).t().detach().requires_grad_()
    backward(torch, leaf)
    grad = leaf.grad
    backward(torch, leaf, create_graph=True)
    new = leaf.grad
    assert new is not grad and new.tolist() == [[4.0] * 3] * 2 and new.requires_grad
    assert grad.tolist() == [[2.0] * 3] * 2, "the old one is as it was"
    assert new.stride() == (1, 2)
    leaf.grad = None


def test_grad_is_none_before_the_first_backward(torch):
    """ "The default behavior (letting .grad s be None before the first backward(), ...) is recommended for best
    performance." """
    assert torch.ones(2, requires_grad=True).grad is None
    assert all(each.grad is None for each in torch.nn.Linear(2, 2).parameters())


def test_zero_grad_does_not_affect_the_layouts(torch):
    """ "Calls to model.zero_grad() or optimizer.zero_grad() will not affect .grad layouts." """
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.ones(3, 2).t())
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    backward(torch, module.weight)
    for zero in (module.zero_grad, optimizer.zero_grad):
        zero(set_to_none=False)
        assert module.weight.grad.stride() == (1, 2) and module.weight.grad.abs().sum().item() == 0
        backward(torch, module.weight)
        assert module.weight.grad.stride() == (1, 2)
        zero()
        assert module.weight.grad is None
        backward(torch, module.weight)
        assert module.weight.grad.stride() == (1, 2)


def test_resetting_grad_to_none_makes_it_anew_each_time(torch):
    """ "In fact, resetting all .grad s to None before each accumulation phase, ... such that they're recreated
    according to 1 or 2 every time, is a valid alternative ..." """
    leaf = torch.ones(3, 2).t().detach().requires_grad_()
    leaf.grad = torch.zeros(2, 3)
    for _ in range(3):
        leaf.grad = None
        backward(torch, leaf)
        assert leaf.grad.stride() == (1, 2) and leaf.grad.tolist() == [[2.0] * 3] * 2


def test_a_first_gradient_with_create_graph_has_the_strides_of_the_parameter_too(torch):
    """ "If param.grad is initially None: 1. ... .grad is created with strides matching param ..." """
    leaf = torch.ones(3, 2).t().detach().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (leaf**2).backward(torch.arange(6.0).reshape(2, 3), create_graph=True)
    assert leaf.grad.stride() == (1, 2) and leaf.grad.requires_grad
    assert leaf.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]
    (second,) = torch.autograd.grad(leaf.grad.sum(), leaf)
    assert second.tolist() == leaf.grad.tolist()
    leaf.grad = None


def test_a_zeroed_gradient_of_chosen_strides_is_kept(torch):
    """ "If you need manual control over .grad's strides, assign param.grad = a zeroed tensor with desired strides
    before the first backward(), and never reset it to None. 3 guarantees your layout is preserved as long as
    create_graph=False." """
    param = torch.ones(2, 3, requires_grad=True)
    param.grad = torch.zeros(3, 2).t()
    chosen = param.grad
    for step in range(1, 4):
        backward(torch, param)
        assert param.grad is chosen and param.grad.stride() == (1, 2)
        assert param.grad.tolist() == [[2.0 * step] * 3] * 2


def test_a_chosen_layout_is_likely_kept_with_create_graph(torch):
    """ "4 indicates your layout is likely preserved even if create_graph=True." """
    param = torch.ones(2, 3, requires_grad=True)
    param.grad = torch.zeros(3, 2).t()
    backward(torch, param, create_graph=True)
    assert param.grad.stride() == (1, 2) and param.grad.tolist() == [[2.0] * 3] * 2
    param.grad = None


def test_assigning_a_gradient_that_does_not_fit_is_refused(torch):
    """ "assign param.grad = a zeroed tensor with desired strides"; its shape must be that of the parameter."""
    param = torch.ones(2, 3, requires_grad=True)
    for wrong in (torch.zeros(3, 2), 0.0):
        try:
            param.grad = wrong
        except (RuntimeError, TypeError):
            continue
        raise AssertionError("it was taken")
    assert param.grad is None


def test_backward_from_the_tensor_and_from_the_module_give_the_same_layouts(torch):
    """ "When a non-sparse param receives a non-sparse gradient during torch.autograd.backward or torch.Tensor.backward
    param.grad is accumulated as follows." """
    one, other = (torch.ones(3, 2).t().detach().requires_grad_() for _ in range(2))
    (one * 2).sum().backward()
    torch.autograd.backward([(other * 2).sum()])
    assert one.grad.stride() == other.grad.stride() == (1, 2)
    assert equal(one.grad[0], 2.0, 2.0, 2.0)
