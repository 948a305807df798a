"""Checkpointing that starts no backward passes of its own: values, gradients, recomputations."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    set_checkpoint_early_stop,
)


def leaf(count=3):
    return wg.linspace(0.1, 1.0, count, dtype=wg.float64).requires_grad_()


def curve(x):
    return x.sin().exp() * x


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def again(*args, **kwargs):
    return checkpoint(*args, use_reentrant=False, **kwargs)


def gradient(function, *args):
    """The gradient of a plain call, and the value."""
    x = leaf()
    y = function(x, *args)
    y.sum().backward()
    return y.detach(), x.grad


# ---- values and gradients --------------------------------------------------------------------------------------------


def test_value_and_gradient_are_those_of_the_plain_call():
    x = leaf()
    y = again(curve, x)
    y.sum().backward()
    value, grad = gradient(curve)
    assert wg.equal(y, value) and wg.equal(x.grad, grad)


def test_the_function_runs_once_more_for_a_backward_pass():
    function = Counted(curve)
    y = again(function, leaf())
    assert function.calls == 1
    y.sum().backward()
    assert function.calls == 2


def test_each_backward_pass_over_a_graph_that_is_kept_runs_it_once_more():
    function, x = Counted(curve), leaf()
    y = again(function, x).sum()
    for calls in (2, 3, 4):
        y.backward(retain_graph=True)
        assert function.calls == calls
    y.backward()
    assert wg.allclose(x.grad, 4 * gradient(curve)[1])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_outputs_may_be_differentiated_one_by_one():
    function, x = Counted(lambda x: (x.sin(), x.exp(), x.cos())), leaf()
    parts = again(function, x)
    for calls, part in enumerate(parts, 2):
        part.sum().backward()
        assert function.calls == calls
    value = x.detach()
    assert wg.allclose(x.grad, value.cos() + value.exp() - value.sin())


def test_grad_and_backward_with_inputs_work():
    x = leaf()
    [first] = wg.autograd.grad(again(curve, x).sum(), x)
    again(curve, x).sum().backward(inputs=[x])
    assert wg.equal(first, x.grad) and wg.equal(first, gradient(curve)[1])


def test_second_derivatives_go_through_a_checkpoint():
    def second(call):
        x = leaf()
        [first] = wg.autograd.grad(call(x).sum(), x, create_graph=True)
        return wg.autograd.grad((first * first).sum(), x)[0]

    assert wg.allclose(second(lambda x: again(curve, x)), second(curve))


def test_anything_may_be_returned():
    x = leaf()
    doubled, word, nothing, [tripled], detached = again(lambda x: (x * 2, "word", None, [x * 3], x.detach()), x)
    assert (word, nothing, detached.requires_grad) == ("word", None, False)
    (doubled + tripled).sum().backward()
    assert wg.equal(x.grad, wg.full((3,), 5.0, dtype=wg.float64))


def test_keyword_arguments_and_tensors_in_containers_take_part():
    x, weight, inner = leaf(), leaf(), leaf()

    def function(x, pair, *, weight, factor):
        return x.sin() * weight.exp() * pair[1].cos() * factor

    again(function, x, ("word", inner), weight=weight, factor=3.0).sum().backward()
    grads = x.grad, weight.grad, inner.grad
    for each in (x, weight, inner):
        each.grad = None
    function(x, ("word", inner), weight=weight, factor=3.0).sum().backward()
    assert all(wg.equal(got, each.grad) for got, each in zip(grads, (x, weight, inner), strict=True))


def test_parameters_get_gradients_even_if_no_input_requires_one():
    weight = leaf()
    again(lambda x: (x * weight).sin(), wg.ones(3, dtype=wg.float64)).sum().backward()
    assert wg.allclose(weight.grad, weight.detach().cos())


def test_nothing_is_kept_or_run_again_where_recording_is_off():
    function = Counted(curve)
    with wg.no_grad():
        y = again(function, leaf())
    assert not y.requires_grad and function.calls == 1


def test_the_recomputation_is_recorded_also_where_the_backward_pass_runs_without_recording():
    x = leaf()
    y = again(curve, x)
    with wg.no_grad():
        y.backward(wg.ones_like(y))
    assert wg.equal(x.grad, gradient(curve)[1])


def test_a_function_that_writes_in_place_to_its_own_tensors_may_be_checkpointed():
    def function(x):
        y = x.clone()
        y.mul_(2)
        y[0] = x[1] * x[2]
        return y.sin_().exp()

    x = leaf()
    again(function, x).sum().backward()
    assert wg.allclose(x.grad, gradient(function)[1])


def test_views_and_results_that_are_written_to_later_stay_right():
    x = leaf(6)
    base = x * 1
    part = base[:3]
    y = again(curve, part)
    z = (y * 2).add_(1)
    z.sum().backward()
    assert wg.allclose(x.grad, 2 * wg.autograd.grad(curve(x[:3]).sum(), x)[0])


def test_a_function_may_ask_for_gradients_itself():
    def function(x):
        y = x.sin().exp()
        [slope] = wg.autograd.grad(y.sum(), x, create_graph=True)
        return slope * y

    x = leaf()
    again(function, x).sum().backward()
    assert wg.allclose(x.grad, gradient(function)[1])


def test_a_saved_value_can_be_read_by_hand_as_often_as_wanted():
    function, x = Counted(lambda x: x.sin().exp()), leaf()
    y = again(function, x)
    for calls in (2, 3):
        assert wg.equal(y.grad_fn._saved_result, y)
        assert function.calls == calls


def test_hooks_of_tensors_inside_run_once():
    seen = []

    def function(x):
        y = x.sin()
        if y.requires_grad:
            y.register_hook(seen.append)
        return y.exp()

    again(function, leaf()).sum().backward()
    assert len(seen) == 1


# ---- nesting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_checkpoints_nest(depth):
    """How often each level runs is what torch does, too: level `n` (from 0) n + 2 times."""
    levels = []

    def level(number, call):
        def function(x):
            x = x.sin()
            if number + 1 < depth:
                x = call(levels[number + 1], x)
            return (x * 0.3).exp()

        return function

    levels[:] = [Counted(level(number, again)) for number in range(depth)]
    x = leaf()
    y = again(levels[0], x)
    y.sum().backward()
    assert [each.calls for each in levels] == [number + 2 for number in range(depth)]

    levels[:] = [Counted(level(number, lambda function, x: function(x))) for number in range(depth)]
    value, grad = gradient(levels[0])
    assert wg.equal(y, value) and wg.allclose(x.grad, grad)


def test_a_nested_checkpoint_survives_two_passes_and_a_second_derivative():
    def inner(x):
        return x.cos() * x

    def outer(x):
        return again(inner, x.exp()).sin()

    def plain(x):
        return inner(x.exp()).sin()

    def derivatives(function):
        x = leaf()
        y = function(x)
        [once] = wg.autograd.grad(y.sum(), x, retain_graph=True)
        [first] = wg.autograd.grad(y.sum(), x, create_graph=True)
        return once, first, wg.autograd.grad(first.sum(), x)[0]

    for got, wanted in zip(derivatives(lambda x: again(outer, x)), derivatives(plain), strict=True):
        assert wg.allclose(got, wanted)


# ---- early stop ------------------------------------------------------------------------------------------------------


def steps():
    seen = []

    def function(x):
        seen.append("start")
        y = x.sin().exp()
        seen.append("saved")
        y = y + 1
        seen.append("end")
        return y

    return function, seen


def test_a_recomputation_stops_as_soon_as_it_has_all():
    function, seen = steps()
    again(function, leaf()).sum().backward()
    assert seen == ["start", "saved", "end", "start"]


@pytest.mark.parametrize("how", ["argument", "guard"])
def test_a_recomputation_runs_to_the_end_if_asked_to(how):
    function, seen = steps()
    if how == "argument":
        y = again(function, leaf(), early_stop=False)
    else:
        with set_checkpoint_early_stop(False):
            y = again(function, leaf(), early_stop=True)
    y.sum().backward()
    assert seen == ["start", "saved", "end"] * 2


def test_the_guard_of_early_stop_overrides_the_argument_and_is_restored():
    function, seen = steps()
    with pytest.raises(KeyError), set_checkpoint_early_stop(True):
        again(function, leaf(), early_stop=False).sum().backward()
        raise KeyError
    again(function, leaf(), early_stop=False).sum().backward()
    assert seen == ["start", "saved", "end", "start"] + ["start", "saved", "end"] * 2


def test_a_function_that_catches_all_exceptions_does_not_catch_the_stop():
    def function(x):
        try:
            return curve(x)
        except Exception:
            return x

    x = leaf()
    again(function, x).sum().backward()
    assert wg.equal(x.grad, gradient(curve)[1])


class ReadsTwice(wg.autograd.Function):
    """Asks for what it saved once more than needed."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        assert wg.equal(ctx.saved_tensors[0], ctx.saved_tensors[0])
        return grad * 2 * ctx.saved_tensors[0]


def test_a_function_inside_may_read_what_it_saved_only_once():
    x = leaf()
    with pytest.raises(CheckpointError, match="already unpacked once"):
        again(lambda x: ReadsTwice.apply(x.sin()), x).sum().backward()
    assert x.grad is None
