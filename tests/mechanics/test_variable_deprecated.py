"""Variable (deprecated), and what the early versions had."""

from __future__ import annotations

import warnings

from tests.mechanics.common import equal


def variable(torch, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.Variable(*args, **options)


def test_variables_are_not_necessary_to_use_autograd_with_tensors(torch):
    """ "The Variable API has been deprecated: Variables are no longer necessary to use autograd with tensors. Autograd
    automatically supports Tensors with requires_grad set to True." """
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_variable_of_a_tensor_returns_a_tensor(torch):
    """ "Variable(tensor) and Variable(tensor, requires_grad) still work as expected, but they return Tensors instead of
    Variables." """
    data = torch.ones(2)
    plain, tracked = variable(torch, data), variable(torch, data, requires_grad=True)
    by_position = variable(torch, data, True)
    assert type(plain) is type(tracked) is torch.Tensor
    assert (plain.requires_grad, tracked.requires_grad, by_position.requires_grad) == (False, True, True)


def test_a_variable_shares_the_memory_of_its_tensor(torch):
    """ "Variable(tensor) ... still work as expected"; it is a new tensor over the same memory."""
    data = torch.ones(2)
    made = variable(torch, data, requires_grad=True)
    assert made is not data and made.data_ptr() == data.data_ptr() and not data.requires_grad
    assert made.is_leaf


def test_data_of_a_variable_is_data_of_a_tensor(torch):
    """ "var.data is the same thing as tensor.data." """
    var = variable(torch, torch.ones(2), requires_grad=True)
    assert var.data.data_ptr() == var.data_ptr() and not var.data.requires_grad
    var.data = torch.zeros(3)
    assert equal(var, 0.0, 0.0, 0.0) and var.requires_grad


def test_methods_of_variables_work_on_tensors(torch):
    """ "Methods such as var.backward(), var.detach(), var.register_hook() now work on tensors with the same method
    names." """
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    assert y.detach().requires_grad is False
    y.sum().backward()
    assert seen == [[1.0, 1.0]] and equal(x.grad, 2.0, 2.0)


def test_factories_make_tensors_with_requires_grad(torch):
    """ "In addition, one can now create tensors with requires_grad=True using factory methods such as torch.randn,
    torch.zeros, torch.ones, and others like the following" """
    made = torch.randn((2, 3, 4), requires_grad=True)
    assert made.shape == (2, 3, 4) and made.requires_grad
    made = [
        torch.zeros(2, requires_grad=True),
        torch.ones(2, requires_grad=True),
        torch.rand(2, requires_grad=True),
        torch.full((2,), 3.0, requires_grad=True),
        torch.tensor([1.0], requires_grad=True),
        torch.arange(3.0, requires_grad=True),
        torch.linspace(0, 1, 3, requires_grad=True),
        torch.eye(2, requires_grad=True),
        torch.zeros_like(torch.ones(2), requires_grad=True),
        torch.empty(2, requires_grad=True),
    ]
    assert all(each.requires_grad and each.is_leaf for each in made)


def test_variable_is_tensor_for_isinstance(torch):
    """ "现在，Variable 其实就是Tensor，只是为了向后兼容，才保留这个名字。" (Variable is Tensor now; the name was kept
    for old programs.)"""
    assert isinstance(torch.ones(1), torch.autograd.Variable)
    assert not isinstance(3, torch.autograd.Variable)


def test_a_variable_holds_what_belongs_to_autograd(torch):
    """ "Variable包含了与autograd有关的属性，可以是计算图中的叶子节点，也可以是计算时候产生的中间变量。" (A Variable
    may be a leaf of the graph or an intermediate result.)"""
    leaf = variable(torch, torch.ones(2), requires_grad=True)
    between = leaf * 2
    assert isinstance(between, torch.autograd.Variable)
    assert leaf.is_leaf and not between.is_leaf and between.grad_fn is not None and leaf.grad is None
