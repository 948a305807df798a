"""Functions written by users, in threads; and passes that run other passes, however deep."""

from __future__ import annotations

import sys
import threading

import pytest

import wengert as wg

DEPTH = 2000


class Cube(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


class Countdown(wg.autograd.Function):
    """Its backward builds the next smaller one and runs that one's backward, down to zero."""

    @staticmethod
    def forward(ctx, x, seen):
        with wg.enable_grad():
            ctx.next = x.detach().requires_grad_() - 1
        ctx.seen = seen
        return ctx.next.detach()

    @staticmethod
    def backward(ctx, grad):
        ctx.seen.append(ctx.next.item())
        if ctx.next.item() >= 0:
            with wg.enable_grad():
                Countdown.apply(ctx.next, ctx.seen).sum().backward()
        return grad, None


def count_down(start):
    """How many functions ran to count down from `start`, and the gradient of `start`."""
    x, seen = wg.tensor(float(start), requires_grad=True), []
    Countdown.apply(x, seen).sum().backward()
    assert seen == [float(start - at) for at in range(1, len(seen) + 1)]
    return len(seen), x.grad.item()


def test_functions_in_threads_give_what_they_give_alone(in_threads):
    def work(number):
        x = wg.full((3,), float(number), requires_grad=True)
        for _ in range(20):
            Cube.apply(x).sum().backward()
        return x.grad.tolist()

    assert in_threads(8, work) == [[60.0 * number**2] * 3 for number in range(8)]


def test_a_shared_graph_with_functions(in_threads):
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    loss = (Cube.apply(x) * 2).sum()

    def work(number):
        return [wg.autograd.grad(loss, x, retain_graph=True)[0].tolist() for _ in range(10)]

    assert in_threads(6, work) == [[[6.0, 24.0]] * 10] * 6


def test_a_shared_graph_with_functions_without_retain_graph(in_threads):
    for _ in range(10):
        x = wg.tensor([1.0, 2.0], requires_grad=True)
        loss = (Cube.apply(x) * 2).sum()
        for each in in_threads(4, lambda number, loss=loss, x=x: wg.autograd.grad(loss, x)[0].tolist()):
            if isinstance(each, Exception):
                assert type(each) is RuntimeError and "a second time" in str(each)
            else:
                assert each == [6.0, 24.0]


def test_a_function_that_runs_a_pass():
    assert count_down(3) == (4, 1.0)


def test_passes_inside_passes_to_a_depth_of_two_thousand():
    assert count_down(DEPTH) == (DEPTH + 1, 1.0)


def test_deep_passes_one_after_the_other():
    for _ in range(3):
        assert count_down(DEPTH) == (DEPTH + 1, 1.0)


def test_deep_passes_leave_the_recursion_limit_as_it_was():
    before = sys.getrecursionlimit()
    count_down(DEPTH)
    assert sys.getrecursionlimit() == before


def test_deep_passes_inside_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(count_down(DEPTH))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(DEPTH + 1, 1.0)] * 3
    assert threading.active_count() < 50


def test_deep_passes_while_other_threads_pass(in_threads):
    def work(number):
        if number == 0:
            return count_down(200)
        x = wg.ones(2, requires_grad=True)
        for _ in range(100):
            (x * 2).sum().backward()
        return x.grad.tolist()

    assert in_threads(3, work) == [(201, 1.0), [200.0, 200.0], [200.0, 200.0]]


def test_an_error_in_the_depth_reaches_the_caller_and_leaves_the_engine_usable():
    class Failing(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with wg.enable_grad():
                ctx.next = x.detach().requires_grad_() - 1
            return ctx.next.detach()

        @staticmethod
        def backward(ctx, grad):
            if ctx.next.item() < 0:
                raise ValueError("at the bottom")
            with wg.enable_grad():
                Failing.apply(ctx.next).sum().backward()
            return grad

    x = wg.tensor(300.0, requires_grad=True)
    with pytest.raises(ValueError, match="at the bottom"):
        Failing.apply(x).sum().backward()
    assert wg.is_grad_enabled()
    assert count_down(5) == (6, 1.0)


def test_modes_of_inner_passes_are_those_that_the_outer_one_set():
    seen = []

    class Inner(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            seen.append(wg.is_grad_enabled())
            with wg.enable_grad():
                w = wg.ones(1, requires_grad=True)
                (w * 2).sum().backward()
            seen.append((wg.is_grad_enabled(), w.grad.tolist()))
            return grad

    x = wg.ones(1, requires_grad=True)
    Inner.apply(x).sum().backward()
    assert seen == [False, (False, [2.0])] and wg.is_grad_enabled()


def test_an_inner_pass_may_use_the_leaf_of_the_outer_one():
    weight = wg.ones(2, requires_grad=True)

    class Inner(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            with wg.enable_grad():
                (weight * 10).sum().backward()
            return grad

    Inner.apply(weight).sum().backward()
    assert weight.grad.tolist() == [11.0, 11.0]


def test_hooks_may_run_passes_to_a_depth():
    x = wg.ones(1, requires_grad=True)
    depths = []

    def hook(grad):
        depths.append(len(depths))
        if len(depths) < 300:
            with wg.enable_grad():
                y = x * 2
                y.register_hook(hook)
                y.sum().backward()

    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    assert len(depths) == 300 and x.grad.item() == 600.0
