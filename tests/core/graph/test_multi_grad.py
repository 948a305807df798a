"""`register_multi_grad_hook`: one hook for the gradients of several tensors."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg
from wengert.autograd import grad
from wengert.autograd.graph import register_multi_grad_hook


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def values(grads):
    return [None if each is None else each.tolist() for each in grads]


def graph():
    """Two leaves and two products of them."""
    a, b = leaf(2.0), leaf(3.0)
    return a, b, a * b, a * b


def test_the_hook_is_called_once_when_the_last_gradient_is_known():
    a, b, c, d = graph()
    seen = []
    register_multi_grad_hook((a, b, c, d), lambda grads: seen.append((values(grads), wg.is_grad_enabled())))
    (c * 2 + d).backward()
    assert seen == [([[9.0], [6.0], [2.0], [1.0]], False)]


def test_tensors_that_the_pass_does_not_reach_are_not_waited_for():
    a, b, c, d = graph()
    seen = []
    register_multi_grad_hook((a, b, c, d), lambda grads: seen.append(values(grads)))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    d.sum().backward(retain_graph=True)
    grad(c.sum(), (c,), retain_graph=True)
    grad(c.sum(), (a,), retain_graph=True)
    assert seen == [
        [[3.0], [2.0], [1.0], None],
        [[3.0], None, [1.0], None],
        [[3.0], [2.0], None, [1.0]],
        [None, None, [1.0], None],
        [[3.0], None, [1.0], None],
    ]


def test_a_tensor_at_which_nothing_arrives_has_none():
    x = leaf(1.0, 2.0)
    first, second = x.unbind()
    seen = []
    register_multi_grad_hook((first, second), lambda grads: seen.append(values(grads)))
    (first * 1).backward()
    assert seen == [[1.0, None]]


def test_the_root_of_the_pass_may_be_among_the_tensors():
    a, _, c, _ = graph()
    seen = []
    register_multi_grad_hook((c, a), lambda grads: seen.append(values(grads)))
    c.backward()
    assert seen == [[[1.0], [3.0]]]


def test_any_calls_it_with_the_first_gradient_of_each_pass():
    a, _, c, d = graph()
    seen = []
    handle = register_multi_grad_hook((c, d, a), lambda grad: seen.append(grad.tolist()), mode="any")
    for _ in range(2):
        (c * 2 + d * 5).backward(retain_graph=True)
    assert seen == [[5.0], [5.0]]
    handle.remove()
    c.backward()
    assert len(seen) == 2


def test_any_passes_over_tensors_without_gradient_and_all_refuses_them():
    _, _, c, _ = graph()
    register_multi_grad_hook((wg.ones(1), c), print, mode="any").remove()
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register_multi_grad_hook((wg.ones(1), c), print)
    assert not c._backward_hooks


def test_there_are_two_modes():
    with pytest.raises(ValueError, match=r"Expects mode to be one of \('all', 'any'\) but got first"):
        register_multi_grad_hook(graph(), print, mode="first")


def test_what_the_hook_returns_is_of_no_account():
    a, _, c, _ = graph()
    register_multi_grad_hook((a,), lambda grads: [grads[0] * 100])
    register_multi_grad_hook((c,), lambda grad: grad * 100, mode="any")
    c.backward()
    assert a.grad.tolist() == [3.0]


def test_a_removed_hook_is_not_called():
    a, b, c, _ = graph()
    seen = []
    handle = register_multi_grad_hook((a, b), lambda grads: seen.append(1))
    handle.remove()
    handle.remove()
    with register_multi_grad_hook((a, b), lambda grads: seen.append(2)):
        pass
    c.backward()
    assert seen == []


def test_the_hook_takes_its_turn_among_the_hooks_of_a_tensor():
    x, seen = leaf(1.0), []
    x.register_hook(lambda grad: grad * 2)
    register_multi_grad_hook((x,), lambda grads: seen.append(values(grads)))
    x.register_hook(lambda grad: grad * 3)
    (x * 1).backward()
    assert seen == [[[2.0]]] and x.grad.tolist() == [6.0]


def test_an_error_in_the_hook_and_one_between_its_gradients_leave_it_usable():
    a, b, c, _ = graph()
    seen = []

    def once(grads):
        seen.append(values(grads))
        if len(seen) == 1:
            raise ZeroDivisionError

    register_multi_grad_hook((c, a, b), once)
    with pytest.raises(ZeroDivisionError):
        c.backward(retain_graph=True)
    fails = b.register_hook(lambda grad: 1 / 0)
    c.register_hook(lambda grad: None)
    with pytest.raises(ZeroDivisionError):
        c.backward(retain_graph=True)
    fails.remove()
    c.backward()
    assert seen[-1] == [[1.0], [3.0], [2.0]]


def test_a_pass_inside_another_is_gathered_apart():
    a, b, c, _ = graph()
    seen = []
    register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))

    def nested(grad):
        with wg.enable_grad():
            (a * 10 + b * 20).backward()

    a.register_hook(lambda grad: nested(grad) if len(seen) == 0 else None)
    c.backward()
    assert seen == [[[10.0], [20.0]], [[3.0], [2.0]]]


def test_threads_are_gathered_apart(in_threads):
    a, b, c, _ = graph()
    seen = []
    register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))

    def work(number):
        for _ in range(20):
            grad(c * (number + 1), (a, b), retain_graph=True)

    assert in_threads(4, work) == [None] * 4
    wanted = [[[3.0 * factor], [2.0 * factor]] for factor in range(1, 5) for _ in range(20)]
    assert sorted(seen) == sorted(wanted)


def test_a_hook_that_holds_none_of_its_tensors_keeps_none_alive():
    gc.disable()
    y = leaf(1.0) * 2
    register_multi_grad_hook((y,), lambda grads: None)
    watched = weakref.ref(y.grad_fn)
    del y
    assert watched() is None
    gc.enable()


def test_a_tensor_that_has_left_the_graph_does_not_stop_the_others():
    x = wg.ones(2, requires_grad=True)
    y, z = x * 1, x * 2
    seen = []
    wg.autograd.graph.register_multi_grad_hook((z, y), lambda grads: seen.append([each is None for each in grads]))
    z.detach_()
    y.sum().backward()
    assert seen == [[True, False]]
