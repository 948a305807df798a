"""Checkpointing by one node that runs the function again and starts a backward pass of its own."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.utils.checkpoint import (
    CheckpointFunction,
    check_backward_validity,
    checkpoint,
    checkpoint_sequential,
    detach_variable,
)


def leaf(count=3):
    return wg.linspace(0.1, 1.0, count, dtype=wg.float64).requires_grad_()


def curve(x):
    return x.sin().exp() * x


def again(*args, **kwargs):
    return checkpoint(*args, use_reentrant=True, **kwargs)


def counted(function):
    calls = []

    def wrapper(*args):
        calls.append(args)
        return function(*args)

    return wrapper, calls


def gradient(function):
    x = leaf()
    function(x).sum().backward()
    return x.grad


def test_value_and_gradient_are_those_of_the_plain_call():
    function, calls = counted(curve)
    x = leaf()
    y = again(function, x)
    assert y.grad_fn.name() == "CheckpointFunctionBackward" and len(calls) == 1
    y.sum().backward()
    assert wg.equal(y, curve(leaf())) and wg.equal(x.grad, gradient(curve)) and len(calls) == 2


def test_the_function_runs_unrecorded_first_and_recorded_then():
    recording = []

    def function(x):
        recording.append(wg.is_grad_enabled())
        return curve(x)

    again(function, leaf(1)).sum().backward()
    assert recording == [False, True]


def test_each_pass_over_a_graph_that_is_kept_runs_it_once_more():
    function, calls = counted(curve)
    x = leaf()
    y = again(function, x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3 and wg.allclose(x.grad, 2 * gradient(curve))
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


@pytest.mark.parametrize(
    "ask",
    [
        lambda y, x: wg.autograd.grad(y, x),
        lambda y, x: y.backward(inputs=[x]),
        lambda y, x: wg.autograd.grad(y, x, create_graph=True),
    ],
)
def test_a_pass_for_some_gradients_only_is_refused(ask):
    x = leaf()
    y = again(curve, x).sum()
    with pytest.raises(RuntimeError, match=r"When use_reentrant=True, .* is incompatible with \.grad\(\) or passing"):
        ask(y, x)
    assert x.grad is None
    y.backward()
    assert wg.equal(x.grad, gradient(curve))


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
def test_checkpoints_nest():
    def inner(x):
        return x.cos() * x

    x = leaf()
    again(lambda x: again(inner, x.exp()).sin(), x).sum().backward()
    assert wg.allclose(x.grad, gradient(lambda x: inner(x.exp()).sin()))


def test_the_two_forms_nest_in_each_other():
    def inner(x):
        return x.cos() * x

    for outer_form, inner_form in ((True, False), (False, True)):

        def outer(x, form=inner_form):
            return checkpoint(inner, x.exp(), use_reentrant=form).sin()

        x = leaf()
        checkpoint(outer, x, use_reentrant=outer_form).sum().backward()
        assert wg.allclose(x.grad, gradient(lambda x: inner(x.exp()).sin()))


def test_parameters_inside_get_their_gradients():
    weight = leaf()
    again(lambda x: (x * weight).sin(), leaf()).sum().backward()
    assert wg.allclose(weight.grad, leaf().detach() * (leaf().detach() * weight.detach()).cos())


def test_arguments_may_be_anything_and_get_gradients_if_they_are_tensors():
    x, y, constant = leaf(), leaf(), wg.ones(3, dtype=wg.float64)
    again(lambda x, power, constant, y, nothing: x**power * constant * y, x, 3, constant, y, None).sum().backward()
    value = x.detach()
    assert wg.allclose(x.grad, 3 * value**3) and wg.allclose(y.grad, value**3) and constant.grad is None


def test_several_outputs_may_be_returned_with_other_things_between_them():
    x = leaf()
    doubled, word, nothing, [tripled], detached = again(lambda x: (x * 2, "word", None, [x * 3], x.detach()), x)
    assert (word, nothing) == ("word", None)
    assert not tripled.requires_grad, "tensors in containers do not take part"
    assert detached.requires_grad, "all outputs seem to require a gradient"
    doubled.sum().backward()
    assert wg.equal(x.grad, wg.full((3,), 2.0, dtype=wg.float64))


def test_a_function_without_recorded_outputs_is_an_error():
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        again(lambda x: x.detach(), leaf()).sum().backward()


def test_inputs_without_gradients_are_warned_about():
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True. Gradients will be None") as seen:
        y = again(curve, wg.ones(3))
    assert not y.requires_grad
    assert [each.filename for each in seen] == [__file__]
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        check_backward_validity([wg.ones(1), 3])


@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers_are_the_same_again_if_they_are_to_be_preserved(preserve):
    seen = []

    def function(x):
        seen.append(wg.rand(3, dtype=wg.float64))
        return x * seen[-1]

    x = leaf()
    y = again(function, x, preserve_rng_state=preserve)
    wg.rand(5)
    y.sum().backward()
    assert wg.equal(seen[0], seen[1]) is preserve
    assert wg.equal(x.grad, seen[1])


def test_an_input_that_was_written_to_is_an_error():
    middle = leaf() * 1
    y = again(curve, middle).sum()
    middle.mul_(2)
    with pytest.raises(RuntimeError, match="which is output 0 of Mul, is at version 1; expected version 0 instead"):
        y.backward()


def test_the_form_is_to_be_chosen_and_is_this_one_if_it_is_not():
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly") as seen:
        y = checkpoint(curve, leaf())
    assert y.grad_fn.name() == "CheckpointFunctionBackward"
    assert [each.filename for each in seen] == [__file__]
    with pytest.warns(UserWarning, match="checkpoint_sequential: the use_reentrant parameter should be passed"):
        checkpoint_sequential([wg.sin, wg.exp], 2, leaf())


def test_what_only_the_other_form_knows_is_refused():
    with pytest.raises(ValueError, match="Unexpected keyword arguments: other"):
        again(curve, leaf(), other=1)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        again(curve, leaf(), debug=True)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        again(curve, leaf(), context_fn=lambda: ())


@pytest.mark.parametrize("segments", [1, 2, 5])
def test_a_sequence_may_be_cut_into_segments(segments):
    functions = [wg.sin, wg.exp, wg.cos, wg.tanh, wg.sin]
    x = leaf()
    checkpoint_sequential(functions, segments, x, use_reentrant=True).sum().backward()

    def plain(x):
        for each in functions:
            x = each(x)
        return x

    assert wg.allclose(x.grad, gradient(plain))


def test_the_function_behind_it_is_public():
    x = leaf()
    CheckpointFunction.apply(curve, True, x).sum().backward()
    assert wg.equal(x.grad, gradient(curve))


def test_detach_variable_makes_leaves_on_the_same_memory():
    x, constant = leaf() * 2, wg.ones(2)
    made = detach_variable((x, constant, "word"))
    assert made[0].is_leaf and made[0].requires_grad and made[0].data_ptr() == x.data_ptr()
    assert not made[1].requires_grad and made[2] == "word"
    with pytest.raises(RuntimeError, match=r"Only tuple of tensors is supported\. Got Unsupported input type: Tensor"):
        detach_variable(x)


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
def test_a_chain_of_checkpoints_within_checkpoints_may_be_deep():
    def level(depth):
        return lambda x: again(level(depth - 1), x * 1.01) if depth else x.sin()

    x = leaf()
    again(level(60), x).sum().backward()
    factor = 1.01**60
    assert wg.allclose(x.grad, (x.detach() * factor).cos() * factor)
