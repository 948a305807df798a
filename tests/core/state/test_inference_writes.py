"""Writes in inference mode and outside of it, to inference tensors and to others, and to views taken inside."""

from __future__ import annotations

import pytest

import wengert as wg

WRITTEN = r"Inplace update to inference tensor outside InferenceMode is not allowed"
VIEW = r"A view was created in inference mode and .* modified inplace in normal mode"


@wg.inference_mode()
def made():
    return wg.ones(3)


WRITES = {
    "add_": lambda x: x.add_(1),
    "+=": lambda x: x.__iadd__(1),
    "zero_": lambda x: x.zero_(),
    "x[0] = 1": lambda x: x.__setitem__(0, 5.0),
    "copy_": lambda x: x.copy_(wg.zeros(3)),
    "out=": lambda x: wg.add(wg.ones(3), 1, out=x),
    "out= of a factory": lambda x: wg.zeros(3, out=x),
    "write to a view": lambda x: x[1:].mul_(4),
    "write of what requires a gradient": lambda x: x.mul_(wg.full((3,), 2.0, requires_grad=True)),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_to_inference_tensors_outside_are_refused_before_anything_is_written(name):
    x = made()
    for mode in (wg.enable_grad, wg.no_grad, lambda: wg.inference_mode(False)):
        with mode(), pytest.raises(RuntimeError, match=WRITTEN):
            WRITES[name](x)
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", WRITES)
def test_writes_to_inference_tensors_inside_are_allowed(name):
    x = made()
    with wg.inference_mode():
        WRITES[name](x)
    assert x.tolist() != [1.0, 1.0, 1.0] and x.is_inference() and not x.requires_grad


def test_writes_to_normal_tensors_inside_are_counted_and_leave_them_normal():
    x, leaf = wg.ones(3), wg.ones(3, requires_grad=True)
    with wg.inference_mode():
        part = x[:1]
        x.add_(1)
        part.mul_(2)
        x[2] = 0.0
        leaf.add_(made())
    assert x.tolist() == [4.0, 2.0, 0.0] and x._version == part._version == 3 and not x.is_inference()
    assert leaf._version == 1 and leaf.requires_grad and leaf.is_leaf


def test_a_write_inside_is_noticed_by_a_node_that_saved_the_tensor():
    x = wg.ones(3, requires_grad=True) * 2
    y = (x * x).sum()
    with wg.inference_mode():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_writing_an_inference_tensor_into_a_normal_one_leaves_it_normal():
    x = wg.zeros(3)
    x.copy_(made())
    x.add_(made())
    x.mul_(made())
    x[0] = made()[0]
    assert not x.is_inference() and x._version == 4


def test_a_recorded_view_taken_inside_cannot_be_written_to_outside():
    x = wg.ones(3, requires_grad=True) * 1
    with wg.inference_mode():
        part = x[:2]
        inner = part[:1]
    assert part.requires_grad and part.is_leaf and (part * 2).requires_grad
    for each in (part, inner):
        with pytest.raises(RuntimeError, match=VIEW):
            each.mul_(2)
    with pytest.raises(RuntimeError, match="is a view of a view which was created in inference mode and is being"):
        part[:1].mul_(2)
    assert x.tolist() == [1.0, 1.0, 1.0]
    x.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace in normal"):
        _ = part.grad_fn


def test_one_of_several_views_taken_inside_is_told_of_as_made_in_inference_mode():
    x = wg.ones(3, requires_grad=True) * 1
    with wg.inference_mode():
        parts = x.unbind()
    with pytest.raises(RuntimeError, match=VIEW):
        parts[0].mul_(2)


def test_a_view_of_a_tensor_without_gradient_taken_inside_can_be_written_to_outside():
    x = wg.ones(3)
    with wg.inference_mode():
        part = x[:2]
    part.mul_(3)
    assert x.tolist() == [3.0, 3.0, 1.0]
