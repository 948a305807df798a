"""Anomaly detection."""

from __future__ import annotations

import contextlib
import io
import warnings

from tests.mechanics.common import equal, refused


def anomalous(torch, mode=None):
    """What backward of 0 / 0 says and warns of; the forward call stands in a line that can be recognised."""
    x = torch.zeros(1, requires_grad=True)
    said, error = io.StringIO(), None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(said):
        warnings.simplefilter("always")
        with (mode or torch.autograd.detect_anomaly)():
            y = x / x  # the call that makes it
            try:
                y.backward()
            except RuntimeError as raised:
                error = raised
    return error, said.getvalue() + "".join(str(each.message) for each in caught)


def test_nan_in_a_gradient_raises_and_names_the_function_and_the_output(torch):
    """ "detect_anomaly" """
    error, _ = anomalous(torch)
    assert "Function 'DivBackward0' returned nan values in its" in str(error)


def test_the_traceback_of_the_forward_call_is_shown(torch):
    """ "detect_anomaly" """
    error, said = anomalous(torch)
    everything = said + str(error) + "".join(getattr(error, "__notes__", ()))
    assert "the call that makes it" in everything and "Traceback of forward call that caused the error" in everything


def test_without_it_nan_passes_silently(torch):
    """ "detect_anomaly" """
    x = torch.zeros(1, requires_grad=True)
    (x / x).backward()
    assert x.grad.item() != x.grad.item()


def test_check_nan_false_shows_tracebacks_only(torch):
    """ "detect_anomaly" """
    error, _ = anomalous(torch, lambda: torch.autograd.detect_anomaly(check_nan=False))
    assert error is None


def test_an_error_of_backward_is_shown_with_the_forward_call(torch):
    """ "detect_anomaly" """

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise RuntimeError("on purpose")

    x = torch.ones(1, requires_grad=True)
    said = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(said):
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            y = Fails.apply(x)  # the call that makes it
            error = refused(y.backward, "on purpose")
    shown = said.getvalue() + "".join(str(each.message) for each in caught) + str(error)
    assert "the call that makes it" in shown + "".join(getattr(error, "__notes__", ()))


def test_set_detect_anomaly_switches_it_as_context_and_as_function(torch):
    """ "set_detect_anomaly" """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.set_detect_anomaly(True):
            assert torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
            with torch.autograd.set_detect_anomaly(False):
                assert not torch.is_anomaly_enabled()
            assert torch.is_anomaly_enabled()
        assert not torch.is_anomaly_enabled()
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        try:
            assert torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled()
        finally:
            torch.autograd.set_detect_anomaly(False)
    assert not torch.is_anomaly_enabled()


def test_detect_anomaly_warns_that_it_is_slow(torch):
    """ "detect_anomaly" """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            pass
    assert any("Anomaly Detection has been enabled" in str(each.message) for each in caught)


def test_right_gradients_are_as_without_it(torch):
    """ "detect_anomaly" """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            (x.exp().log() * 3).sum().backward()
    assert [round(each, 5) for each in x.grad.tolist()] == [3.0, 3.0]


def test_an_exception_leaves_the_mode_as_it_was(torch):
    """ "detect_anomaly" """
    error, _ = anomalous(torch)
    assert error is not None and not torch.is_anomaly_enabled()
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    assert equal(x.grad, 2.0)


def test_functions_inside_functions_are_shown_both(torch):
    """ "detect_anomaly": the traceback of a node made by another node's backward, through both."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.sqrt() * 3  # the derivative of this one is infinite at 0, and 0 * inf is NaN

    x = torch.zeros(1, requires_grad=True)
    said = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(said):
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            y = Cube.apply(x)  # the call that makes it
            (first,) = torch.autograd.grad(y, x, create_graph=True)
            error = refused(lambda: torch.autograd.grad(first * 0, x), "returned nan values in its 0th output")
    shown = said.getvalue() + "".join(str(each.message) for each in caught) + str(error)
    shown += "".join(getattr(error, "__notes__", ()))
    assert "the call that makes it" in shown and "x.sqrt()" in shown
