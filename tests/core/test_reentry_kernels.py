"""Operators in the middle of other operators: called by conversions, arrays, signal handlers."""

from __future__ import annotations

import contextvars
import signal
import threading

import numpy as np
import pytest

import wengert as wg


class Computing(np.ndarray):
    """An array whose arithmetic calls operators of ours, in the middle of one."""

    inside = None

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if Computing.inside is not None:
            work, Computing.inside = Computing.inside, None
            work()
        plain = [np.asarray(each) for each in inputs]
        if kwargs.get("out"):
            kwargs["out"] = tuple(np.asarray(each) for each in kwargs["out"])
        return getattr(ufunc, method)(*plain, **kwargs)


def within_an_operator(work):
    """Call `work` in the middle of an operator's kernel; what the operator gives."""
    Computing.inside = work
    tensor = wg.tensor([4.0, 9.0])
    tensor._array_ = tensor._array_.view(Computing)
    result = tensor.atan2(wg.ones(2))
    assert Computing.inside is None, "the work was not done"
    return result


def test_an_operator_may_be_called_in_the_middle_of_another():
    found = []
    within_an_operator(lambda: found.append(wg.ones(2, 3).sum(1).tolist()))
    assert found == [[3.0, 3.0]]


def test_operators_within_operators_nest():
    found = []

    def deeper(depth):
        if depth:
            within_an_operator(lambda: deeper(depth - 1))
        found.append(wg.ones(2, 3).sum(1).tolist())

    deeper(5)
    assert found == [[3.0, 3.0]] * 6


def test_a_pass_may_run_in_the_middle_of_an_operator():
    x = wg.ones(2, 2, requires_grad=True)

    def work():
        (x * 3).sum(1).cumsum(0).sum().backward()
        x.grad.add_(1.0)

    within_an_operator(work)
    assert x.grad.tolist() == [[7.0, 7.0], [4.0, 4.0]]


def test_an_error_in_the_middle_of_an_operator_is_that_error_and_the_next_call_works():
    def fail():
        raise RuntimeError("cannot enter context: this is the program's own")

    def fail_within():
        with pytest.raises(RuntimeError, match="the program's own"):
            within_an_operator(fail)
        raise KeyError("outer")

    with pytest.raises(RuntimeError, match="the program's own"):
        within_an_operator(fail)
    with pytest.raises(KeyError):
        within_an_operator(fail_within)
    assert wg.ones(2, 3).sum(1).tolist() == [3.0, 3.0]


def test_an_operator_within_another_context_of_the_program_is_silent_too(recwarn):
    context = contextvars.Context()
    found = []
    within_an_operator(lambda: found.append(context.run(lambda: wg.tensor([0.0]).log().sum(0).item())))
    assert found == [-np.inf]
    assert not recwarn.list


def test_a_thread_or_generator_in_the_middle_of_an_operator_computes():
    found = []

    def steps():
        yield wg.ones(2, 3).sum(1).tolist()
        within_an_operator(lambda: found.append(1))
        yield wg.ones(2, 3).sum(1).tolist()

    def work():
        thread = threading.Thread(target=lambda: found.extend(steps()))
        thread.start()
        thread.join()
        found.extend(steps())

    within_an_operator(work)
    assert found == [[3.0, 3.0], 1, [3.0, 3.0]] * 2


def test_the_program_s_context_variables_are_not_touched_by_what_runs_within_a_kernel():
    """A kernel runs in a context of its own, because a change of the program's would cost every call of an operator."""
    variable, found = contextvars.ContextVar("variable", default="default"), []

    def work():
        found.append(variable.get())
        variable.set("inner")

    token = variable.set("outer")
    within_an_operator(work)
    assert (found, variable.get()) == (["default"], "outer")
    variable.reset(token)


class Number:
    """An object of the program that stands for a number; converting it calls operators."""

    def __init__(self):
        self.found = []

    def look(self):
        self.found.append(wg.ones(2, 3).sum(1).tolist())
        return 1

    def __index__(self):
        return self.look()

    def __float__(self):
        return float(self.look())

    def __array__(self, dtype=None, copy=None):
        return np.asarray(float(self.look()), dtype)


@pytest.mark.parametrize(
    "call",
    [
        lambda number: wg.ones(2, 3).sum(number),
        lambda number: wg.ones(2, 3).unsqueeze(number),
        lambda number: wg.as_tensor(number),
        lambda number: wg.zeros(number, 2),
        lambda number: wg.ones(3)[number],
        lambda number: wg.ones(2, 3).cumsum(number),
    ],
)
def test_conversions_of_the_program_may_call_operators(call):
    number = Number()
    call(number)
    assert number.found
    assert all(each == [3.0, 3.0] for each in number.found)


def test_a_signal_handler_may_call_operators_in_the_middle_of_others():
    found = []
    before = signal.signal(signal.SIGALRM, lambda *_: found.append(wg.ones(2, 3).sum(1).tolist()))
    try:
        within_an_operator(lambda: signal.raise_signal(signal.SIGALRM))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found == [[3.0, 3.0]]
