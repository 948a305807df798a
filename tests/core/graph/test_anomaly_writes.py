"""The error about a saved tensor that was written to shows the line that did it, under anomaly detection."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg
from wengert.autograd import detect_anomaly

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")


def error_of(call):
    """The text of the error that a call has to raise."""
    with warnings.catch_warnings(), pytest.raises(RuntimeError) as caught:
        warnings.simplefilter("ignore")
        call()
    return str(caught.value)


def result_and_saved():
    saved = wg.ones(3, requires_grad=True) * 2
    return (saved * saved).sum(), saved


def by_index(saved):
    saved[0] = 5


def by_out(saved):
    with wg.no_grad():
        wg.add(wg.ones(3), wg.ones(3), out=saved.detach())


def by_method(saved):
    saved.add_(1)


def by_operator(saved):
    saved += 1


def by_view(saved):
    saved[1:].zero_()


def by_increment(saved):
    wg.autograd.graph.increment_version(saved)


def by_foreign_memory(saved):
    with wg.no_grad():
        saved.copy_(wg.zeros(3))


def by_optimiser(saved):
    saved = saved.detach().requires_grad_()
    saved.grad = wg.ones(3)
    wg.optim.SGD([saved], lr=0.1).step()


@pytest.mark.parametrize(
    ("write", "line", "operation"),
    [
        (by_increment, "wg.autograd.graph.increment_version(saved)", "increment_version"),
        (by_foreign_memory, "saved.copy_(wg.zeros(3))", "copy_"),
        (by_index, "saved[0] = 5", ""),
        (by_out, "wg.add(wg.ones(3), wg.ones(3), out=saved.detach())", "a call with out="),
        (by_method, "saved.add_(1)", "add_"),
        (by_operator, "saved += 1", "add_"),
        (by_view, "saved[1:].zero_()", "zero_"),
        (by_optimiser, "wg.optim.SGD([saved], lr=0.1).step()", "an optimiser's step"),
    ],
)
def test_the_error_of_a_saved_tensor_shows_the_line_that_wrote_to_it(write, line, operation):
    def run():
        with detect_anomaly():
            result, saved = result_and_saved()
            write(saved)
            saved.detach().mul_(3)
            result.backward()

    error = error_of(run)
    assert f"The first write since was {operation}" in error
    assert f'(File "{__file__}", line ' in error
    assert f"in {write.__name__}: {line})" in error
    assert "is at version 2; expected version 0 instead. It was saved by MulBackward0." in error
    assert "Write to a clone() of it" in error
    assert "Hint: the backtrace further above shows the operation that failed to compute its gradient." in error


def test_writes_before_the_tensor_was_saved_are_not_blamed():
    def run():
        with detect_anomaly():
            saved = wg.ones(3, requires_grad=True) * 2
            saved.mul_(2)
            result = saved * saved
            saved.sub_(3)
            saved.div_(3)
            result.sum().backward()

    error = error_of(run)
    assert "saved.sub_(3)" in error
    assert "saved.mul_(2)" not in error and "saved.div_(3)" not in error


def test_a_write_before_the_mode_was_on_is_not_mistaken_for_a_later_one():
    def run():
        result, saved = result_and_saved()
        saved.add_(1)
        with detect_anomaly():
            saved.sub_(1)
            result.backward()

    error = error_of(run)
    assert "The first write since" not in error
    assert "The write that made version 2 was sub_" in error


def test_without_the_mode_nothing_is_noted_and_the_error_says_how_to_learn_more():
    result, saved = result_and_saved()
    saved.add_(1)
    error = error_of(result.backward)
    assert saved._storage_.writes is None
    assert "add_" not in error
    assert "Hint: enable anomaly detection to find the operation that failed to compute its gradient" in error


def test_writes_noted_stay_few():
    with detect_anomaly():
        saved = wg.ones(3)
        for _ in range(1000):
            saved.add_(1)
    assert len(saved._storage_.writes) < 100
    assert saved._storage_.writes[-1][0] == 1000


def test_a_saved_result_read_by_hand_shows_the_line_too():
    with detect_anomaly():
        y = wg.ones(3, requires_grad=True).exp()
        node = y.grad_fn
        y.mul_(2)
        with pytest.raises(RuntimeError, match=r"in test_a_saved_result.*: y\.mul_\(2\)"):
            _ = node._saved_result


def test_the_accumulation_of_a_gradient_is_a_write_too():
    def run():
        x = wg.ones(3, requires_grad=True)
        weight = wg.ones(3, requires_grad=True)
        with detect_anomaly():
            (x * 1).sum().backward()
            result = (x.grad * weight).sum()
            (x * 2).sum().backward()
            result.backward()

    error = error_of(run)
    assert "The first write since was the accumulation of a gradient (File " in error
    assert ": (x * 2).sum().backward())" in error
