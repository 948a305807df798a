"""Passes of many threads: on graphs of their own, on one shared graph, with modes and hooks of their own."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

import wengert as wg

FREED = "Trying to backward through the graph a second time"
THREADS = 8
REPEATS = 5


def raised(results):
    return [each for each in results if isinstance(each, Exception)]


def random_program(seed):
    """A chain of operations, views and in-place writes, and the gradient of its sum; the same for the same seed."""
    choose = random.Random(seed)
    x = wg.tensor([choose.uniform(0.5, 1.5) for _ in range(6)], dtype=wg.float64, requires_grad=True)
    y = x * 1
    for _ in range(12):
        step = choose.randrange(6)
        if step == 0:
            y = y * y.detach().clone()
        elif step == 1:
            y = (y + 2).log()
        elif step == 2:
            y = y.clone()
            y[choose.randrange(6)] *= choose.uniform(0.5, 2)
        elif step == 3:
            y = y.view(2, 3).t().reshape(6)
        elif step == 4:
            y = wg.cat([y[3:], y[:3]]) + x
        else:
            y = y.clone()
            y[1:4].mul_(0.5)
    return x, y.sum()


def gradient_of(seed):
    x, loss = random_program(seed)
    loss.backward()
    return x.grad.tolist()


def test_ten_threads_train_on_graphs_of_their_own(in_threads):
    def train(number):
        x = wg.ones(5, 5, requires_grad=True)
        y = (x + 3) * (x + 4) * 0.5
        y.sum().backward()
        return x.grad.tolist()

    for _ in range(REPEATS):
        assert in_threads(10, train) == [[[4.5] * 5] * 5] * 10


def test_random_programs_give_in_threads_what_they_give_alone(in_threads):
    alone = [[gradient_of(100 * number + at) for at in range(20)] for number in range(THREADS)]
    together = in_threads(THREADS, lambda number: [gradient_of(100 * number + at) for at in range(20)])
    assert together == alone


def test_a_shared_graph_with_retain_graph_serves_all_threads(in_threads):
    for seed in range(REPEATS):
        x, loss = random_program(seed)
        (expected,) = wg.autograd.grad(loss, x, retain_graph=True)

        def work(number, loss=loss, x=x):
            return [wg.autograd.grad(loss, x, retain_graph=True)[0].tolist() for _ in range(10)]

        assert in_threads(THREADS, work) == [[expected.tolist()] * 10] * THREADS


def test_second_parts_of_their_own_on_a_shared_first_part(in_threads):
    x = wg.linspace(0.1, 1.0, 6).double().requires_grad_()
    shared = (x * 2).exp() * x
    (slope,) = wg.autograd.grad(shared.sum(), x, retain_graph=True)

    def work(number):
        return wg.autograd.grad((shared * (number + 1.0)).sum(), x, retain_graph=True)[0]

    for _ in range(REPEATS):
        for number, found in enumerate(in_threads(THREADS, work)):
            assert np.allclose(found.numpy(), (slope * (number + 1.0)).numpy(), rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_shared_graph_without_retain_graph_gives_its_gradient_or_the_clear_error(in_threads, seed):
    x, loss = random_program(seed)
    (expected,) = wg.autograd.grad(loss, x, retain_graph=True)
    results = in_threads(THREADS, lambda number: wg.autograd.grad(loss, x)[0].tolist())
    for each in results:
        if isinstance(each, Exception):
            assert type(each) is RuntimeError and FREED in str(each) and "retain_graph=True" in str(each)
        else:
            assert each == expected.tolist()
    assert any(isinstance(each, Exception) for each in results), "the graph was freed by one of them"
    with pytest.raises(RuntimeError, match=FREED):
        wg.autograd.grad(loss, x)


def test_backward_on_a_shared_graph_adds_whole_gradients_only(in_threads):
    """A pass that meets a freed part stops; what it added before is a whole gradient of a leaf, never half of one."""
    for _ in range(20):
        x, y = (wg.ones(3, requires_grad=True) for _ in range(2))
        middle = (x * 2).exp() * y
        loss = (middle * middle.detach()).sum()
        of_x, of_y = (each.tolist() for each in wg.autograd.grad(loss, (x, y), retain_graph=True))
        results = in_threads(4, lambda number, loss=loss: loss.backward())
        for each in raised(results):
            assert type(each) is RuntimeError and FREED in str(each)
        for leaf, whole in ((x, of_x), (y, of_y)):
            counts = (
                {round(got / wanted, 6) for got, wanted in zip(leaf.grad.tolist(), whole)}
                if leaf.grad is not None
                else {0.0}
            )
            assert len(counts) == 1 and counts.pop() in (0.0, 1.0, 2.0, 3.0, 4.0)


def test_threads_that_write_to_what_others_saved_are_found_out(in_threads):
    x = wg.ones(1000, requires_grad=True)
    y = x * 1
    loss = (y * y).sum()

    def work(number):
        if number == 0:
            y.detach().add_(1)
            return "written"
        return wg.autograd.grad(loss, x, retain_graph=True)[0].tolist()

    for each in in_threads(4, work)[1:]:
        if isinstance(each, Exception):
            assert "has been modified by an inplace operation" in str(each)


def test_grad_is_deterministic_whatever_else_runs(in_threads):
    weight = wg.linspace(-2, 2, 300).reshape(10, 30).requires_grad_()
    data = wg.linspace(-1, 1, 120).reshape(12, 10)

    def loss(number):
        return ((data @ weight).tanh() * (number + 1)).logsumexp(1).sum()

    alone = [wg.autograd.grad(loss(number), weight)[0].tolist() for number in range(THREADS)]
    for _ in range(REPEATS):
        found = in_threads(THREADS, lambda number: wg.autograd.grad(loss(number), weight)[0].tolist())
        assert found == alone
    assert weight.grad is None


def test_modes_of_a_thread_are_its_own(in_threads):
    guards = [wg.no_grad, wg.enable_grad, lambda: wg.set_grad_enabled(False), lambda: wg.set_grad_enabled(True)]

    def work(number):
        recorded = number % 2 == 1
        found = []
        for _ in range(200):
            with guards[number % 4]():
                found.append((wg.is_grad_enabled(), (wg.ones(1, requires_grad=True) * 2).requires_grad))
        return found == [(recorded, recorded)] * 200 and wg.is_grad_enabled()

    assert in_threads(THREADS, work) == [True] * THREADS
    assert wg.is_grad_enabled()


def test_inference_mode_of_a_thread_is_its_own(in_threads):
    def work(number):
        found = []
        for _ in range(100):
            with wg.inference_mode(number % 2 == 0):
                found.append((wg.ones(1) * 2).is_inference())
        return found == [number % 2 == 0] * 100

    assert in_threads(THREADS, work) == [True] * THREADS


def test_saved_tensors_hooks_of_a_thread_are_its_own(in_threads):
    def work(number):
        x, packed = wg.ones(2, requires_grad=True), []
        for _ in range(50):
            if number % 2:
                x.exp()
            else:
                with wg.autograd.graph.saved_tensors_hooks(
                    lambda each: packed.append(number) or each, lambda each: each
                ):
                    x.exp()
        return packed == ([] if number % 2 else [number] * 50)

    assert in_threads(THREADS, work) == [True] * THREADS


def test_create_graph_of_a_pass_is_its_own(in_threads):
    def work(number):
        x = wg.tensor([1.5], requires_grad=True)
        return [
            wg.autograd.grad((x**3).sum(), x, create_graph=number % 2 == 0)[0].requires_grad for _ in range(50)
        ] == [number % 2 == 0] * 50

    assert in_threads(THREADS, work) == [True] * THREADS


def test_a_mode_set_in_a_thread_ends_with_it():
    def work():
        wg.set_grad_enabled(False)

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert wg.is_grad_enabled()


def test_two_passes_are_in_the_middle_at_the_same_time():
    meeting = threading.Barrier(2, timeout=30)

    def work(found):
        x = wg.ones(2, requires_grad=True)
        y = x * 2

        def meet(grad):
            meeting.wait()

        y.register_hook(meet)
        y.sum().backward()
        found.append(x.grad.tolist())

    found = []
    threads = [threading.Thread(target=work, args=(found,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[2.0, 2.0]] * 2


def test_two_passes_meet_inside_one_shared_graph():
    """A lock that is held while a node's rule or its hooks run must not keep other threads from another node."""
    x = wg.ones(2, requires_grad=True)
    shared = x * 2
    first, second = (shared * 3).sum(), (shared * 5).sum()
    reached, go_on = threading.Event(), threading.Event()

    released = []

    def wait(grad):
        reached.set()
        released.append(go_on.wait(60))

    first.register_hook(wait)
    thread = threading.Thread(target=lambda: first.backward(retain_graph=True))
    thread.start()
    assert reached.wait(30)
    (found,) = wg.autograd.grad(second, x, retain_graph=True)
    go_on.set()
    thread.join()
    assert released == [True], "the second pass ended while the first one waited"
    assert found.tolist() == [10.0, 10.0]
    assert x.grad.tolist() == [6.0, 6.0]


def test_hooks_run_in_every_thread_that_passes(in_threads):
    x, calls, lock = wg.ones(3, requires_grad=True), [], threading.Lock()
    shared = x * 2

    def note(*args):
        with lock:
            calls.append(threading.get_ident())

    shared.register_hook(note)
    shared.grad_fn.register_prehook(note)
    shared.grad_fn.register_hook(note)
    x.register_hook(note)

    def work(number):
        for _ in range(10):
            wg.autograd.grad(shared.sum(), x, retain_graph=True)
        return threading.get_ident()

    identities = in_threads(4, work)
    assert not raised(identities)
    assert all(calls.count(each) == 4 * 10 * identities.count(each) for each in set(identities))


def test_hooks_added_while_the_first_gradients_arrive_are_kept(in_threads):
    for _ in range(60):
        x, seen = wg.ones(2, requires_grad=True), []

        def work(number, x=x, seen=seen):
            if number == 0:
                x.register_hook(lambda grad: seen.append("hook"))
            elif number == 1:
                x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
            else:
                (x * 2).sum().backward()

        assert in_threads(4, work) == [None] * 4
        assert x.grad.tolist() == [4.0, 4.0]
        seen.clear()
        x.sum().backward()
        assert seen == ["hook", "accumulated"]


def test_hooks_may_be_added_and_removed_while_others_pass(in_threads):
    x = wg.ones(3, requires_grad=True)
    shared = x * 2

    def work(number):
        for _ in range(50):
            if number % 2:
                handle = shared.register_hook(lambda grad: None)
                handle.remove()
            else:
                (found,) = wg.autograd.grad(shared.sum(), x, retain_graph=True)
                assert found.tolist() == [2.0] * 3
        return "done"

    assert in_threads(4, work) == ["done"] * 4


def test_an_error_in_one_thread_leaves_the_others_alone(in_threads):
    x = wg.ones(3, requires_grad=True)

    def work(number):
        y = x * (number + 1.0)
        if number == 0:

            def fail(grad):
                raise KeyError("only here")

            y.register_hook(fail)
        return wg.autograd.grad(y.sum(), x)[0].tolist()

    results = in_threads(4, work)
    assert type(results[0]) is KeyError
    assert results[1:] == [[2.0] * 3, [3.0] * 3, [4.0] * 3]


def test_views_of_a_shared_base_can_be_made_and_read_by_all(in_threads):
    x = wg.arange(6.0).requires_grad_()
    base = x * 1
    base.mul_(2)

    def work(number):
        total = 0
        for at in range(6):
            view = base[at:]
            total += wg.autograd.grad(view.sum(), x, retain_graph=True)[0].sum().item()
        return total

    assert in_threads(THREADS, work) == [42.0] * THREADS


def test_a_stale_view_is_refreshed_once_for_all(in_threads):
    for _ in range(10):
        x = wg.arange(6.0).requires_grad_()
        base = x * 1
        view = base[2:4]
        base.mul_(3)

        def work(number, view=view, x=x):
            return wg.autograd.grad(view.sum(), x, retain_graph=True)[0].tolist()

        assert in_threads(4, work) == [[0.0, 0.0, 3.0, 3.0, 0.0, 0.0]] * 4
