"""Observers see each call of their thread, also in-place operators and `out=`, before anything is written."""

from __future__ import annotations

import contextlib
import threading

import pytest

import wengert as wg
from wengert._core.state.modes import current


@contextlib.contextmanager
def observed(*observers):
    before = current().observe([*current().observers, *observers])
    try:
        yield
    finally:
        current().observe(before)


class Log:
    """An observer that writes down what it sees."""

    def __init__(self):
        self.seen = []

    def __call__(self, op, args, proceed):
        target = op.written(args)
        self.seen.append((op.name, None if target is None else target.tolist()))
        return proceed()

    @property
    def names(self):
        return [name for name, _ in self.seen]


def test_every_operator_of_a_program_is_seen_in_order():
    x, log = wg.ones(3, requires_grad=True), Log()
    with observed(log):
        y = (x * 2 + x).exp()
        y.unsqueeze(0).sum()
        _ = -y
    assert log.names == ["mul", "add", "exp", "unsqueeze", "sum", "neg"]
    y.sum().backward()
    assert x.grad is not None and len(log.seen) == 6


def test_in_place_operators_are_seen_before_they_write():
    x, log = wg.ones(3), Log()
    with observed(log):
        x.add_(1)
        x *= 3
        x[0] = 9.0
        x.zero_()
    writes = [(name, value) for name, value in log.seen if value is not None]
    assert writes == [("add_", [1.0] * 3), ("mul_", [2.0] * 3), ("copy_", 6.0), ("zero_", [9.0, 6.0, 6.0])]
    assert x.tolist() == [0.0] * 3


def test_out_is_seen_before_it_is_written():
    x, log = wg.ones(3), Log()
    with observed(log):
        wg.add(x, x, out=x)
        wg.zeros(3, out=x)
    assert log.seen == [("add", None), ("out=", [1.0] * 3), ("out=", [2.0] * 3)]
    assert x.tolist() == [0.0] * 3


def test_an_observer_may_answer_in_place_of_the_operator():
    x = wg.ones(3)
    with observed(lambda op, args, proceed: args[0] if op.written(args) is not None else proceed()):
        y = x.add_(5) * 2
    assert y.tolist() == [2.0] * 3 and x.tolist() == [1.0] * 3 and x._version == 0


def test_an_observer_sees_what_came_out():
    found = []

    def watch(op, args, proceed):
        found.append(proceed())
        return found[-1]

    with observed(watch):
        y = wg.ones(3, requires_grad=True) * 2
    assert found[-1] is y and y.requires_grad


def test_the_latest_observer_is_asked_first_and_none_is_told_of_its_own_calls():
    order = []

    def outer(op, args, proceed):
        order.append(("outer", op.name))
        return proceed()

    def inner(op, args, proceed):
        order.append(("inner", op.name))
        args[0].abs()
        return proceed()

    x = wg.ones(3)
    with observed(outer, inner):
        x.mul(2)
    assert order == [("inner", "mul"), ("outer", "abs"), ("outer", "mul")]
    x.mul(2)
    assert len(order) == 3


def test_an_error_of_an_observer_leaves_the_observers_as_they_were():
    log = Log()

    def fail(op, args, proceed):
        raise KeyError(op.name)

    x = wg.ones(3)
    with observed(log):
        with observed(fail), pytest.raises(KeyError):
            x.add_(1)
        x.add_(1)
    assert log.names == ["add_"] and x.tolist() == [2.0] * 3


def test_a_call_that_is_refused_leaves_the_observers_as_they_were():
    log, leaf = Log(), wg.ones(3, requires_grad=True)
    with observed(log):
        with pytest.raises(RuntimeError, match="leaf Variable"):
            leaf.add_(1)
        leaf.mul(1)
    assert log.names == ["add_", "mul"]


def test_observers_see_calls_in_every_mode():
    log, x = Log(), wg.ones(3, requires_grad=True)
    with observed(log):
        with wg.no_grad():
            x.add_(1)
        with wg.inference_mode():
            y = x * 2
            y.add_(1)
    assert log.names == ["add_", "mul", "add_"] and y.is_inference()


def test_views_are_refreshed_and_histories_rewritten_as_without_observers():
    def run():
        x = wg.ones(3, requires_grad=True)
        base = x * 2
        part = base[:2]
        base.mul_(3)
        part.mul_(part.detach().clone())
        (base * part.sum()).sum().backward()
        return x.grad.tolist()

    with observed(Log()):
        found = run()
    assert found == run()


def test_observers_belong_to_their_thread():
    log = Log()
    with observed(log):
        thread = threading.Thread(target=lambda: wg.ones(3) * 2)
        thread.start()
        thread.join()
    assert log.seen == []
