"""Anomaly detection through custom Functions, also nested in each other, and writes of theirs."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg
from wengert.autograd import Function, detect_anomaly

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")


class Fails(Function):
    """Its backward step raises an error."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("it fails")


class FailsTwice(Function):
    """Only the derivative of its backward step raises an error."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        [x] = ctx.saved_tensors
        return Fails.apply(grad * x)


class Around(Function):
    """Runs another Function inside, and its backward pass in its own."""

    @staticmethod
    def forward(ctx, x):
        with wg.enable_grad():
            ctx.inner = x.detach().requires_grad_()
            ctx.result = Fails.apply(ctx.inner)
        return ctx.result.detach()

    @staticmethod
    def backward(ctx, grad):
        ctx.result.backward(grad)
        return ctx.inner.grad


class Wrong(Function):
    """Gives NaN for the second of its inputs."""

    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad * float("nan")


class Writes(Function):
    """Doubles its input in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def told(run, kind):
    """The error and the texts of the warnings of a call that has to fail under anomaly detection."""
    with warnings.catch_warnings(record=True) as seen, pytest.raises(kind) as caught:
        warnings.simplefilter("always")
        with detect_anomaly():
            run(wg.ones(2, requires_grad=True))
    return str(caught.value), [str(each.message) for each in seen if "has been enabled" not in str(each.message)]


def test_the_traceback_leads_to_the_call_of_a_function():
    def run(x):
        y = Fails.apply(x)
        y.sum().backward()

    error, [text] = told(run, ValueError)
    assert error == "it fails"
    assert text.startswith("Error detected in FailsBackward. Traceback of forward call that caused the error:\n")
    assert "    y = Fails.apply(x)\n" in text and "/_core/" not in text


def test_functions_nested_in_each_other_are_told_from_within():
    def run(x):
        y = Around.apply(x)
        y.sum().backward()

    error, texts = told(run, ValueError)
    assert error == "it fails"
    assert [each.partition(".")[0] for each in texts] == [
        "Error detected in FailsBackward",
        "Error detected in AroundBackward",
    ]
    assert "y = Around.apply(x)" in texts[0] and "ctx.result = Fails.apply(ctx.inner)" in texts[0]
    assert "y = Around.apply(x)" in texts[1] and "Fails.apply" not in texts[1]


def test_a_second_derivative_tells_of_the_function_whose_backward_step_led_to_it():
    def run(x):
        y = FailsTwice.apply(x)
        [first] = wg.autograd.grad(y.sum(), x, create_graph=True)
        first.sum().backward()

    error, texts = told(run, ValueError)
    assert error == "it fails"
    assert texts[0].startswith("Error detected in FailsBackward. ")
    assert "[first] = wg.autograd.grad(y.sum()" in texts[0] and "return Fails.apply(grad * x)" in texts[0]
    assert texts[1].startswith("\n\nPrevious calculation was induced by FailsTwiceBackward. Traceback of forward call")
    assert "y = FailsTwice.apply(x)" in texts[1]


def test_nan_from_a_function_is_found_even_for_an_input_without_gradient():
    error, [text] = told(lambda x: Wrong.apply(x, wg.ones(2)).sum().backward(), RuntimeError)
    assert error == "Function 'WrongBackward' returned nan values in its 1th output."
    assert "Wrong.apply(x, wg.ones(2))" in text


def test_a_gradient_of_a_wrong_shape_is_told_too():
    class Short(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad[:1].expand(3)

    error, [text] = told(lambda x: Short.apply(x).sum().backward(), RuntimeError)
    assert "ShortBackward returned an invalid gradient at index 0" in error
    assert text.startswith("Error detected in ShortBackward. Traceback of forward call")


def test_a_write_by_a_function_is_shown_with_its_line():
    def run(x):
        y = x * 3
        z = (y * y).sum()
        Writes.apply(y)
        z.backward()

    error, _ = told(run, RuntimeError)
    assert "The first write since was mul_ (File " in error and "in forward: return x.mul_(2))" in error
    assert "modified by an inplace operation" in error


def test_a_function_that_raises_within_a_hook_leaves_the_mode_as_it_was():
    def run(x):
        y = x * 2
        inner = Fails.apply(wg.ones(2, requires_grad=True)).sum()
        y.register_hook(lambda grad: inner.backward())
        y.sum().backward()

    _, texts = told(run, ValueError)
    assert [each.partition(".")[0] for each in texts] == [
        "Error detected in FailsBackward",
        "Error detected in MulBackward0",
    ]
    assert not wg.is_anomaly_enabled()
