"""Errors of a backward pass carry lines: of the forward call, of the write, of the pass that freed the graph."""

from __future__ import annotations

import sys
import warnings

import pytest

import wengert as wg
from wengert._core import errors


def here():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


def notes_of(call, kind=RuntimeError):
    """The message and the notes of an error."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value), "\n".join(getattr(caught.value, "__notes__", []))


def test_a_second_backward_names_the_node_the_forward_line_and_the_call_that_freed_it():
    x = wg.ones(2, requires_grad=True)
    with wg.set_debug(lines=True):
        y = x.exp()
        loss = y.sum()
        loss.backward()
        freed = here() - 1
    message, notes = notes_of(loss.backward)
    assert message == errors.BACKWARD_TWICE, "torch's message stays the message"
    assert f'The error comes from ExpBackward0, recorded at File "{__file__}", line {freed - 2}, in ' in notes
    assert f'freed by the backward pass at File "{__file__}", line {freed}, in ' in notes
    assert "y = x.exp()" in notes and "loss.backward()" in notes and "set_debug" not in notes


def test_without_lines_a_second_backward_names_the_node_and_how_to_learn_more():
    loss = wg.ones(2, requires_grad=True).exp().sum()
    loss.backward()
    message, notes = notes_of(loss.backward)
    assert message == errors.BACKWARD_TWICE
    assert notes.startswith("The error comes from ExpBackward0.\n") and "set_debug(lines=True)" in notes


def test_only_the_freeing_pass_is_told_where_only_that_was_noted():
    loss = wg.ones(2, requires_grad=True).exp().sum()
    with wg.set_debug(lines=True):
        loss.backward()
    notes = notes_of(loss.backward)[1]
    assert f"line {here() - 2}" in notes and "set_debug(lines=True)" in notes


def test_the_error_of_an_in_place_write_names_the_line_that_saved_and_the_one_that_wrote():
    x = wg.ones(2, requires_grad=True)
    with wg.set_debug(lines=True):
        y = x.exp()
        z = y * y
        y.add_(1)
        wrote = here() - 1
    message, notes = notes_of(z.sum().backward)
    assert f'The first write since was add_ (File "{__file__}", line {wrote}, in ' in message
    assert f'The error comes from MulBackward0, recorded at File "{__file__}", line {wrote - 1}, in ' in notes


def test_any_error_of_a_backward_step_carries_the_line_of_its_forward_call():
    class Fails(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("it fails")

    x = wg.ones(2, requires_grad=True)
    with wg.set_debug(lines=True):
        y = Fails.apply(x)
    message, notes = notes_of(y.sum().backward, ValueError)
    assert message == "it fails" and f'FailsBackward, recorded at File "{__file__}", line {here() - 2}' in notes
    plain = Fails.apply(x).sum()
    assert notes_of(plain.backward, ValueError) == ("it fails", "")


def test_under_anomaly_detection_the_traceback_is_in_the_error_too():
    def divided(x):
        return x / x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with wg.autograd.detect_anomaly():
            loss = divided(wg.zeros(1, requires_grad=True)).sum()
            message, notes = notes_of(loss.backward)
    assert message == "Function 'DivBackward0' returned nan values in its 1th output."
    assert "Traceback of the forward call that made it:\n" in notes and notes.rstrip().endswith("return x / x")


def test_a_backward_pass_from_what_was_cut_off_names_the_cut():
    with wg.set_debug(lines=True):
        loss = wg.ones(2, requires_grad=True).detach().sum()
        message, notes = notes_of(loss.backward)
    assert message.startswith("element 0 of tensors does not require grad and does not have a grad_fn.")
    assert "cut off from the graph by detach() (detach) at File" in notes and f"line {here() - 3}" in notes


def test_a_node_keeps_its_line_beside_its_metadata():
    with wg.set_debug(lines=True):
        y = wg.ones(2, requires_grad=True).exp()
    y.grad_fn.metadata["mine"] = 1
    y.sum().backward()
    notes = notes_of(y.sum().backward)[1]
    assert f"line {here() - 4}" in notes and y.grad_fn.metadata == {"mine": 1}


def test_a_pass_in_another_thread_for_its_depth_carries_lines_too():
    class Nested(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            with wg.enable_grad():
                inner = wg.ones(1, requires_grad=True)
                result = inner.exp().sum() if not ctx.depth else Nested.apply(inner, ctx.depth - 1)
            result.backward()
            if not ctx.depth:
                result.backward()
            return grad, None

    with wg.set_debug(lines=True):
        message, notes = notes_of(Nested.apply(wg.ones(1, requires_grad=True), 30).backward)
    assert message == errors.BACKWARD_TWICE and "ExpBackward0, recorded at File" in notes
