"""Anomaly detection: what is refused, in which words, and the switches."""

from __future__ import annotations

import contextlib
import io
import threading

from tests.parity.programs.common import caught


def leaf(torch, *values):
    return torch.tensor(list(values) or [0.0, 1.0], requires_grad=True)


def watched(torch, loss, **options):
    """The error of a pass under anomaly detection; tracebacks that torch prints go nowhere."""
    with contextlib.redirect_stderr(io.StringIO()), torch.autograd.detect_anomaly(**options):
        return caught(lambda: loss().backward())


def nan_of_a_quotient(torch):
    x = leaf(torch)
    return watched(torch, lambda: (x / x).sum())


def nan_of_a_power(torch):
    x = leaf(torch)
    return watched(torch, lambda: ((x * 0) ** 0.5 * 0).sum())


def nan_of_a_second_operand(torch):
    x, y = torch.ones(2), leaf(torch)
    return watched(torch, lambda: (x * 0 / (y * 0)).sum())


def nan_of_a_function(torch):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * float("nan")

    return watched(torch, lambda: Made.apply(leaf(torch)).sum())


def nan_of_a_second_output_of_a_function(torch):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad, grad * float("nan")

    return watched(torch, lambda: Made.apply(leaf(torch), leaf(torch)).sum())


def nan_that_arrives_is_not_its_fault(torch):
    x = leaf(torch)
    with torch.autograd.detect_anomaly():
        y = x * 2
        return caught(lambda: y.backward(torch.tensor([float("nan"), 1.0])))


def infinity_passes(torch):
    x = leaf(torch)
    error = watched(torch, lambda: x.sqrt().sum())
    return error, x.grad


def nan_without_check(torch):
    x = leaf(torch)
    error = watched(torch, lambda: (x / x).sum(), check_nan=False)
    return error, x.grad


def nan_in_the_forward_pass_passes(torch):
    x = leaf(torch)
    with torch.autograd.detect_anomaly():
        y = (x.detach() / 0 * 0) + x
    return y


def made_before_the_mode(torch):
    x = leaf(torch)
    y = (x / x).sum()
    with contextlib.redirect_stderr(io.StringIO()), torch.autograd.detect_anomaly():
        return caught(y.backward)


def run_after_the_mode(torch):
    x = leaf(torch)
    with torch.autograd.detect_anomaly():
        y = (x / x).sum()
    return caught(y.backward), x.grad


def error_of_a_rule_is_the_same(torch):
    y = leaf(torch) * 1
    with contextlib.redirect_stderr(io.StringIO()), torch.autograd.detect_anomaly():
        z = y.exp()
        z.add_(1)
        return caught(lambda: z.sum().backward())


def error_of_a_function_is_the_same(torch):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("inside")

    return watched(torch, lambda: Made.apply(leaf(torch)).sum())


def hint_without_the_mode(torch):
    y = leaf(torch) * 1
    z = y.exp()
    z.add_(1)
    error = caught(lambda: z.sum().backward())
    return "anomaly" in str(error), type(error).__name__


def switches(torch):
    found = [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    with torch.autograd.detect_anomaly():
        found.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
        with torch.autograd.set_detect_anomaly(False):
            found.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
        with torch.autograd.detect_anomaly(check_nan=False):
            found.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
        found.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
    return found, torch.is_anomaly_enabled()


def set_as_a_function(torch):
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    on = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    torch.autograd.set_detect_anomaly(False)
    return on, torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def exception_restores_the_mode(torch):
    def fail():
        with torch.autograd.detect_anomaly():
            raise ValueError("inside")

    return caught(fail), torch.is_anomaly_enabled()


def metadata_holds_a_traceback(torch):
    x = leaf(torch)
    with torch.autograd.detect_anomaly():
        y = x * 2
    z = x * 3
    return "traceback_" in y.grad_fn.metadata, "traceback_" in z.grad_fn.metadata


def metadata_holds_the_parent(torch):
    x = leaf(torch)
    with torch.autograd.detect_anomaly():
        y = (x**3).sum()
        (first,) = torch.autograd.grad(y, x, create_graph=True)
    return "parent_" in first.grad_fn.metadata


def zero_gradients_are_fine(torch):
    x = leaf(torch)
    error = watched(torch, lambda: (x * 0).sum())
    return error, x.grad


def in_a_thread(function):
    """What a function returns in a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(caught(function)))
    thread.start()
    thread.join()
    return found[0]


def the_mode_in_several_threads(torch):
    def state():
        return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()

    notes = []
    with torch.autograd.detect_anomaly(check_nan=False):
        notes.append((state(), in_a_thread(state)))
    notes.append((state(), in_a_thread(state)))
    in_a_thread(lambda: torch.autograd.set_detect_anomaly(True) and None)
    notes.append((state(), in_a_thread(state)))
    torch.autograd.set_detect_anomaly(False)
    return notes, state(), in_a_thread(state)
