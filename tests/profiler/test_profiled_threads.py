"""Profiles and threads: each notes its own unless all are asked for, and nobody pays for another's profile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import types

import pytest

import wengert as wg
from wengert._core.state import modes as states
from wengert._core.state.modes import current
from wengert.autograd.profiler import profile, record_function
from wengert.autograd.profiler.session import Locks

ALL = types.SimpleNamespace(profile_all_threads=True)


def in_thread(function, name="worker"):
    failures = []

    def body():
        try:
            function()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=body, name=name)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def test_other_threads_are_not_noted_unless_all_are():
    with profile() as prof:
        in_thread(lambda: wg.ones(2).exp())
        wg.ones(1)
    assert [event.name for event in prof.function_events] == ["aten::ones"]
    with profile(experimental_config=ALL) as prof:
        in_thread(lambda: wg.ones(2).exp(), "other thread")
        wg.ones(1)
    assert [(event.name, event.thread) for event in prof.function_events] == [
        ("aten::ones", 2),
        ("aten::exp", 2),
        ("aten::ones", 1),
    ]
    assert [part.name for part in prof.session.parts] == ["MainThread", "other thread"]


def test_threads_that_run_already_are_joined_and_left():
    begin, end = threading.Event(), threading.Event()
    done = []

    def body():
        wg.ones(1)
        done.append(begin.wait(10))
        wg.ones(2).exp()
        end.set()
        begin.clear()
        done.append(begin.wait(10))
        done.append(current().log is None and current().word == 0)
        wg.ones(3)

    before = list(states.newcomers)
    thread = threading.Thread(target=body)
    thread.start()
    with profile(experimental_config=ALL) as prof:
        begin.set()
        assert end.wait(10)
    begin.set()
    thread.join()
    assert [event.name for event in prof.function_events] == ["aten::ones", "aten::exp"] and done[-1]
    assert states.newcomers == before


def test_a_node_knows_the_thread_of_its_operator():
    x = wg.ones(2, requires_grad=True)
    made = []
    with profile(experimental_config=ALL, record_shapes=True) as prof:
        for function in (wg.exp, wg.tanh):
            in_thread(lambda function=function: made.append(function(x)))
        for result in made:
            result.sum().backward()
    tied = {event.name: event for event in prof.function_events if event.scope == 1}
    assert tied["ExpBackward0"].fwd_thread == 2 and tied["TanhBackward0"].fwd_thread == 3
    assert tied["SumBackward0"].fwd_thread == 1 == tied["ExpBackward0"].thread
    pairs = {(maker.name, node.name) for maker, node in prof.function_events._trace["pairs"]}
    assert ("aten::exp", "ExpBackward0") in pairs and ("aten::tanh", "TanhBackward0") in pairs


def test_threads_at_once_have_trees_of_their_own():
    def body():
        for _ in range(20):
            with record_function("outer"):
                x = wg.ones(3, requires_grad=True)
                (x * x).sum().backward()

    with profile(experimental_config=ALL, profile_memory=True) as prof:
        threads = [threading.Thread(target=body) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in range(2, 6):
        events = [event for event in prof.function_events if event.thread == number and event.name != "[memory]"]
        assert [event.name for event in events if event.cpu_parent is None] == ["outer"] * 20
        assert sum(event.name == "MulBackward0" for event in events) == 20
    assert prof.self_cpu_time_total == pytest.approx(
        sum(event.cpu_time_total for event in prof.function_events if event.cpu_parent is None)
    )


def test_a_profile_may_be_closed_by_another_thread():
    prof = profile()
    prof.__enter__()
    wg.ones(1)
    in_thread(lambda: prof.__exit__(None, None, None))
    wg.ones(2)
    assert len(prof.function_events) == 1 and current().log is None


def test_passes_that_go_on_in_another_thread_stay_in_the_log():
    class Deeper(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth:
                with wg.enable_grad():
                    Deeper.apply(wg.ones(1, requires_grad=True), ctx.depth - 1).sum().backward()
            return grad, None

    with profile() as prof:
        Deeper.apply(wg.ones(1, requires_grad=True), 40).sum().backward()
    assert sum(event.name == "DeeperBackward" for event in prof.function_events) == 41
    depth, event = 0, [event for event in prof.function_events if event.name == "DeeperBackward"][-1]
    while event is not None:
        depth += event.name == "DeeperBackward"
        event = event.cpu_parent
    assert depth == 41


def test_threads_that_end_are_forgotten():
    before = len(states.everyone)
    for _ in range(3):
        in_thread(lambda: wg.ones(1) * 1)
    assert len(states.everyone) == before


LEFT_OPEN = """
import types
import wengert as wg
first = wg.autograd.profiler.profile(profile_memory=True)
first.__enter__()
kept = wg.ones(3) * 2
second = wg.autograd.profiler.profile(experimental_config=types.SimpleNamespace(profile_all_threads=True))
second.__enter__()
kept = wg.ones(3) * 2
"""


def test_a_program_may_end_with_profiles_open():
    ran = subprocess.run([sys.executable, "-c", LEFT_OPEN], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_opens_profiles_though_its_parent_was_in_the_middle_of_that():
    held, leave = threading.Event(), threading.Event()

    def hold():
        with Locks.lock():
            held.set()
            leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        with profile() as prof:
            wg.ones(2) * 2
        os._exit(0 if len(prof.function_events) == 2 else 1)
    _, status = os.waitpid(child, 0)
    leave.set()
    thread.join()
    assert status == 0
