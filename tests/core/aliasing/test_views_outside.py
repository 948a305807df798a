"""detach, detach_, data and requires_grad_ on tensors and their views."""

from __future__ import annotations

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def plain(*values):
    return wg.tensor(values, dtype=wg.float64)


def test_detach_shares_memory_and_version_and_data_only_memory():
    x = leaf(1.0, 2.0)
    detached, data = x.detach(), x.data
    assert not detached._is_view() and not data._is_view() and detached._base is None
    detached.mul_(2)
    data.add_(1)
    assert x.tolist() == [3, 5]
    assert (x._version, detached._version, data._version) == (1, 1, 1)
    data.zero_()
    assert (x._version, data._version) == (1, 2)
    assert x.data._version == 0 and x.detach()._version == 1


def test_a_write_through_detach_is_noticed_and_one_through_data_is_not():
    y = leaf(1.0, 2.0) * 1
    product = y * y
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    x = leaf(1.0, 2.0)
    product = x * x
    x.data.mul_(2)
    product.sum().backward()
    assert x.grad.tolist() == [4, 8]


def test_detach_in_place_makes_a_leaf_of_a_result():
    y = leaf(1.0, 2.0) * 1
    assert y.detach_() is y
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None and y._version == 0
    y.requires_grad_()
    (y * 2).sum().backward()
    assert y.grad.tolist() == [2, 2]


@pytest.mark.parametrize("view", [lambda y: y[:1], lambda y: y.unbind()[0], lambda y: y.detach()[:1]])
def test_a_view_is_not_detached_in_place(view):
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        view(leaf(1.0, 2.0) * 1).detach_()


def test_what_was_saved_before_detach_in_place_is_not_used():
    y = leaf(1.0, 2.0) * 1
    product = y * y
    y.detach_()
    with pytest.raises(RuntimeError, match="Trying to use a saved tensor that has been detached in-place"):
        product.sum().backward()


def test_what_is_saved_after_detach_in_place_is_used():
    x = leaf(1.0, 2.0)
    y = x * 1
    y.detach_()
    (x * y).sum().backward()
    assert x.grad.tolist() == [1, 2]


def test_a_view_keeps_its_history_when_its_base_is_detached():
    x = leaf(1.0, 2.0)
    base = x * 3
    view = base[:1]
    base.detach_()
    view.sum().backward()
    assert x.grad.tolist() == [3, 0]


def test_the_history_of_a_view_begins_anew_when_its_base_is_written_to_after_it_was_detached():
    x = leaf(1.0, 2.0)
    base = x * 1
    view, pair = base.view(2), wg.view_as_complex(base)
    base.detach_()
    base.exp_()
    assert view.requires_grad and not base.requires_grad
    assert view.grad_fn.name() == "AsStridedBackward0" and view.grad_fn.next_functions == ((None, 0),)
    assert pair.grad_fn.next_functions == ((None, 0),)
    (view * x.detach() + pair.real).sum().backward()
    assert x.grad is None
    base.mul_(x)
    view.sum().backward()
    assert x.grad.tolist() == pytest.approx([2.718281828, 7.389056099])


def test_only_leaves_change_whether_they_require_a_gradient():
    y = leaf(1.0) * 1
    assert y.requires_grad_() is y
    for change in (lambda: y.requires_grad_(False), lambda: setattr(y, "requires_grad", False)):
        with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
            change()
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = True
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        wg.tensor([1]).requires_grad_()


@pytest.mark.parametrize("leave", [lambda x: x.detach_(), lambda x: x.requires_grad_(False)])
def test_a_leaf_that_became_a_result_takes_no_gradient_of_an_earlier_graph(leave):
    x = leaf(1.0, 2.0)
    product = x * 3
    leave(x)
    x.mul_(leaf(2.0, 2.0))
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        product.sum().backward()
    assert not x.is_leaf


def test_a_view_that_became_a_result_by_a_write_to_its_base_is_no_leaf_to_change():
    base = plain(1.0, 2.0)
    view = base[:1]
    assert view.is_leaf
    base.mul_(leaf(2.0, 3.0))
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        view.requires_grad_(False)
    assert view.requires_grad and not view.is_leaf


def test_a_view_of_a_plain_tensor_may_be_a_leaf_of_its_own():
    base = plain(1.0, 2.0, 3.0)
    view = base[:2].requires_grad_()
    assert view.is_leaf and view.requires_grad and not base.requires_grad
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match=r"a (view of a )?leaf Variable that requires"):
        view.mul_(2)
    base.mul_(2)
    assert view.tolist() == [2, 4] and view.is_leaf and view.requires_grad


def test_assigning_data_keeps_the_place_in_the_graph_and_the_version():
    x = leaf(1.0, 2.0)
    product = x * x
    before = x.data
    x.data = plain(3.0, 4.0)
    assert x.tolist() == [3, 4] and before.tolist() == [1, 2]
    assert x.is_leaf and x.requires_grad and x._version == 0
    product.sum().backward()
    assert x.grad.tolist() in ([2, 4], [6, 8])  # torch reads the new memory: writes to data are not noticed
    y = x * 1
    node, other = y.grad_fn, plain(8.0, 9.0)
    y.data = other
    y.add_(1)
    assert y.grad_fn.next_functions[0][0] is node
    assert other.tolist() == [9, 10] and other._version == 0


def test_assigned_data_must_be_a_tensor_that_can_have_a_gradient():
    x = leaf(1.0, 2.0)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got NoneType"):
        x.data = None
    with pytest.raises(RuntimeError, match="data set to a tensor that requires gradients must be floating point"):
        x.data = wg.tensor([1, 2])
    assert x.tolist() == [1, 2]


def test_a_view_whose_base_got_other_memory_says_so():
    base = leaf(1.0, 2.0) * 1
    view = base[:1]
    with wg.no_grad():
        base.set_(plain(5.0, 6.0))
    assert view.grad_fn.name() == "AsStridedBackward0" and (view * 2).tolist() == [2]
    with pytest.raises(RuntimeError, match="A view and its base no longer share memory"):
        (view * 2).backward()


def test_a_retained_gradient_is_that_of_the_value_after_a_write_to_a_view():
    y = leaf(1.0, 2.0) * 1
    y.retain_grad()
    y[:1].mul_(5)
    (y * plain(3.0, 4.0)).sum().backward()
    assert y.grad.tolist() == [3, 4]


def test_a_view_reaches_no_further_into_complex_numbers_after_a_write_than_before():
    real, imaginary = leaf(1.0, 2.0, 3.0, 4.0), leaf(5.0, 6.0, 7.0, 8.0)
    parts = wg.complex(real, imaginary).imag
    beside = parts.as_strided((2, 2), (2, 1))  # sees the real parts too, of which `parts` knows nothing
    before = wg.autograd.grad(beside.sum(), [real, imaginary], retain_graph=True)
    with wg.no_grad():
        wg.add(parts, 1, out=parts)
    after = wg.autograd.grad(beside.sum(), [real, imaginary])
    for grads in before, after:
        assert [grad.tolist() for grad in grads] == [[0, 0, 0, 0], [1, 1, 0, 0]]
