"""Hogwild: threads that train shared parameters; no update of a gradient is ever lost."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import wengert as wg

SMALL, LARGE = 5, 200_000  # the larger one so large that NumPy lets other threads run in the middle of an addition


@pytest.mark.parametrize(("size", "threads", "passes"), [(SMALL, 8, 60), (LARGE, 4, 8)])
def test_every_pass_counts(in_threads, size, threads, passes):
    weight = wg.zeros(size, requires_grad=True)

    def work(number):
        for _ in range(passes):
            (weight * float(number + 1)).sum().backward()

    for result in in_threads(threads, work):
        assert result is None
    expected = passes * threads * (threads + 1) / 2  # small integers: exact in any order
    assert bool((weight.grad == expected).all())


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_the_first_accumulations_meet_where_grad_is_none(in_threads, size):
    for _ in range(30 if size == SMALL else 6):
        weight = wg.zeros(size, requires_grad=True)
        in_threads(4, lambda number, weight=weight: (weight * 2.0**number).sum().backward())
        assert bool((weight.grad == 15.0).all())


def test_many_parameters_are_shared(in_threads):
    weights = [wg.zeros(3, requires_grad=True) for _ in range(20)]

    def work(number):
        for _ in range(10):
            sum((weight.sum() * (at + 1) for at, weight in enumerate(weights)), start=wg.zeros(())).backward()

    in_threads(6, work)
    for at, weight in enumerate(weights):
        assert weight.grad.tolist() == [60.0 * (at + 1)] * 3


def test_a_shared_first_part_of_the_graph_and_shared_leaves(in_threads):
    weight = wg.ones(4, requires_grad=True)
    shared = weight * 3

    def work(number):
        for _ in range(20):
            (shared * 2).sum().backward(retain_graph=True)

    assert in_threads(6, work) == [None] * 6
    assert weight.grad.tolist() == [6 * 20 * 6.0] * 4


def test_accumulation_keeps_the_layout_and_the_tensor(in_threads):
    weight = wg.ones(3, 2).t().detach().requires_grad_()
    weight.grad = chosen = wg.zeros(2, 3)

    def work(number):
        for _ in range(20):
            (weight * 2).sum().backward()

    in_threads(4, work)
    assert weight.grad is chosen and chosen.stride() == (3, 1) and chosen.tolist() == [[160.0] * 3] * 2


def test_recorded_accumulations_lose_nothing(in_threads):
    weight = wg.tensor([2.0], requires_grad=True)

    def work(number):
        for _ in range(10):
            (weight**3).backward(create_graph=True)

    assert in_threads(4, work) == [None] * 4
    assert weight.grad.item() == 40 * 12.0
    (second,) = wg.autograd.grad(weight.grad, weight)
    assert second.item() == 40 * 12.0
    weight.grad = None


def test_hooks_after_accumulation_run_once_for_each_pass(in_threads):
    weight, seen, lock = wg.zeros(3, requires_grad=True), [], threading.Lock()

    def note(leaf):
        with lock:
            seen.append(leaf is weight)

    weight.register_post_accumulate_grad_hook(note)

    def work(number):
        for _ in range(20):
            weight.sum().backward()

    in_threads(5, work)
    assert seen == [True] * 100 and weight.grad.tolist() == [100.0] * 3


def test_retained_gradients_of_a_shared_graph_are_whole(in_threads):
    x = wg.ones(3, requires_grad=True)
    middle = x * 2
    middle.retain_grad()

    def work(number):
        for _ in range(10):
            middle.sum().backward(retain_graph=True)

    assert in_threads(4, work) == [None] * 4
    assert x.grad.tolist() == [80.0] * 3
    assert middle.grad.tolist() == [40.0] * 3


def test_threads_train_one_model_to_its_minimum(in_threads):
    """A least-squares fit by four threads that share the parameters; grads as values, updates under a lock."""
    generator = np.random.default_rng(7)
    data = generator.standard_normal((64, 5))
    wanted = np.arange(1.0, 6.0)
    weight, lock = wg.zeros(5, dtype=wg.float64, requires_grad=True), threading.Lock()

    def work(number):
        rows = wg.from_numpy(data[number::4])
        goal = wg.from_numpy(data[number::4] @ wanted)
        for _ in range(200):
            with lock:
                (grad,) = wg.autograd.grad((rows @ weight - goal).square().mean(), weight)
                with wg.no_grad():
                    weight.sub_(grad * 0.05)

    assert in_threads(4, work) == [None] * 4
    assert np.allclose(weight.detach().numpy(), wanted, atol=1e-3)


def test_nothing_of_the_threads_stays_alive(in_threads):
    weight = wg.zeros(3, requires_grad=True)
    before = sys.getrefcount(weight)

    def work(number):
        for _ in range(50):
            (weight * 2).sum().backward()

    for _ in range(3):
        in_threads(4, work)
    assert sys.getrefcount(weight) <= before + 1
    assert weight.grad.tolist() == [2.0 * 50 * 4 * 3] * 3
