"""Code of a program within a backward pass: the modes that it switches, and what it asks to be called at the end."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import Variable
from wengert.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks

ENGINE = Variable._execution_engine


def leaf(*values):
    return wg.tensor(values or (1.0, 2.0), dtype=wg.float64, requires_grad=True)


def noting(log, name):
    return saved_tensors_hooks(lambda tensor: (log.append(name), tensor)[1], lambda tensor: tensor)


def saves(log):
    """What is noted while a product saves its two factors."""
    log.clear()
    x = leaf()
    x * x
    return list(log)


@pytest.mark.parametrize("place", ["tensor", "before", "after", "accumulated", "unpack"])
def test_hooks_for_saved_tensors_that_are_entered_within_a_node_end_with_it(place):
    log = []
    x = leaf()

    def enter(*args):
        noting(log, "inside").__enter__()

    def unpack(tensor):
        if place == "unpack":
            enter()
        return tensor

    with saved_tensors_hooks(lambda tensor: tensor, unpack):
        y = x * x
    if place == "tensor":
        y.register_hook(enter)
    if place == "before":
        y.grad_fn.register_prehook(enter)
    if place == "after":
        y.grad_fn.register_hook(enter)
    if place == "accumulated":
        x.register_post_accumulate_grad_hook(enter)
    y.sum().backward()
    assert saves(log) == []


def test_hooks_for_saved_tensors_that_are_left_within_a_node_are_in_force_after_it():
    log = []
    y = leaf() * 2
    inner = noting(log, "inner")
    y.register_hook(lambda grad: inner.__exit__(None, None, None))
    with noting(log, "outer"):
        inner.__enter__()
        y.sum().backward()
        assert saves(log) == ["inner", "inner"]
        inner.__exit__(None, None, None)
        assert saves(log) == ["outer", "outer"]
    with pytest.raises(RuntimeError, match="saved_tensors_hooks was left, but none is in force"):
        inner.__exit__(None, None, None)


def test_what_a_failing_hook_entered_ends_with_the_pass():
    log = []
    y = leaf() * 2

    def fail(grad):
        noting(log, "inside").__enter__()
        wg.set_grad_enabled(False)
        raise ValueError("stop")

    y.register_hook(fail)
    with pytest.raises(ValueError, match="stop"):
        y.sum().backward()
    assert saves(log) == [] and wg.is_grad_enabled()


def test_each_node_finds_the_modes_that_the_pass_began_in():
    seen = []
    x = leaf()
    y = x * x
    guard = wg.inference_mode()
    forbidden = disable_saved_tensors_hooks("none here")

    def switch(grad):
        wg.set_grad_enabled(True)
        wg.autograd.set_multithreading_enabled(False)
        forbidden.__enter__()
        guard.__enter__()

    def look(grad):
        seen.append((wg.is_grad_enabled(), wg.is_inference_mode_enabled(), wg.autograd.is_multithreading_enabled()))
        with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
            pass

    y.register_hook(switch)
    x.register_hook(look)
    y.sum().backward()
    look(None)
    assert seen == [(False, False, True), (True, False, True)]


def test_a_gradient_has_no_history_even_if_a_hook_switched_recording_on():
    x = leaf()
    with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: (wg.set_grad_enabled(True), tensor)[1]):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0] and not x.grad.requires_grad


def test_callbacks_run_in_order_when_all_gradients_are_there():
    log = []
    x = leaf()
    y = x * 3

    def call(name, *then):
        def callback():
            log.append((name, x.grad.tolist(), wg.is_grad_enabled()))
            for each in then:
                ENGINE.queue_callback(each)

        return callback

    y.register_hook(lambda grad: ENGINE.queue_callback(call("first", call("third", call("fourth")))))
    x.register_hook(lambda grad: ENGINE.queue_callback(call("second")))
    y.sum().backward()
    assert log == [(name, [3.0, 3.0], False) for name in ("first", "second", "third", "fourth")]
    assert wg.is_grad_enabled()


def test_callbacks_belong_to_the_innermost_pass():
    log = []
    y, inner = leaf() * 2, leaf() * 2
    total = inner.sum()
    inner.register_hook(lambda grad: ENGINE.queue_callback(lambda: log.append("inner")))

    def nest(grad):
        ENGINE.queue_callback(lambda: log.append("outer"))
        total.backward()
        log.append("between")

    y.register_hook(nest)
    y.sum().backward()
    assert log == ["inner", "between", "outer"]


def test_a_callback_outside_of_a_pass_is_refused():
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        ENGINE.queue_callback(print)
    leaf().sum().backward()
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        ENGINE.queue_callback(print)


def test_an_error_in_a_callback_comes_out_of_the_pass_and_ends_it():
    log = []

    def fail():
        raise ValueError("stop")

    x = leaf()
    y = x * 2
    for each in (lambda: log.append(1), fail, lambda: log.append(2)):
        y.register_hook(lambda grad, each=each: ENGINE.queue_callback(each))
    with pytest.raises(ValueError, match="stop"):
        y.sum().backward()
    assert log == [1] and x.grad.tolist() == [2.0, 2.0] and wg.is_grad_enabled()


def test_no_callback_runs_after_a_pass_that_failed():
    log = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda grad: ENGINE.queue_callback(lambda: log.append(1)))
    x.register_hook(lambda grad: [][0])
    with pytest.raises(IndexError):
        y.sum().backward()
    assert log == []


def test_checkpoints_of_the_reentrant_form_are_valid_unless_some_gradients_are_asked_for():
    seen = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda grad: seen.append(ENGINE.is_checkpoint_valid()))
    y.sum().backward(retain_graph=True)
    y.sum().backward(inputs=[x])
    assert ENGINE.is_checkpoint_valid() and seen == [True, False]


def test_the_class_of_saved_tensors_is_public():
    saved = (leaf() * leaf()).grad_fn._raw_saved_self
    assert type(saved) is wg.autograd.SavedTensor
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        wg.autograd.SavedTensor()
