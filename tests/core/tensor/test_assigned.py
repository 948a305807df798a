"""Attributes of a tensor that are assigned or deleted: what is refused, and how."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values or (1.0, 2.0), dtype=wg.float64, requires_grad=True)


@pytest.mark.parametrize("value", [5, 1, None, "a", {}, wg.tensor(True)])
def test_requires_grad_is_a_bool(value):
    x = wg.ones(2)
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = value
    with pytest.raises(TypeError, match=r"requires_grad_\(\): argument 'requires_grad' must be bool"):
        x.requires_grad_(value)
    assert not x.requires_grad


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("requires_grad", "requires_grad must be a bool"),
        ("data", "Deleting tensor data is not allowed"),
        ("_grad_fn", "Deletion of _grad_fn not allowed"),
        ("_backward_hooks", "Deletion of _backwards_hooks not allowed"),
        ("_post_accumulate_grad_hooks", "Deletion of _post_accumulate_grad_hooks not allowed"),
    ],
)
def test_what_every_tensor_has_is_not_deleted(name, says):
    x = leaf()
    with pytest.raises(RuntimeError, match=says):
        delattr(x, name)
    assert x.requires_grad and x.data.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["grad_fn", "is_leaf", "shape", "dtype", "device", "ndim", "_base", "_version", "T"])
def test_what_a_tensor_only_tells_is_neither_assigned_nor_deleted(name):
    x = leaf()
    for act in (lambda: setattr(x, name, None), lambda: setattr(x, name, 5), lambda: delattr(x, name)):
        with pytest.raises(AttributeError):
            act()


@pytest.mark.parametrize("value", [None, 5, "a", {}])
def test_data_is_a_tensor(value):
    x = leaf()
    with pytest.raises(TypeError, match=f"Variable data has to be a tensor, but got {type(value).__name__}"):
        x.data = value
    assert x.data.tolist() == [1.0, 2.0]


def test_the_gradient_may_be_deleted_and_has_a_name_that_does_not_warn():
    x = leaf()
    (x * 2).sum().backward()
    assert x._grad is x.grad
    del x.grad
    assert x._grad is None
    x._grad = wg.ones(2, dtype=wg.float64)
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type int"):
        x._grad = 5
    assert (x * 2)._grad is None


def test_the_history_may_be_set_to_none_only():
    y = leaf() * 2
    with pytest.raises(RuntimeError, match="_grad_fn can be only set to None"):
        y._grad_fn = y.grad_fn
    assert y._grad_fn is y.grad_fn
    y._grad_fn = None
    assert y.is_leaf and not y.requires_grad


def test_the_hooks_of_a_leaf_may_be_replaced_by_a_dictionary():
    log = []
    x = leaf()
    x.register_hook(lambda grad: log.append("registered"))
    x._backward_hooks = None
    (x * 2).sum().backward()
    assert log == [] and x._backward_hooks is None
    hooks = x._backward_hooks = OrderedDict(given=lambda grad: log.append("given"))
    assert x._backward_hooks is hooks
    handle = x.register_hook(lambda grad: log.append("registered"))
    (x * 2).sum().backward()
    assert log == ["given", "registered"] and len(hooks) == 2
    handle.remove()
    assert list(hooks) == ["given"]
    for wrong in (5, "a", x):
        with pytest.raises(TypeError, match="_backward_hooks must be a dict"):
            x._backward_hooks = wrong


def test_the_hooks_after_accumulation_may_be_replaced_too():
    log = []
    x = leaf()
    x._post_accumulate_grad_hooks = OrderedDict(given=lambda tensor: log.append(tensor is x))
    x.sum().backward()
    x._post_accumulate_grad_hooks = None
    x.sum().backward()
    assert log == [True]
