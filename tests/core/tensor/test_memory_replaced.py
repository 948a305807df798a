"""Tensors that are given other memory: what can be asked of them, and which gradients there are."""

from __future__ import annotations

import pytest

import wengert as wg

REPLACED = "A view and its base no longer share memory"


def leaf():
    return wg.arange(1.0, 7.0).requires_grad_()


def replaced_by_data(view):
    view.data = wg.ones(4)


def replaced_by_set(view):
    with wg.no_grad():
        view.set_(wg.ones(4))


@pytest.mark.parametrize("replace", [replaced_by_data, replaced_by_set])
def test_a_view_with_other_memory_can_be_looked_at_after_a_write_but_has_no_gradient(replace):
    x = leaf()
    view = (x * 1).view(2, 3)
    replace(view)
    with wg.no_grad():
        view.mul_(2)
    assert view.grad_fn.name() == "AsStridedBackward0" and not view.is_leaf and view._is_view()
    assert view.tolist() == view.detach().tolist() == [2] * 4 and "AsStridedBackward0" in repr(view)
    with pytest.raises(RuntimeError, match=REPLACED):
        view.sum().backward()
    assert x.grad is None


def test_a_recorded_write_to_a_view_with_other_memory_is_refused_when_gradients_are_wanted():
    x = leaf()
    base = x * 1
    view = base.view(2, 3)
    view.data = wg.ones(4)
    view.mul_(2)
    assert view.tolist() == [2] * 4 and base.tolist() == [1, 2, 3, 4, 5, 6]
    assert base.grad_fn.name() == "torch::autograd::CopySlices"
    for each in (view, base):
        with pytest.raises(RuntimeError, match=REPLACED):
            each.sum().backward()


def test_a_view_that_is_given_its_own_memory_keeps_its_gradient():
    x = leaf()
    view = (x * 1).view(2, 3)
    view.data = view
    view.mul_(3)
    view.sum().backward()
    assert x.grad.tolist() == [3] * 6


def test_a_view_that_is_given_another_part_of_its_memory_has_the_gradient_of_that_part():
    x = leaf()
    base = x * 1
    view = base[:2]
    view.data = base[3:]
    view.mul_(5)
    assert base.tolist() == [1, 2, 3, 20, 25, 30]
    base.sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 5, 5, 5]


@pytest.mark.parametrize("make", [lambda x: x * 1, lambda x: (x * 1).view(2, 3), lambda x: x.detach().clone()])
def test_set_is_recorded_without_a_derivative(make):
    x = leaf()
    y = make(x)
    assert y.set_(x) is y
    assert y.tolist() == x.tolist() and y.requires_grad and not y.is_leaf
    with pytest.raises(RuntimeError, match=f"derivative for set_ is not implemented|{REPLACED}"):
        y.sum().backward()


def test_set_on_a_leaf_that_requires_a_gradient_is_refused():
    x = leaf()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.set_(wg.ones(2))
    assert x.tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("mode", "gradient"), [(wg.inference_mode, 13.0), (wg.no_grad, 5.0)])
def test_an_earlier_graph_leads_to_a_leaf_whose_memory_was_replaced_in_inference_mode(mode, gradient):
    x, other = wg.ones(3, requires_grad=True), wg.full((3,), 5.0)
    y = x * 2
    with mode():
        x.set_(other)
    (found,) = wg.autograd.grad((y * y).sum() + (x * x.detach()).sum(), x)
    assert found.tolist() == [gradient] * 3


def test_detach_in_place_does_nothing_in_inference_mode():
    x = leaf()
    for y in (x * 1, (x * 1).view(2, 3)):
        with wg.inference_mode():
            assert y.detach_() is y
        assert y.requires_grad and not y.is_leaf


def test_inference_mode_resizes_tensors_that_require_a_gradient():
    y = leaf() * 1
    with wg.inference_mode():
        y.resize_(2, 2)
    assert y.tolist() == [[1, 2], [3, 4]] and y.requires_grad


def test_a_view_taken_without_recording_takes_requires_grad_false_after_a_write():
    y = leaf() * 1
    with wg.no_grad():
        view = y[:2]
    y.mul_(2)
    assert view.requires_grad_(False) is view
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view * 2


def test_operators_on_a_0_dim_tensor_take_the_dimensions_that_torch_takes():
    x = wg.tensor(2.0, requires_grad=True)
    assert x.movedim(0, -1).grad_fn.name() == "AliasBackward0" and x.flip(0).item() == x.adjoint().item() == 2
    for call in (lambda: x.roll(1, 0), lambda: x.movedim(1, 0)):
        with pytest.raises(IndexError, match="imension"):
            call()
    source = wg.tensor([1.0])
    for call in (
        lambda: x.unflatten(0, (1, -1)),
        lambda: x.index_select(0, wg.tensor([0, 0])),
        lambda: source.adjoint(),
        lambda: wg.tensor(1.0).index_add_(0, wg.tensor([0]), source),
        lambda: wg.ones(3, 4).index_add_(0, wg.tensor([0]), wg.ones(1, 1)),
    ):
        with pytest.raises(RuntimeError, match=r"dimension|1-D|Index to scalar"):
            call()


def test_the_product_of_a_vector_and_a_matrix_is_no_view():
    product = wg.ones(3) @ wg.ones(3, 2)
    assert not product._is_view() and product._version == 1


@pytest.mark.parametrize("in_place", [False, True])
def test_writes_beyond_a_view_by_as_strided_have_second_derivatives(in_place):
    x = leaf()
    view = (x * 1)[::2]
    part = view.as_strided_((4,), (1,)) if in_place else view.as_strided((4,), (1,))
    part.sigmoid_()
    (first,) = wg.autograd.grad((part**2).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad((first**2).sum(), x)
    (wanted,) = wg.autograd.grad((x[:4].sigmoid() ** 2).sum(), x, create_graph=True)
    assert wg.allclose(second, wg.autograd.grad((wanted**2).sum(), x)[0], rtol=1e-5) and (second[:4] != 0).all()


@pytest.mark.parametrize("recorded", [False, True])
def test_a_write_to_a_part_of_a_view_that_reaches_beyond_its_base_has_a_gradient(recorded):
    x = wg.arange(1.0, 13.0).requires_grad_()
    base = x * 1
    view = base.squeeze(0)
    base.as_strided_((2, 2), (1, 2))
    view[0] = 3.0
    (grad,) = wg.autograd.grad((view * view.detach()).sum(), x, create_graph=recorded)
    assert grad.tolist() == [0, 2, 3, 4] + [0] * 8  # as torch: what lies outside of the base gets none


def test_what_was_written_to_a_view_with_other_memory_is_refused_a_gradient():
    x = leaf()
    view = wg.zeros(6).view(2, 3)
    view.data = wg.ones(4)
    view[0] = x[1]
    assert view.tolist() == [2, 1, 1, 1]
    with pytest.raises(RuntimeError, match=REPLACED):
        wg.autograd.grad(view.sum(), x)


def test_set_from_a_view_without_a_history_is_refused():
    y = leaf() * 1
    part = y.chunk(2)[0]
    y.exp_()
    with pytest.raises(RuntimeError, match="is a view and its base or another view of its base has been modified"):
        y.set_(part)
    assert y.shape == (6,)
