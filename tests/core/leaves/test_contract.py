"""Default gradient layouts, the four rules of torch's documentation of `torch.autograd`, by strides."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg
from wengert._core.leaves import contract


def dense(*order):
    """A leaf of shape (2, 3, 4) whose dimensions lie in memory in another order, without gaps."""
    shape = (2, 3, 4)
    whole = wg.zeros([shape[dim] for dim in order])
    back = [order.index(dim) for dim in range(3)]
    return whole.permute(back).detach().requires_grad_()


ORDERS = [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)]


@pytest.mark.parametrize("order", ORDERS)
def test_rule_1_the_gradient_of_a_dense_leaf_has_its_strides(order):
    x = dense(*order)
    (x * 2).sum().backward()
    assert x.grad.stride() == x.stride()
    assert x.grad.flatten().tolist() == [2.0] * 24


@pytest.mark.parametrize("order", ORDERS)
def test_rule_1_holds_whatever_the_strides_of_what_arrives(order):
    x = dense(*order)
    weights = wg.arange(24.0).view(2, 3, 4)
    x.backward(weights)
    assert x.grad.stride() == x.stride()
    assert x.grad.flatten().tolist() == list(range(24))
    y = dense(0, 1, 2)
    y.backward(weights.permute(2, 1, 0).contiguous().permute(2, 1, 0))
    assert y.grad.stride() == (12, 4, 1)


def test_rule_2_the_gradient_of_a_leaf_with_gaps_is_row_major():
    x = wg.zeros(4, 6)[:, ::2].detach().requires_grad_()
    assert x.stride() == (6, 2)
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)


def test_rule_2_the_gradient_of_an_expanded_leaf_is_row_major():
    x = wg.zeros(3, 1).expand(3, 4).detach().requires_grad_()
    assert x.stride() == (1, 0)
    (x * 2).sum().backward()
    assert x.grad.stride() == (4, 1)
    assert x.grad.tolist() == [[2.0] * 4] * 3


def test_rule_2_a_transposed_leaf_with_gaps_gets_row_major_too():
    x = wg.zeros(6, 4)[::2].t().detach().requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)


@pytest.mark.parametrize("order", ORDERS)
def test_rule_3_later_gradients_are_added_in_place(order):
    x = dense(0, 1, 2)
    x.grad = dense(*order).detach()
    known, strides, pointer = x.grad, x.grad.stride(), x.grad.data_ptr()
    for _ in range(2):
        (x * 2).sum().backward()
    assert x.grad is known
    assert x.grad.stride() == strides and x.grad.data_ptr() == pointer
    assert x.grad.flatten().tolist() == [4.0] * 24
    assert x.grad._version == 2


def test_rule_4_a_recorded_pass_replaces_the_gradient_by_the_sum():
    x = dense(0, 1, 2)
    (x * 2).sum().backward()
    known = x.grad
    (x * x).sum().backward(create_graph=True)
    assert x.grad is not known
    assert x.grad.stride() == known.stride()
    assert known.flatten().tolist() == [2.0] * 24
    x.grad = None


@pytest.mark.parametrize("order", ORDERS)
def test_rule_4_tries_to_keep_the_strides(order):
    x = dense(*order)
    x.grad = dense(*order).detach()
    (x * x).sum().backward(create_graph=True)
    assert x.grad.stride() == x.stride()
    x.grad = None


def test_a_gradient_that_nobody_else_sees_need_not_be_copied_and_others_are():
    x, y = wg.ones(3, requires_grad=True), wg.ones(3, requires_grad=True)
    given = wg.tensor([1.0, 2.0, 3.0])
    (x + y).backward(given)
    assert len({given.data_ptr(), x.grad.data_ptr(), y.grad.data_ptr()}) == 3


def test_a_gradient_is_not_a_view_of_something_larger():
    x = wg.ones(2, requires_grad=True)
    other = wg.ones(4, requires_grad=True)
    wg.cat([x, other]).backward(wg.arange(6.0))
    assert x.grad.tolist() == [0.0, 1.0] and other.grad.tolist() == [2.0, 3.0, 4.0, 5.0]
    x.grad.fill_(7)
    assert other.grad.tolist() == [2.0, 3.0, 4.0, 5.0]


def test_the_gradient_of_one_tensor_used_twice_in_one_sum_is_added():
    x = wg.ones(3, requires_grad=True)
    wg.cat([x, x]).backward(wg.arange(6.0))
    assert x.grad.tolist() == [3.0, 5.0, 7.0]


def gaps():
    return wg.zeros(4, 6)[:, ::2].detach().requires_grad_()


def expanded():
    return wg.zeros(3, 1).expand(3, 4).detach().requires_grad_()


@pytest.mark.parametrize("make", [gaps, expanded])
def test_rule_2_holds_in_a_recorded_pass_too(make):
    x = make()
    (x * x).sum().backward(create_graph=True)
    assert x.grad.is_contiguous() and x.grad.requires_grad
    x.grad = None


@pytest.mark.parametrize("order", ORDERS)
def test_rule_1_holds_in_a_recorded_pass_too(order):
    x = dense(*order)
    weights = wg.arange(24.0).view(2, 3, 4)
    (x * x * weights).sum().backward(create_graph=True)
    assert x.grad.stride() == x.stride() and x.grad.requires_grad
    x.grad = None


def test_a_gradient_with_gaps_assigned_by_hand_keeps_them():
    x = dense(0, 1, 2)
    x.grad = wg.zeros(2, 3, 8)[:, :, ::2]
    known = x.grad
    for _ in range(2):
        (x * 2).sum().backward()
    assert x.grad is known and x.grad.stride() == (24, 8, 2)
    assert x.grad.flatten().tolist() == [4.0] * 24


def test_a_gradient_assigned_by_hand_likely_keeps_its_strides_in_a_recorded_pass():
    x = dense(0, 1, 2)
    x.grad = dense(2, 1, 0).detach()
    (x * x).sum().backward(create_graph=True)
    assert x.grad.stride() == dense(2, 1, 0).stride()
    x.grad = None


@pytest.mark.parametrize("reset", ["module", "optimizer"])
def test_zero_grad_does_not_affect_the_layout(reset):
    layer = wg.nn.Linear(3, 4)
    layer.weight.grad = wg.zeros(3, 4).t()
    known = layer.weight.grad
    what = layer if reset == "module" else wg.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(2):
        layer(wg.ones(2, 3)).sum().backward()
        what.zero_grad(set_to_none=False)
        assert layer.weight.grad is known and known.stride() == (1, 4) and not known.any()
    what.zero_grad()
    layer(wg.ones(2, 3)).sum().backward()
    assert layer.weight.grad is not known and layer.weight.grad.stride() == (3, 1)


def test_a_gradient_that_lies_otherwise_is_told_once(monkeypatch):
    monkeypatch.setattr(contract, "WARNED", set())
    for way in ({}, {"create_graph": True}):
        x = wg.ones(2, 3).t().requires_grad_()
        x.grad = wg.zeros(3, 2)
        with pytest.warns(UserWarning, match="do not obey the gradient layout contract") as told:
            (x * 2).sum().backward(**way)
            (x * 2).sum().backward(**way)
        texts = [str(each.message) for each in told if "contract" in str(each.message)]
        assert len(texts) == 1
        assert "grad.sizes() = [3, 2], strides() = [2, 1]\nparam.sizes() = [3, 2], strides() = [1, 3]" in texts[0]
        x.grad = None


@pytest.mark.parametrize(
    ("leaf", "grad"),
    [
        (wg.ones(3, 2), wg.zeros(3, 2)),
        (wg.ones(2, 3).t(), wg.zeros(2, 3).t()),
        (wg.ones(4)[::2], wg.zeros(2)),
        (wg.ones(2, 1, 3), wg.zeros(1, 2, 3).transpose(0, 1)),
    ],
    ids=["rows", "columns", "gaps", "a dimension of one"],
)
def test_a_gradient_that_lies_as_it_should_is_not_told(monkeypatch, leaf, grad):
    monkeypatch.setattr(contract, "WARNED", set())
    x = leaf.detach().requires_grad_()
    x.grad = grad.clone() if grad.is_contiguous() else grad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x * 2).sum().backward()
    assert not contract.WARNED


@pytest.mark.parametrize(
    ("make", "function", "versions"),
    [
        (lambda: wg.ones(3), lambda x: x.sum(), [1, 2]),  # laid out, written, added to
        (lambda: wg.ones(3), lambda x: (x * 2).sum(), [0, 1]),  # the gradient itself
        (lambda: wg.ones(2, 3).t(), lambda x: (x * 2).sum(), [1, 2]),
        (lambda: wg.ones(6)[::2], lambda x: x.sum(), [0, 1]),  # not dense: copied
    ],
)
def test_how_often_a_gradient_was_written_to(make, function, versions):
    x = make().requires_grad_()
    found = []
    for _ in range(2):
        function(x).backward()
        found.append(x.grad._version)
    assert found == versions
