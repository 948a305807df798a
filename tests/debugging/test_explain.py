"""`explain`: each reason by hand, with and without noted lines; what it refuses."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import wengert as wg
from wengert._core.state.modes import current


def here():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


@pytest.fixture
def lines():
    with wg.set_debug(lines=True):
        yield


def variable(size=3):
    return wg.ones(size, requires_grad=True)


# ---- tensors that have or miss a gradient ---------------------------------------------------------------------------


def test_a_leaf_that_does_not_require_a_gradient(lines):
    x = wg.ones(3)
    made = here() - 1
    found = wg.explain(x)
    assert (found.reason, found.line, found.made.lineno) == ("leaf", made, made)
    assert "requires_grad_()" in str(found)
    assert repr(found) == str(found) == found.text


def test_a_result_of_inputs_none_of_which_requires_a_gradient(lines):
    found = wg.explain(wg.ones(3) * wg.zeros(3))
    assert (found.reason, found.line, found.operator) == ("inputs", here() - 1, "mul")


def test_a_tensor_inside_the_graph_is_told_of_retain_grad():
    y = variable() * 2
    assert wg.explain(y).reason == "not_a_leaf" and "retain_grad()" in str(wg.explain(y))
    y.retain_grad()
    assert wg.explain(y).reason == "no_backward"
    y.sum().backward()
    assert wg.explain(y).reason == "has_gradient"


def test_what_has_run_through_a_tensor_inside_the_graph_is_told(lines):
    y = variable() * 2
    y.sum().backward()
    assert wg.explain(y).line == here() - 1


def test_a_leaf_before_and_after_its_use_and_backward(lines):
    x = variable()
    assert wg.explain(x).reason == "not_used"
    loss = x.sum()
    assert wg.explain(x).reason == "no_backward"
    loss.backward()
    found = wg.explain(x)
    assert (found.reason, found.line) == ("has_gradient", here() - 2)


def test_a_leaf_that_passes_have_not_reached(lines):
    x, w = variable(), variable()
    x * 2
    w.sum().backward()
    found = wg.explain(x)
    assert (found.reason, found.line) == ("not_used", here() - 2)
    assert wg.explain(x, w.sum()).reason == "not_used"


@pytest.mark.parametrize("how", ["zero_grad", "attribute", "module"])
def test_a_gradient_that_was_taken_away(lines, how):
    layer = wg.nn.Linear(2, 1)
    layer(wg.ones(1, 2)).sum().backward()
    if how == "zero_grad":
        wg.optim.SGD(layer.parameters(), lr=0.1).zero_grad()
    elif how == "module":
        layer.zero_grad()
    else:
        layer.weight.grad = None
    found = wg.explain(layer.weight)
    assert (found.reason, found.line) == ("cleared", here() - {"zero_grad": 6, "module": 4, "attribute": 2}[how])


def test_a_function_that_returned_nothing(lines):
    class Silent(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x = variable()
    Silent.apply(x).sum().backward()
    found = wg.explain(x)
    assert (found.reason, found.line) == ("nothing", here() - 2)


def test_a_loss_without_a_graph_is_explained_itself(lines):
    x = variable()
    loss = x.detach().sum()
    found = wg.explain(x, loss)
    assert (found.reason, found.line) == ("detach", here() - 2) and str(found).startswith(
        "The loss itself has no graph"
    )


# ---- what cuts -------------------------------------------------------------------------------------------------------


def test_switching_requires_grad_off_is_told_by_both_ways(lines):
    x, y = variable(), variable()
    x.requires_grad_(False)
    y.requires_grad = False
    assert (wg.explain(x).reason, wg.explain(x).line) == ("requires_grad_", here() - 2)
    assert (wg.explain(y * 2).reason, wg.explain(y * 2).line) == ("requires_grad_", here() - 2)
    assert wg.explain(x.requires_grad_()).reason == "not_used"


def test_the_nearest_cut_is_told_and_what_was_cut_off(lines):
    x = variable()
    y = x.exp()
    recorded = here() - 1
    z = (y.detach() + 1).relu()
    found = wg.explain(z.detach())
    assert (found.reason, found.line, found.operator) == ("detach", here() - 2, "detach()")
    assert f'ExpBackward0, recorded at File "{__file__}", line {recorded}' in str(found)


def test_numpy_code_is_told_of_as_far_as_can_be_known(lines):
    y = variable().detach()
    left = here() - 1
    same = wg.from_numpy(y.numpy())
    assert (wg.explain(same).reason, wg.explain(same).line) == ("numpy", here() - 1)
    assert f"line {left}" in str(wg.explain(same)), "the detach before it"
    other = wg.from_numpy(np.sin(y.numpy()) + 3)
    assert wg.explain(other).reason == "leaf" and "numpy(): File" in str(wg.explain(other))


def test_writes_without_recording_are_cuts_too(lines):
    x, buffer, number = variable(), wg.zeros(3), wg.zeros(3, dtype=wg.int64)
    with wg.no_grad():
        buffer.copy_(x)
        buffer.mul_(2)
    assert (wg.explain(buffer).reason, wg.explain(buffer).line) == ("no_grad", here() - 2)
    wg.mul(x.detach(), 2, out=buffer)
    assert (wg.explain(buffer).reason, wg.explain(buffer).line) == ("detach", here() - 1)
    number[0] = x[0].detach().long()
    assert wg.explain(number).reason == "detach"


def test_gradients_of_a_pass_that_was_not_recorded(lines):
    x = variable()
    (x * x).sum().backward()
    [grad] = wg.autograd.grad((x * x).sum(), x)
    assert (wg.explain(x.grad).reason, wg.explain(x.grad).line) == ("backward", here() - 2)
    assert (wg.explain(grad * 2).reason, wg.explain(grad * 2).line) == ("backward", here() - 2)


def test_the_reason_of_a_card_is_told(lines):
    assert "is constant almost everywhere" in str(wg.explain(variable() > 0))


def test_the_module_of_a_cut_is_told(lines):
    class Cutting(wg.nn.Module):
        def forward(self, x):
            return x.detach() * 2

    net = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.Sequential(wg.nn.Tanh(), Cutting()))
    assert "It is in the module Sequential.1.1." in str(wg.explain(net(wg.ones(1, 2))))
    assert current().debug.scope is None


def test_a_module_that_raises_is_left_all_the_same(lines):
    class Fails(wg.nn.Module):
        def forward(self, x):
            raise ValueError("it fails")

    with pytest.raises(ValueError, match="it fails"):
        wg.nn.Sequential(Fails())(wg.ones(1))
    assert current().debug.scope is None


# ---- without lines ---------------------------------------------------------------------------------------------------


def test_without_lines_it_says_what_the_tensor_shows_and_how_to_learn_more():
    x = variable()
    y = x * 2
    for tensor, reason in (
        (y.detach(), "detach"),
        (y.data, "detach"),
        (y.long(), "dtype"),
        (y > 0, "dtype"),
        (wg.ones(2), "unknown"),
    ):
        found = wg.explain(tensor)
        assert (found.reason, found.where, found.line) == (reason, None, None)
        assert "set_debug(lines=True)" in str(found) and "python -m wengert.explain" in str(found)
    with wg.inference_mode():
        z = x * 2
    assert wg.explain(z).reason == "inference_mode"
    with wg.no_grad():
        assert "Recording is off here" in str(wg.explain(x * 2))


@pytest.mark.filterwarnings("ignore:volatile is how:DeprecationWarning")
def test_volatile_tensors_are_told_without_lines():
    assert wg.explain(variable() * wg.autograd.Variable(wg.ones(3), volatile=True)).reason == "volatile"


@pytest.mark.parametrize("value", [1.0, np.ones(2), None])
def test_what_is_no_tensor_is_refused(value):
    with pytest.raises(TypeError, match=r"explain\(\): tensor must be a tensor, not"):
        wg.explain(value)
    if value is not None:
        with pytest.raises(TypeError, match=r"explain\(\): loss must be a tensor, not"):
            wg.explain(wg.ones(1), value)


# ---- the mode --------------------------------------------------------------------------------------------------------


def test_nothing_is_noted_where_the_mode_is_off():
    y = variable() * 2
    z = y.detach() * 3
    assert y.grad_fn.node_notes is None or y.grad_fn.own_notes().origin is None
    assert z._meta_ is None


def test_the_mode_is_a_switch_or_a_block_of_its_thread_and_nests():
    assert current().debug is None
    wg.set_debug(lines=True)
    outer = current().debug
    with pytest.raises(KeyError), wg.set_debug(lines=False):
        assert current().debug is None
        raise KeyError
    assert current().debug is outer
    seen = []
    thread = threading.Thread(target=lambda: seen.append(current().debug))
    thread.start()
    thread.join()
    wg.set_debug(lines=False)
    assert seen == [None] and current().debug is None


def test_no_hook_of_modules_stays_behind():
    from wengert.nn.modules import global_hooks

    with wg.set_debug(lines=True):
        assert len(global_hooks.FORWARD) == len(global_hooks.FORWARD_PRE) == 1
    assert len(global_hooks.FORWARD) == len(global_hooks.FORWARD_PRE) == 0


@pytest.mark.parametrize("lines", [1, "yes", None])
def test_a_switch_that_is_no_bool_is_refused(lines):
    with pytest.raises(TypeError, match=r"set_debug\(\): lines must be True or False"):
        wg.set_debug(lines=lines)


def test_no_tensor_lives_longer_for_what_is_noted(lines):
    gc.collect()
    gc.disable()
    try:
        x = variable()
        y = x.exp()
        z = wg.tensor((y * y).sum().item()) * y.detach()
        loss = (z * x).sum()
        loss.backward()
        seen = [weakref.ref(each) for each in (x, y, y.grad_fn, z, loss.grad_fn)]
        del x, y, loss
        assert [each() is None for each in seen] == [True, True, True, False, True], "z knows where it came from"
        assert wg.explain(z).reason == "detach" or wg.explain(z).reason == "item"
    finally:
        gc.enable()


def test_what_leaves_the_graph_again_and_again_is_told_once(lines):
    x = variable(1)
    value = wg.tensor(x.sum().item())
    first = here() - 1
    for _ in range(100):
        value = wg.from_numpy(value.numpy()) * 1
    assert (wg.explain(value).reason, wg.explain(value).line) == ("item", first)
    depth, origin = 0, value._meta_.origin
    while origin is not None:
        depth, origin = depth + 1, origin.cuts
    assert depth < 5


def test_a_view_of_what_was_computed_without_recording_is_told():
    x = variable() * 2
    with wg.no_grad():
        copy, view = x * 1, x[:2]
    assert wg.explain(view).reason == "no_grad"
    with wg.set_debug(lines=True), wg.no_grad():
        noted = (x * 1)[:2]
        part = x[:2]
    assert (wg.explain(part).reason, wg.explain(part).line) == ("no_grad", here() - 1)
    assert wg.explain(copy).reason == "unknown" and wg.explain(noted).reason == "no_grad"


def test_results_are_those_without_the_mode():
    def program():
        x = wg.arange(6.0).requires_grad_()
        y = (x * x).reshape(2, 3)
        z = y.clone()
        z[0] = y[1] * x[:3]
        z[1].mul_(2)
        (wg.cat([z, y]).sin().sum() + y[0].softmax(0).max()).backward()
        return x.grad

    with wg.set_debug(lines=True):
        noted = program()
    assert wg.equal(noted, program())
