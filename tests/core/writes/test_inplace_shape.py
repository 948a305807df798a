"""In-place changes of how a tensor sees memory: t_, transpose_, squeeze_, unsqueeze_, as_strided_, resize_, set_."""

from __future__ import annotations

import pytest

import wengert as wg


def values(*shape):
    return wg.arange(1.0, 1 + wg.Size(shape).numel(), dtype=wg.float64).reshape(shape)


def leaf(*shape):
    return values(*shape).requires_grad_()


CHANGES = {
    "t_": (lambda y: y.t_(), lambda y: y.t(), "TBackward1"),
    "transpose_": (lambda y: y.transpose_(0, 1), lambda y: y.transpose(0, 1), "TransposeBackward1"),
    "swapaxes_": (lambda y: y.swapaxes_(0, -1), lambda y: y.swapaxes(0, -1), "TransposeBackward1"),
    "swapdims_": (lambda y: y.swapdims_(0, -1), lambda y: y.swapdims(0, -1), "TransposeBackward1"),
    "unsqueeze_": (lambda y: y.unsqueeze_(1), lambda y: y.unsqueeze(1), "UnsqueezeBackward1"),
    "squeeze_": (lambda y: y.squeeze_(), lambda y: y.squeeze(), "SqueezeBackward3"),
    "squeeze_ of one": (lambda y: y.squeeze_(0), lambda y: y.squeeze(0), "SqueezeBackward4"),
    "squeeze_ of several": (lambda y: y.squeeze_((0, 1)), lambda y: y.squeeze((0, 1)), "SqueezeBackward5"),
    "as_strided_": (lambda y: y.as_strided_((3,), (1,)), lambda y: y.as_strided((3,), (1,)), "AsStridedBackward1"),
}


@pytest.fixture(params=CHANGES)
def change(request):
    return CHANGES[request.param]


def test_the_tensor_takes_the_place_of_its_view(change):
    in_place, functional, _ = change
    x = values(1, 4).clone()
    wanted, pointer = functional(x), x.data_ptr()
    assert in_place(x) is x
    assert x.tolist() == wanted.tolist() and x.stride() == wanted.stride()
    assert x.data_ptr() == pointer and x._version == 1 and not x._is_view()


def test_a_result_gets_a_node_of_its_own_and_its_gradient_passes_through(change):
    in_place, functional, name = change
    x, twin = leaf(1, 4), leaf(1, 4)
    y = x * x
    in_place(y)
    assert y.grad_fn.name() == name and y.grad_fn.next_functions[0][0].name() == "MulBackward0"
    (y * y).sum().backward()
    (functional(twin * twin) ** 2).sum().backward()
    assert x.grad.tolist() == twin.grad.tolist()


def test_a_leaf_is_refused_while_recording_and_left_as_it_is(change):
    x = leaf(1, 4)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        change[0](x)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        change[0](x[:])
    assert x.shape == (1, 4) and x._version == 0
    with wg.no_grad():
        change[0](x)
    assert x.is_leaf and x._version == 1


def test_one_of_several_outputs_is_refused(change):
    part = (leaf(2, 4) * 1).split(1)[0]
    with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
        change[0](part)
    assert part.shape == (1, 4) and part._version == 0


def test_a_changed_view_stays_a_view_and_its_base_keeps_its_history(change):
    in_place, functional, name = change
    x, twin = leaf(2, 4), leaf(2, 4)
    base = x * 1
    view, node = base[:1], base.grad_fn
    in_place(view)
    assert view._base is base and view.grad_fn.name() == name and base.grad_fn is node
    (view * view).sum().backward()
    (functional((twin * 1)[:1]) ** 2).sum().backward()
    assert x.grad.tolist() == twin.grad.tolist()


def test_a_write_through_a_changed_view_goes_to_the_right_place_of_the_base(change):
    in_place, functional, _ = change
    x, twin = leaf(2, 4), leaf(2, 4)
    base, other = x * 1, twin * 1
    view = base[:1]
    in_place(view)
    view.mul_(3)
    functional(other[:1]).mul_(3)
    assert base.tolist() == other.tolist()
    (base * base).sum().backward()
    (other * other).sum().backward()
    assert x.grad.tolist() == twin.grad.tolist()


def test_views_taken_before_their_base_was_changed_still_lead_to_their_elements():
    x = leaf(3, 4)
    base = x * 1
    row = base[1]
    base.t_()
    assert row.tolist() == [5, 6, 7, 8] and base.shape == (4, 3)
    row.mul_(2)
    assert base.tolist()[0] == [1, 10, 9]
    (given,) = wg.autograd.grad(row.sum() + base.sum(), x)
    assert given.tolist() == [[1] * 4, [4] * 4, [1] * 4]


def test_views_taken_before_a_plain_base_was_changed_may_be_written_to_with_history():
    base, factor = values(3, 4), leaf(4)
    row = base[1]
    base.t_()
    row.mul_(factor)
    (given,) = wg.autograd.grad(base.sum(), factor)
    assert base.shape == (4, 3) and given.tolist() == [5, 6, 7, 8]


def test_what_was_saved_before_the_change_is_noticed():
    y = leaf(2, 2) * 1
    product = y * y
    y.t_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_wrong_argument_changes_nothing():
    y = leaf(2, 3, 4) * 1
    node = y.grad_fn
    with pytest.raises(RuntimeError, match="expects a tensor with <= 2 dimensions"):
        y.t_()
    with pytest.raises(IndexError, match="Dimension out of range"):
        y.transpose_(0, 3)
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        y.as_strided_((5, 5), (5, 1))
    assert y.shape == (2, 3, 4) and y._version == 0 and y.grad_fn is node


def test_resize_keeps_the_first_elements_and_counts_only_changes():
    x = values(2, 3)
    assert x.resize_(2, 3) is x and x._version == 0
    x.resize_(2, 2)
    assert x.tolist() == [[1, 2], [3, 4]] and x._version == 1
    x.resize_((3, 2))
    assert x.tolist() == [[1, 2], [3, 4], [5, 6]] and x._version == 2
    x.resize_(4, 2)
    assert x.tolist()[:3] == [[1, 2], [3, 4], [5, 6]] and x.shape == (4, 2) and x._version == 3
    assert x.resize_as_(wg.ones(1, 2)).tolist() == [[1, 2]]


def test_resize_refuses_what_requires_a_gradient():
    for x in (leaf(2), leaf(2) * 1, (leaf(2) * 1)[:1]):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            x.resize_(1)
        with wg.no_grad(), pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            x.resize_as_(wg.ones(3))
        assert x._version == 0


def test_set_lets_a_tensor_see_other_memory():
    x, source = values(2), values(3)
    assert x.set_(source) is x and x._version == 1 and source._version == 0
    x[0] = 9
    assert source.tolist() == [9, 2, 3] and source._version == 0
    x.set_(source.detach(), 1, (2,), (1,))
    assert x.tolist() == [2, 3]
    x.set_()
    assert x.shape == (0,)


def test_set_refuses_leaves_and_other_dtypes():
    x = leaf(2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.set_(values(3))
    with wg.no_grad(), pytest.raises(RuntimeError, match="Could not set tensor of type"):
        x.set_(wg.ones(3, dtype=wg.int64))
    with wg.no_grad():
        x.set_(values(3))
    assert x.shape == (3,) and x.is_leaf and x.requires_grad


def test_a_recorded_write_to_a_view_of_a_plain_base_that_was_transposed_in_place():
    x = wg.tensor([2.0, 3.0, 4.0], requires_grad=True)
    base = wg.ones(2, 3)
    row = base[0]
    base.t_()
    row.mul_(x)
    (base * wg.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])).sum().backward()
    assert x.grad.tolist() == [1, 2, 3]


def test_a_part_of_a_plain_view_that_was_resized_is_written_where_it_lies():
    x = wg.tensor([2.0, 3.0], requires_grad=True)
    view = wg.ones(12).view(4, 3)
    view.resize_(2, 2)
    view[1] = x
    (view * wg.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [3, 4]
