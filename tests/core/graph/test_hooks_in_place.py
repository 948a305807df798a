"""Hooks and retained gradients when tensors are written to: hooks stay with the old value, `.grad` is the new one's."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


class Log(list):
    """What hooks have seen, by name."""

    def hook(self, name):
        return lambda grad: self.append((name, grad.tolist()))


def test_a_hook_registered_after_a_write_sees_the_gradient_of_the_new_value():
    x, log = leaf(1.0, 2.0), Log()
    y = x * 2
    y.register_hook(log.hook("before"))
    y.mul_(3)
    y.register_hook(log.hook("after"))
    y.sum().backward()
    assert log == [("after", [1.0, 1.0]), ("before", [3.0, 3.0])]


def test_a_retained_gradient_is_that_of_the_last_value():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.retain_grad()
    y.mul_(5)
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0] and y.retains_grad
    assert x.grad.tolist() == [30.0, 30.0]


def test_a_write_to_a_view_moves_the_retained_gradients_of_view_and_base():
    x, log = leaf(1.0, 2.0), Log()
    base = x * 2
    base.register_hook(log.hook("base before"))
    base.retain_grad()
    view = base[:1]
    view.register_hook(log.hook("view before"))
    view.retain_grad()
    view.mul_(3)
    base.register_hook(log.hook("base after"))
    view.register_hook(log.hook("view after"))
    (base * view).sum().backward()
    assert log == [("view after", [10.0]), ("base after", [16.0, 6.0]), ("base before", [48.0, 6.0])]
    assert base.grad.tolist() == [16.0, 6.0] and view.grad.tolist() == [10.0]
    assert x.grad.tolist() == [96.0, 12.0]


def test_a_write_to_the_base_moves_the_retained_gradient_of_a_view_that_is_used_again():
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    view.retain_grad()
    base.mul_(3)
    base.mul_(2)
    (view * view).sum().backward()
    assert view.grad.tolist() == [24.0]


def test_a_gradient_can_be_retained_for_a_view_whose_base_was_written_to():
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    base.mul_(3)
    view.retain_grad()
    (view * view).sum().backward()
    assert view.grad.tolist() == [12.0]


def test_after_a_write_to_a_view_the_gradient_of_its_old_value_is_not_retained():
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    view.retain_grad()
    used = view * 2
    view.mul_(3)
    (base.sum() + used.sum()).backward()
    assert view.grad is None


def test_a_view_that_is_not_used_again_keeps_the_gradient_of_its_old_value():
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    view.retain_grad()
    used = view * 2
    base.mul_(3)
    (base.sum() + used.sum()).backward()
    assert view.grad.tolist() == [2.0]


def test_a_retained_base_that_was_used_before_the_write_keeps_only_the_later_gradient():
    x = leaf(1.0, 2.0)
    base = x * 2
    base.retain_grad()
    used = base * 5
    base[:1].mul_(3)
    (base.sum() + used.sum()).backward()
    assert base.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [16.0, 12.0]


def test_several_retained_tensors_keep_their_own():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    z = y * 3
    z.retain_grad()
    y.add_(1)
    (y + z).sum().backward()
    assert y.grad.tolist() == z.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [8.0, 8.0]


def test_a_hook_of_a_leaf_stays_through_writes_that_are_not_recorded():
    x, log = leaf(1.0, 2.0), Log()
    x.register_hook(log.hook("leaf"))
    with wg.no_grad():
        x.mul_(2)
    (x * x).sum().backward()
    assert log == [("leaf", [4.0, 8.0])]


def test_a_hook_stays_with_the_graph_when_its_tensor_is_detached_in_place():
    x, log = leaf(1.0, 2.0), Log()
    y = x * 2
    y.register_hook(log.hook("y"))
    z = y * 2
    y.detach_()
    z.sum().backward()
    assert log == [("y", [2.0, 2.0])]


def test_the_hooks_of_the_present_value_are_shown():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert x._backward_hooks is None and y._backward_hooks is None
    handles = [x.register_hook(lambda grad: None), y.register_hook(lambda grad: None)]
    assert [list(each._backward_hooks) for each in (x, y)] == [[each.id] for each in handles]
    y.mul_(2)
    assert y._backward_hooks is None


@pytest.mark.lifetime
def test_no_node_keeps_a_tensor_alive_whose_gradient_is_retained():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    z = y + 1
    watched = weakref.ref(y)
    gc.disable()
    del y
    assert watched() is None
    gc.enable()
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_writes_to_retained_views_close_no_cycle():
    gc.disable()
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    view.retain_grad()
    base.retain_grad()
    view.mul_(x[:1])
    watched = weakref.ref(base.grad_fn)
    del base, view
    assert watched() is None
    gc.enable()


def test_a_gradient_of_an_earlier_graph_meets_the_hooks_of_the_leafs_present_value():
    x, seen = leaf(1.0, 2.0), []
    x.register_hook(lambda grad: seen.append("of the leaf"))
    total = (x + 1).sum()
    x.detach_()
    x.add_(leaf(2.0, 2.0))
    x.register_hook(lambda grad: seen.append("of the result"))
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        total.backward()
    assert seen == ["of the result"]


def test_the_hooks_of_a_result_stay_with_the_leaf_that_it_becomes():
    x, log = leaf(1.0, 2.0), Log()
    y = x * 2
    y.register_hook(log.hook("of the result"))
    y.detach_().requires_grad_()
    y.register_hook(log.hook("of the leaf"))
    (y * 3).sum().backward()
    assert log == [("of the result", [3.0, 3.0]), ("of the leaf", [3.0, 3.0])]


def test_a_result_without_hooks_becomes_a_leaf_without_hooks():
    y, log = leaf(1.0, 2.0), Log()
    y.register_hook(log.hook("of the first leaf"))
    y.detach_()
    y.mul_(leaf(2.0, 2.0))
    y.detach_().requires_grad_()
    (y * 3).sum().backward()
    assert log == []
