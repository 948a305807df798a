"""In-place writes through views: values, gradients, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg


def leaf(*shape: int):
    return wg.tensor(np.arange(1.0, 1 + np.prod(shape)).reshape(shape), requires_grad=True)


def test_a_write_to_a_view_rewrites_the_history_of_its_base():
    x = leaf(2, 3)
    base = x.clone()
    base[0].mul_(10)
    assert base.grad_fn.name().endswith("CopySlices")
    base.sum().backward()
    assert x.grad.tolist() == [[10, 10, 10], [1, 1, 1]]


def test_a_view_taken_before_a_write_to_its_base_sees_the_new_history():
    x = leaf(2, 3)
    base = x.clone()
    row = base[0]
    base.mul_(x)
    row.sum().backward()
    assert x.grad.tolist() == [[2, 4, 6], [0, 0, 0]]


def test_a_write_of_a_recorded_value_into_a_plain_tensor_makes_it_part_of_the_graph():
    x = leaf(3)
    buffer = wg.tensor(np.zeros((2, 3)))
    buffer[1] = x * 2
    assert buffer.requires_grad and not buffer.is_leaf
    buffer.sum().backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_the_gradient_of_a_write_is_taken_in_the_layout_of_the_base():
    x = leaf(3, 4)
    base = x.t().clone()  # keeps the order of x's memory, so that only its transpose can be seen flat
    base.t().view(12)[1:3].mul_(5)
    base.contiguous().sum().backward()
    assert x.grad.reshape(12).tolist() == [1, 5, 5] + [1] * 9


def test_a_view_by_expand_can_be_replayed():
    x = leaf(3)
    base = x.clone()
    wide = base.expand(2, 3)
    base.mul_(2)
    wide.sum().backward()
    assert x.grad.tolist() == [4, 4, 4]


def test_second_derivatives_pass_through_a_write_to_a_view():
    x = leaf(4)
    base = x * x
    base[:2].mul_(x[2:])
    (first,) = wg.autograd.grad(base.sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert first.tolist() == [6, 16, 1 + 6, 4 + 8]
    assert second.tolist() == [6 + 2, 8 + 4, 2 + 2, 4 + 2]


def test_one_of_several_outputs_may_not_be_written_to_while_recording():
    base = leaf(2, 3).clone()
    first, _ = base.unbind()
    with pytest.raises(RuntimeError, match=r"Output 0 of Unbind is a view and is being modified inplace"):
        first.mul_(2)
    assert base._version == 0 and base.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_one_of_several_outputs_may_not_be_used_after_a_write_to_its_base():
    base = leaf(2, 3).clone()
    first, _ = base.unbind()
    base.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        first * 2
    assert "Invalid" in repr(first)


def test_a_view_made_without_recording_may_not_be_written_to_while_recording():
    base = leaf(2, 3).clone()
    with wg.no_grad():
        row = base[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        row.mul_(2)
    with wg.no_grad():
        row.mul_(2)
    assert base.tolist() == [[2, 4, 6], [4, 5, 6]]


@pytest.mark.parametrize("mode", [wg.no_grad, wg.inference_mode])
def test_operators_without_a_derivative_read_a_view_made_without_recording_after_a_write(mode):
    base = leaf(2, 3) * 1
    with mode():
        view = base[0]
    base.mul_(2)
    assert (view > 3).tolist() == [False, True, True]
    assert view.argmax().item() == 2 and wg.equal(view, view)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        view.mul(2)


def test_a_view_requires_a_gradient_as_soon_as_its_base_does():
    base = wg.tensor(np.zeros((2, 3)))
    row = base[0]
    assert not row.requires_grad
    base.requires_grad_()
    assert row.requires_grad and row.is_leaf


def test_a_view_of_a_leaf_may_not_be_written_to_while_recording():
    x = leaf(2, 3)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0] = 1.0
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]] and x._version == 0


def test_memory_that_overlaps_in_part_is_refused_before_anything_is_written():
    x = wg.tensor(np.arange(5.0))
    with pytest.raises(
        RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"
    ):
        x[1:].copy_(x[:-1])
    assert x.tolist() == [0, 1, 2, 3, 4] and x._version == 0


def test_a_tensor_may_be_copied_onto_itself():
    x = wg.tensor(np.arange(4.0))
    x[:2].copy_(x[:2])
    x[0] += 1
    assert x.tolist() == [1, 1, 2, 3]


def test_an_index_outside_is_refused_before_anything_is_written():
    x = wg.tensor(np.zeros(3))
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x[wg.tensor(np.array([0, 3]))] = 1.0
    assert x.tolist() == [0, 0, 0] and x._version == 0


def test_an_index_tensor_that_is_written_to_later_is_noticed():
    x = leaf(3)
    index = wg.tensor(np.array([0, 2]))
    picked = x[index]
    index.add_(-1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        picked.sum().backward()


def test_a_view_that_was_written_to_keeps_that_history_when_its_base_is_detached_after():
    x = wg.ones(3, requires_grad=True)
    base = x * 2
    view = base[...]
    view.mul_(3)
    base.detach_()
    view.sum().backward()
    assert x.grad.tolist() == [6.0] * 3 and not base.requires_grad


def test_gradients_of_parts_of_a_base_with_gaps_lie_as_it_does():
    x = wg.arange(6.0, requires_grad=True)
    base = wg.zeros(12)[::2]
    base.squeeze_()
    part = base.tensor_split(2)[1]
    part.squeeze().sub_(x[1])
    (base * wg.arange(6.0)).sum().backward()
    assert x.grad.tolist() == [0.0, -12.0, 0.0, 0.0, 0.0, 0.0]


def test_a_view_of_imaginary_parts_stays_one_when_its_base_gets_a_dimension():
    x = wg.arange(6.0, dtype=wg.float64, requires_grad=True)
    base = wg.complex(x, x * 2).view(2, 3)
    view = base.imag
    with wg.no_grad():
        base.unsqueeze_(0)
    base.mul_(2)
    (view * wg.arange(6.0, dtype=wg.float64).view(2, 3)).sum().backward()
    assert x.grad.tolist() == [0.0, 4.0, 8.0, 12.0, 16.0, 20.0]
