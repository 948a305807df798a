"""An interrupt wherever the interpreter can deliver one leaves every mode as it was, and the next program works."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

import wengert as wg
from wengert._core.backward import reentrant
from wengert._core.state import modes
from wengert.autograd import Function

ROOT = str(Path(__file__).resolve().parents[3])
STEP = 83
"""Every so many positions: the fixed share of what `tools/hunt/signals.py` tries whole."""


@pytest.fixture(scope="module")
def positions():
    sys.path.insert(0, ROOT)
    try:
        from tools.hunt import positions
    finally:
        sys.path.remove(ROOT)
    return positions


# One that comes as a generator is closed is told, not raised: by Python's rule, and nothing to do with the modes.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_position_leaves_the_modes_as_they_were(positions):
    findings, tried = [], 0
    for _, _, found in positions.tries(5, STEP):
        tried += 1
        findings += found
    assert tried > 10  # in fewer places, the more of the package is compiled
    assert findings == []


def test_the_search_finds_a_mode_that_is_changed_before_its_guard(positions):
    def careless():
        from wengert.autograd import anomaly_mode

        anomaly_mode.set_anomaly_enabled(True)  # its own frames are the package's
        try:
            wg.ones(2).sum(0)
        finally:
            anomaly_mode.set_anomaly_enabled(False)

    before = positions.state()
    found = []
    for at in range(positions.count(careless)):
        positions.interrupted(careless, at)
        found += positions.differences(before)
        positions.put_back(before)
    assert any(each.startswith("anomaly: False became True") for each in found)


class Signalling(Function):
    """Raises a signal in its passes."""

    @staticmethod
    def forward(ctx, x, when):
        ctx.when = when
        if when == "forward":
            signal.raise_signal(signal.SIGALRM)
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        if ctx.when == "backward":
            signal.raise_signal(signal.SIGALRM)
        return grad, None


@pytest.fixture
def alarm():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("when", ["forward", "backward"])
@pytest.mark.usefixtures("alarm")
def test_a_signal_in_a_function_ends_the_pass_and_nothing_else(when):
    x = wg.ones(3, requires_grad=True)
    with pytest.raises(KeyboardInterrupt):
        Signalling.apply(x * 2, when).sum().backward()
    assert wg.is_grad_enabled()
    assert modes.current().depth == 0
    assert modes.current().passing is None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


@pytest.mark.usefixtures("alarm")
def test_an_interrupt_while_a_nested_pass_runs_in_a_thread_comes_when_that_has_ended():
    ended, running = [], threading.Event()

    def work():
        running.set()
        time.sleep(0.3)
        ended.append(wg.is_grad_enabled())

    def ring():
        running.wait()
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

    ringer = threading.Thread(target=ring)
    ringer.start()
    with pytest.raises(KeyboardInterrupt):
        reentrant.in_thread(work, ())
    ringer.join()
    assert ended == [True]


def test_a_nested_pass_in_a_thread_has_the_modes_that_it_was_started_in(monkeypatch):
    """Whatever a signal handler switches in the thread that waits for it."""
    original = _thread.start_new_thread

    def start(body, args):
        modes.current().set_grad(False)  # as a handler does that comes here
        original(body, args)

    monkeypatch.setattr(_thread, "start_new_thread", start)
    try:
        assert reentrant.in_thread(wg.is_grad_enabled, ())
    finally:
        modes.current().set_grad(True)


def test_an_interrupt_before_the_thread_of_a_nested_pass_begins_leaves_it_undone(monkeypatch):
    started, done = [], []

    def start(body, args):
        started.append(body)
        raise KeyboardInterrupt

    monkeypatch.setattr(_thread, "start_new_thread", start)
    with pytest.raises(KeyboardInterrupt):
        reentrant.in_thread(lambda: done.append(1), ())
    started[0]()
    assert done == []


def test_a_nested_pass_needs_none_of_the_locks_that_a_handler_may_find_held(monkeypatch):
    """`threading` takes locks when a thread of its own begins and ends: a handler may come just then."""

    def start(thread):
        raise AssertionError("a lock of threading would be needed")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert reentrant.in_thread(lambda: 5, ()) == 5
