"""Forked children while other threads of the parent are in the middle of something."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import wengert as wg
from wengert import nn

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are for Unix")
CHILDREN = 8
PATIENCE = 20.0
"""Seconds after which a child counts as hanging; it needs some milliseconds."""


def outcome(work):
    """Call `work` in a forked child: its exit status, 'hangs', or the signal that ended it."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


@pytest.fixture
def while_threads_do():
    """`while_threads_do(job, work)` forks several children, which do `work`, while threads repeat `job`."""

    def run(job, work):
        stop = threading.Event()

        def repeat():
            while not stop.is_set():
                job()

        threads = [threading.Thread(target=repeat) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            found = []
            for at in range(CHILDREN):
                time.sleep(0.003 + 0.001 * at)
                found.append(outcome(work))
            return found
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield run
    sys.setswitchinterval(interval)


def test_children_draw_while_a_thread_of_the_parent_draws(while_threads_do):
    assert while_threads_do(lambda: wg.rand(1_000_000), lambda: wg.rand(3).shape == (3,)) == [0] * CHILDREN


def test_the_state_of_a_generator_can_be_read_and_set_in_a_child(while_threads_do):
    own = wg.Generator().manual_seed(3)

    def work():
        state = own.get_state()
        first = wg.rand(5, generator=own)
        again = wg.rand(5, generator=own.set_state(state))
        return bool((first == again).all()) and own.initial_seed() == 3

    assert while_threads_do(lambda: wg.randn(500_000, generator=own), work) == [0] * CHILDREN


def test_a_child_goes_on_in_the_stream_where_its_parent_stands():
    own = wg.Generator().manual_seed(5)
    wg.rand(7, generator=own)
    expected = wg.rand(4, generator=own.clone_state())
    assert outcome(lambda: bool((wg.rand(4, generator=own) == expected).all())) == 0
    assert (wg.rand(4, generator=own) == expected).all()


def test_threads_of_a_child_share_one_stream():
    own = wg.Generator().manual_seed(7)
    wg.rand(1, generator=own)

    def work():
        drawn = []
        threads = [threading.Thread(target=lambda: drawn.extend(wg.rand(50, generator=own).tolist())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(set(drawn)) > 390  # of 400 numbers in float32 some may be equal by chance

    assert outcome(work) == 0


def test_children_accumulate_while_a_thread_of_the_parent_accumulates(while_threads_do):
    weight = wg.zeros(200_000, requires_grad=True)
    ones = wg.ones(200_000)

    def work():
        weight.backward(ones)
        return bool(np.isfinite(weight.grad.numpy()).all())

    assert while_threads_do(lambda: weight.backward(ones), work) == [0] * CHILDREN


def test_a_child_gets_by_a_lock_that_a_hook_of_the_parent_holds_up():
    weight = wg.zeros(2, requires_grad=True)
    weight.sum().backward()
    entered, leave = threading.Event(), threading.Event()

    def hold():
        lock = wg._core.leaves.accumulate.lock_of(weight._meta_)
        with lock:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()

    def work():
        weight.sum().backward()
        weight.sum().backward()
        return weight.grad.tolist() == [3.0, 3.0]

    try:
        assert outcome(work) == 0
    finally:
        leave.set()
        thread.join()


def test_children_call_modules_with_hooks_while_a_thread_of_the_parent_does(while_threads_do):
    module = nn.Identity()
    module.register_forward_hook(lambda module, args, output: None)

    def job():
        module(wg.ones(1))
        module.register_forward_pre_hook(lambda module, args: None).remove()

    assert while_threads_do(job, lambda: module(wg.ones(1)).item() == 1) == [0] * CHILDREN


def test_children_compute_with_many_threads_while_the_parent_does(while_threads_do):
    large = wg.ones(2_000_000)
    assert while_threads_do(lambda: large * large, lambda: (large * large).sum().item() == 2e6) == [0] * CHILDREN


def test_a_fork_in_a_hook_leaves_both_processes_able_to_finish():
    weight = wg.ones(2, requires_grad=True)
    children = []

    def hook(grad):
        children.append(os.fork())

    weight.register_hook(hook)
    (weight * 2).sum().backward()
    if children[0] == 0:
        status = 1
        try:
            status = 0 if weight.grad.tolist() == [2.0, 2.0] else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(children[0], 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert weight.grad.tolist() == [2.0, 2.0]
