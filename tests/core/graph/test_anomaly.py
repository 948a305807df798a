"""Anomaly detection: the forward call behind an error of the backward pass, NaN and infinities, the line of a write."""

from __future__ import annotations

import gc
import sys
import traceback
import warnings
import weakref

import pytest

import wengert as wg
from wengert._core.state.modes import current
from wengert.autograd import detect_anomaly, set_detect_anomaly

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")


class Told:
    """The error and the warnings of a call that has to fail."""

    def __init__(self, call, kind=RuntimeError):
        with warnings.catch_warnings(record=True) as seen, pytest.raises(kind) as caught:
            warnings.simplefilter("always")
            call()
        self.error = str(caught.value)
        self.warnings = [each for each in seen if "has been enabled" not in str(each.message)]
        self.texts = [str(each.message) for each in self.warnings]


def here():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


def divided(x):
    return x / x


# ---- the mode --------------------------------------------------------------------------------------------------------


def test_entering_warns_that_the_mode_is_slow():
    with pytest.warns(UserWarning, match="This mode will increase the runtime and should only be enabled") as seen:
        detect_anomaly()
    assert [(each.filename, each.lineno) for each in seen] == [(__file__, here() - 1)]


def test_the_mode_is_on_inside_only_and_restored_after_an_error():
    assert not wg.is_anomaly_enabled()
    with pytest.raises(KeyError), detect_anomaly(check_nan=False, check_inf=True):
        assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()) == (True, False)
        with set_detect_anomaly(False):
            assert not wg.is_anomaly_enabled()
        assert (wg.is_anomaly_enabled(), current().check_inf) == (True, True)
        raise KeyError
    assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled(), current().check_inf) == (False, True, False)


def test_set_detect_anomaly_is_also_a_function_that_switches_at_once():
    set_detect_anomaly(True, check_nan=False)
    assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()) == (True, False)
    set_detect_anomaly(False)
    assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()) == (False, True)


def test_set_anomaly_enabled_of_the_root_switches_too():
    wg.set_anomaly_enabled(True, False)
    assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()) == (True, False)
    wg.set_anomaly_enabled(False)
    assert (wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()) == (False, True)


# ---- the traceback of the forward call -------------------------------------------------------------------------------


def test_a_node_made_inside_notes_the_traceback_of_its_call():
    x = wg.ones(2, requires_grad=True)
    with detect_anomaly():
        y = x * 2
    noted = y.grad_fn.metadata["traceback_"]
    assert isinstance(noted, list) and all(isinstance(each, str) for each in noted)
    name = "test_a_node_made_inside_notes_the_traceback_of_its_call"
    assert noted[-1] == f'  File "{__file__}", line {here() - 4}, in {name}\n    y = x * 2\n'
    assert noted[:-1] == traceback.format_stack()[:-1], "outer frames as Python's own traceback has them"


def test_a_node_made_outside_notes_nothing():
    y = wg.ones(2, requires_grad=True) * 2
    assert y.grad_fn.metadata == {}


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.mul(2),
        lambda x: wg.mul(x, 2),
        lambda x: -x,
        lambda x: x[0],
        lambda x: x.unbind(0)[0],
        lambda x: x.clone().add_(1),
        lambda x: x.sum(),
    ],
)
def test_no_frame_of_the_core_is_in_a_traceback(make):
    with detect_anomaly():
        y = make(wg.ones(2, requires_grad=True))
    assert "lambda x: " in y.grad_fn.metadata["traceback_"][-1]
    assert not any("/_core/" in each for each in y.grad_fn.metadata["traceback_"])


def test_an_in_place_write_to_a_view_notes_it_at_the_node_of_the_base():
    with detect_anomaly():
        y = wg.ones(3, requires_grad=True).clone()
        y[0].mul_(2)
    assert y.grad_fn.name().endswith("CopySlices")
    assert "y[0].mul_(2)" in y.grad_fn.metadata["traceback_"][-1]


def test_an_error_in_the_backward_step_comes_with_the_traceback_of_the_forward_call():
    x = wg.ones(2, requires_grad=True)

    def fail(grad):
        raise ValueError("a hook that fails")

    def run():
        with detect_anomaly():
            y = divided(x)
            y.register_hook(fail)
            y.sum().backward()

    told = Told(run, ValueError)
    assert told.error == "a hook that fails"
    [text] = told.texts
    assert text.startswith("Error detected in DivBackward0. Traceback of forward call that caused the error:\n")
    assert text.endswith("in divided\n    return x / x\n")
    assert "y = divided(x)" in text


def test_the_warning_points_to_the_line_that_asked_for_the_backward_pass():
    def run():
        with detect_anomaly():
            divided(wg.zeros(1, requires_grad=True)).sum().backward()

    told = Told(run)
    assert [each.filename for each in told.warnings] == [__file__]
    assert [each.lineno for each in told.warnings] == [here() - 4]


def test_a_call_made_outside_the_mode_gives_no_forward_information():
    y = divided(wg.zeros(2, requires_grad=True)).sum()

    def run():
        with detect_anomaly():
            y.backward()

    assert Told(run).texts == [
        "Error detected in DivBackward0. No forward pass information available. Enable detect anomaly during forward "
        "pass for more information."
    ]


def test_an_error_outside_the_mode_warns_of_nothing():
    x = wg.ones(2, requires_grad=True)
    with detect_anomaly():
        y = x.exp()
        z = (y * y).sum()
        y.add_(1)
    assert Told(z.backward).texts == []


def test_a_node_made_by_a_backward_step_knows_its_parent():
    x = wg.ones(2, requires_grad=True)
    with detect_anomaly():
        y = x.exp().sum()
        [first] = wg.autograd.grad(y, x, create_graph=True)
    assert first.grad_fn.metadata["parent_"].name() == "ExpBackward0"
    assert "parent_" not in y.grad_fn.metadata
    assert current().passing is None


def test_an_error_in_a_second_derivative_tells_of_both_calls():
    x = wg.zeros(2, requires_grad=True)

    def run():
        with detect_anomaly(check_inf=True):
            y = (x**1.5).sum()
            [first] = wg.autograd.grad(y, x, create_graph=True)
            [second] = wg.autograd.grad(first, x, wg.ones(2), create_graph=True)
            second.sum().backward()

    told = Told(run)
    assert told.error == "Function 'PowBackward0' returned inf values in its 0th output."
    assert told.texts[0].startswith("Error detected in PowBackward0. Traceback of forward call that caused the error:")
    assert "[first] = wg.autograd.grad(y" in told.texts[0]
    assert told.texts[1].startswith(
        "\n\nPrevious calculation was induced by PowBackward0. Traceback of forward call that induced the previous "
    )
    assert "y = (x**1.5).sum()" in told.texts[1]
    assert len(told.texts) == 2


def test_a_parent_made_outside_the_mode_is_named_without_a_traceback():
    x = wg.ones(2, requires_grad=True)
    y = x.exp().sum()

    def fail(grad):
        raise ValueError

    def run():
        with detect_anomaly():
            [first] = wg.autograd.grad(y, x, create_graph=True)
            first.register_hook(fail)
            first.sum().backward()

    assert Told(run, ValueError).texts[1] == (
        "\n\nPrevious calculation was induced by ExpBackward0. No forward pass information available. Enable detect "
        "anomaly during forward pass for more information."
    )


def test_the_hook_of_a_leaf_that_fails_is_told_too():
    x = wg.ones(2, requires_grad=True)

    def fail(grad):
        raise ValueError

    x.register_hook(fail)

    def run():
        with detect_anomaly():
            (x * 2).sum().backward()

    [text] = Told(run, ValueError).texts
    assert text.startswith("Error detected in torch::autograd::AccumulateGrad. Traceback of forward call that caused ")
    assert "(x * 2).sum().backward()" in text


# ---- NaN and infinities ----------------------------------------------------------------------------------------------


def test_nan_in_a_gradient_names_the_node_and_the_output():
    def run():
        with detect_anomaly():
            divided(wg.zeros(2, requires_grad=True)).sum().backward()

    told = Told(run)
    assert told.error == "Function 'DivBackward0' returned nan values in its 1th output."
    assert told.texts[0].endswith("in divided\n    return x / x\n")


def test_nan_is_let_through_where_it_is_not_asked_for():
    x = wg.zeros(2, requires_grad=True)
    with detect_anomaly(check_nan=False):
        divided(x).sum().backward()
    assert x.grad.isnan().all()


@pytest.mark.parametrize("dtype", [wg.float16, wg.float64, wg.complex64])
def test_nan_is_found_in_every_dtype(dtype):
    x = wg.zeros(2, dtype=dtype, requires_grad=True)

    def run():
        with detect_anomaly():
            divided(x).backward(wg.ones(2, dtype=dtype))

    assert Told(run).error.startswith("Function 'DivBackward0' returned nan values")


def test_infinities_are_let_through_unless_asked_for():
    x = wg.zeros(2, requires_grad=True)
    with detect_anomaly():
        x.sqrt().sum().backward()
    assert x.grad.isinf().all()

    def run():
        with detect_anomaly(check_inf=True):
            x.sqrt().sum().backward()

    assert Told(run).error == "Function 'SqrtBackward0' returned inf values in its 0th output."


def test_what_a_hook_of_the_node_makes_is_checked():
    def run():
        with detect_anomaly():
            y = wg.ones(2, requires_grad=True) * 2
            y.grad_fn.register_hook(lambda given, _: (given[0] * float("nan"), *given[1:]))
            y.sum().backward()

    assert Told(run).error == "Function 'MulBackward0' returned nan values in its 0th output."


def test_the_gradient_of_a_view_is_checked_where_it_is_added_to_another():
    def run():
        with detect_anomaly():
            x = wg.ones(4, requires_grad=True) * 1
            part = x[:2]
            part.register_hook(lambda grad: grad * float("nan"))
            (x.sum() + part.sum()).backward()

    assert Told(run).error == "Function 'SliceBackward0' returned nan values in its 0th output."


def test_gradients_are_those_of_a_pass_without_the_mode():
    def gradient():
        x = wg.arange(6.0).requires_grad_()
        y = (x * x).reshape(2, 3)
        z = y.clone()
        z[0] = y[1] * x[:3]
        z[1].mul_(2)
        (z.sin().sum() + y[0].sum()).backward()
        return x.grad

    with detect_anomaly():
        watched = gradient()
    assert wg.equal(watched, gradient())


# ---- cost and memory -------------------------------------------------------------------------------------------------


def test_a_graph_made_inside_is_freed_by_reference_counting_alone():
    gc.collect()
    gc.disable()
    try:
        with detect_anomaly():
            x = wg.ones(3, requires_grad=True)
            y = (x.exp() * x).sum()
            [first] = wg.autograd.grad(y, x, create_graph=True)
            z = (first * first).sum()
            z.backward()
        references = [weakref.ref(each) for each in (y.grad_fn, first.grad_fn, z.grad_fn, x)]
        del x, y, first, z
        assert [each() for each in references] == [None] * 4
    finally:
        gc.enable()


def test_repeated_passes_inside_leave_nothing_behind():
    x = wg.ones(3, requires_grad=True)

    def step():
        y = x * 2
        y[0] = y[1]
        y.sin().sum().backward()
        with wg.no_grad():
            x.add_(1)
        x.grad = None

    def objects():
        gc.collect()
        return len(gc.get_objects())

    with detect_anomaly():
        for _ in range(100):
            step()
        before = objects()
        for _ in range(300):
            step()
        assert objects() - before < 20
    assert len(x._storage_.writes) < 100


@pytest.mark.parametrize("action", ["error", "always", "ignore"])
def test_the_error_of_a_backward_step_is_shown_whatever_becomes_of_the_warning(action):
    class Fails(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("the error itself")

    with warnings.catch_warnings(record=True):  # kept, not printed among the results
        warnings.simplefilter("ignore")
        with wg.autograd.detect_anomaly():
            y = Fails.apply(wg.ones(2, requires_grad=True)).sum()
            warnings.simplefilter(action)
            with pytest.raises(ValueError, match="the error itself") as caught:
                y.backward()
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_anomaly_detection_is_switched_by_a_bool_only():
    with pytest.raises(TypeError, match="must be bool, not int"):
        set_detect_anomaly(3)
    assert not wg.is_anomaly_enabled()


def test_what_cannot_be_a_warning_is_printed_and_the_error_of_the_step_is_raised(capfd):
    class Failing(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("mine")

    for function, error, name in (
        (Failing.apply, ValueError("mine"), "FailingBackward"),
        (lambda x: (x - x).sqrt() * 0, RuntimeError("Function 'SqrtBackward0' returned nan"), "SqrtBackward0"),
    ):
        x = wg.ones(2, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(type(error), match=str(error)) as caught, wg.autograd.set_detect_anomaly(True):
                function(x).sum().backward()
        assert caught.value.__context__ is None
        printed = capfd.readouterr().err
        assert printed.startswith(f"UserWarning: Error detected in {name}. Traceback of forward call that caused")
        assert "in test_what_cannot_be_a_warning_is_printed" in printed
